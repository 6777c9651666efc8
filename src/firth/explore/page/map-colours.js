// The colourings of the map. To add one, add an entry to COLOURINGS.

import { COLOURS, address, number } from "./dom.js";
import { branches } from "./branches.js";

export const MOST_GROUPS = COLOURS.length;
const GREY = { light: "#9aa3aa", dark: "#66727c" };
const SHADES = 4; // of frequency, for each power of ten
// Cividis: perceptually uniform, and safe for colour-blind people (Nuñez, Anderton and Renslow 2018).
const CIVIDIS = ["#00224e", "#123570", "#3b496c", "#575d6d", "#707173", "#8a8678", "#a59c74", "#c3b369", "#e1cc55", "#fee838"];

// A colouring has a title, a heading for its legend, groups: true if it has k colours, fits(known) and
// make(known, dark), where known is { points, facts, tree, k }. make returns
//   shade: for each point a position in the palette,
//   palette: colours as #rrggbb,
//   entries: of the legend, [{ label, href, about, n, first, last, colour }]; first and last are positions in the palette.
export const COLOURINGS = {
  class: {
    title: "classes", heading: "Branches of the class tree", groups: true,
    fits: ({ facts, tree }) => tree !== null && facts.paths.length > 0,
    make: byClass,
  },
  frequency: { title: "frequency", heading: "Frequency", fits: () => true, make: byFrequency },
};

export function parts(hex) {
  return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) || 0);
}

// A mixture of two colours, with the share of the second.
export function mixed(one, other, share) {
  const b = parts(other);
  return "#" + parts(one).map((v, i) => Math.round(v + (b[i] - v) * share).toString(16).padStart(2, "0")).join("");
}

export function isDark(hex) {
  const [r, g, b] = parts(hex);
  return 0.3 * r + 0.6 * g + 0.1 * b < 128;
}

// A little darker on a light background and lighter on a dark one, so that every colour is visible on both.
function onPaper(colour, dark) {
  return dark ? mixed(colour, "#ffffff", 0.14) : mixed(colour, "#000000", 0.1);
}

// The value of the longest known prefix of a path; undefined if there is none.
export function longestKnown(path, known) {
  for (let length = path.length; length >= 0; length--) {
    const found = known.get(path.slice(0, length));
    if (found !== undefined) return found;
  }
  return undefined;
}

function byClass({ points, facts, tree, k }, dark) {
  const groups = branches(tree, k);
  const place = new Map(groups.map((group, i) => [tree.paths[group.node], i]));
  const none = groups.length;
  const ofClass = facts.paths.map((path) => longestKnown(path, place) ?? none);
  const shade = Uint8Array.from(points.classes, (c) => ofClass[c] ?? none);
  const palette = [...groups.map((group) => onPaper(COLOURS[group.colour % COLOURS.length], dark)), dark ? GREY.dark : GREY.light];
  const n = howMany(shade, palette.length);
  const entries = groups.map(({ node }, i) => ({
    label: tree.labels[node], href: address("class", tree.paths[node]), about: tree.typical[node].join("  "),
    n: n[i], first: i, last: i, colour: palette[i],
  }));
  if (n[none] > 0) entries.push({ label: "no class", n: n[none], first: none, last: none, colour: palette[none] });
  return { shade, palette, entries };
}

function howMany(shade, length) {
  const n = new Array(length).fill(0);
  for (const s of shade) n[s] += 1;
  return n;
}

// A colour of the ramp, between 0 and 1.
function ramp(at) {
  const place = Math.max(0, Math.min(1, at)) * (CIVIDIS.length - 1);
  const before = Math.min(CIVIDIS.length - 2, Math.floor(place));
  return mixed(CIVIDIS[before], CIVIDIS[before + 1], place - before);
}

// Frequent words stand out: they are dark on a light background, and light on a dark one.
function byFrequency({ points }, dark) {
  const power = (count) => Math.log10(Math.max(1, count)) + 1e-9;
  const lowest = points.n ? Math.floor(points.counts.reduce((least, c) => Math.min(least, power(c)), Infinity)) : 0;
  const highest = points.n ? Math.floor(points.counts.reduce((most, c) => Math.max(most, power(c)), 0)) : 0;
  const length = (highest - lowest + 1) * SHADES;
  const shade = Uint8Array.from(points.counts, (c) => Math.floor((power(c) - lowest) * SHADES));
  const palette = Array.from({ length }, (_, i) => {
    const share = length > 1 ? i / (length - 1) : 1;
    return dark ? ramp(0.3 + 0.7 * share) : ramp(0.82 - 0.82 * share);
  });
  const n = howMany(shade, length);
  const entries = [];
  for (let p = highest; p >= lowest; p--) {
    const first = (p - lowest) * SHADES;
    entries.push({
      label: `${number(10 ** p)} – ${number(10 ** (p + 1) - 1)}`, n: n.slice(first, first + SHADES).reduce((a, b) => a + b, 0),
      first, last: first + SHADES - 1, colour: palette[first + SHADES / 2],
    });
  }
  return { shade, palette, entries: entries.filter((entry) => entry.n > 0) };
}
