// The colourings of the map. To add one, add an entry to COLOURINGS.

import { COLOURS, address, number } from "./dom.js";
import { branches } from "./branches.js";

export const MOST_GROUPS = COLOURS.length;
const MORE_COLOURS = [...COLOURS, "#b8446a", "#5a9e3f", "#8a6d4b", "#4f6a8f"]; // for groups with names on the map
const GREY = { light: "#9aa3aa", dark: "#66727c" };
const SHADES = 4; // of frequency, for each power of ten
// Cividis: perceptually uniform, and safe for colour-blind people (Nuñez, Anderton and Renslow 2018).
const CIVIDIS = ["#00224e", "#123570", "#3b496c", "#575d6d", "#707173", "#8a8678", "#a59c74", "#c3b369", "#e1cc55", "#fee838"];
// How much more frequent a word is, as a binary logarithm: blue is less, orange is more.
const RATIOS = [
  { least: 2, label: "more than 4 times as frequent", colour: "#c4500a" }, { least: 1, label: "2 to 4 times", colour: "#e08a1e" },
  { least: 0.5, label: "1.4 to 2 times", colour: "#e8bd6c" }, { least: -0.5, label: "about as frequent", colour: null },
  { least: -1, label: "1.4 to 2 times less", colour: "#8cbbdd" }, { least: -2, label: "2 to 4 times less", colour: "#3f8dc0" },
  { least: -Infinity, label: "more than 4 times less", colour: "#0b5a96" },
];

// A colouring has a title, a heading for its legend, groups: true if it has k colours, fits(known) and
// make(known, dark), where known is { points, facts, tree, k, ratios }. make returns
//   shade: for each point a position in the palette,
//   palette: colours as #rrggbb,
//   entries: of the legend, [{ label, href, about, n, first, last, colour }]; first and last are positions in the palette.
export const COLOURINGS = {
  regions: { title: "regions", heading: "Regions", fits: ({ facts }) => facts.groups.length > 1, make: byRegion },
  tag: { title: "tags", heading: "Tags", fits: ({ facts }) => facts.tag_names.length > 0, make: byTag },
  class: {
    title: "classes", heading: "Branches of the class tree", groups: true,
    fits: ({ facts, tree }) => tree !== null && facts.paths.length > 0,
    make: byClass,
  },
  frequency: { title: "frequency", heading: "Frequency", fits: () => true, make: byFrequency },
};

// The colouring that agrees with a layout: topics have regions, grammar has tags or classes.
export function usualColouring(known) {
  const order = known.facts.kind === "grammar" ? ["tag", "class", "regions"] : ["regions", "class"];
  return [...order, "frequency"].find((name) => COLOURINGS[name].fits(known));
}

// The colouring by documents: "genre=news" for the words that are frequent where the genre is news.
export function byDocuments(name) {
  const at = name.indexOf("=");
  if (at < 0) return null;
  const [column, value] = [name.slice(0, at), name.slice(at + 1)];
  return { column, value, title: value, heading: `Compared with the rest, where ${column} is ${value}`, make: byRatio };
}

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

// One entry for each of some groups, [{ label, href, about }], and a last one for points without a group.
function grouped(groupOf, groups, colourOf, nothing, dark) {
  const none = groups.length;
  const shade = Uint8Array.from(groupOf, (g) => (g >= 0 ? g : none));
  const palette = [...groups.map((_, i) => onPaper(colourOf(i), dark)), dark ? GREY.dark : GREY.light];
  const n = howMany(shade, palette.length);
  const entries = [...groups, { label: nothing }].map((group, i) => ({ ...group, n: n[i], first: i, last: i, colour: palette[i] }));
  return { shade, palette, entries: entries.filter((entry, i) => entry.n > 0 || i < none) };
}

// More groups than colours: the second round is lighter, the third darker.
function manyColours(i) {
  const base = MORE_COLOURS[i % MORE_COLOURS.length];
  const round = Math.floor(i / MORE_COLOURS.length) % 3;
  return round === 0 ? base : mixed(base, round === 1 ? "#ffffff" : "#000000", 0.4);
}

function byRegion({ points, facts }, dark) {
  const groups = facts.groups.map(({ words }) => ({ label: words.slice(0, 3).join(" · "), about: words.join(", ") }));
  return grouped(Array.from(points.regions, (r) => facts.region_facts[r]?.group ?? -1), groups, manyColours, "no region", dark);
}

function byTag({ points, facts }, dark) {
  const groups = facts.tag_names.map((name, i) => ({
    label: name === String(i) ? facts.tag_words[i].join(" · ") || name : name, about: `tag ${name}: ${facts.tag_words[i].join(", ")}`, href: address("tag", String(i)),
  }));
  return grouped(points.tags, groups.slice(0, 250), manyColours, "no tag", dark);
}

function byClass({ points, facts, tree, k }, dark) {
  const cut = branches(tree, k);
  const place = new Map(cut.map((branch, i) => [tree.paths[branch.node], i]));
  const ofClass = facts.paths.map((path) => longestKnown(path, place) ?? -1);
  const groups = cut.map(({ node }) => ({ label: tree.labels[node], href: address("class", tree.paths[node]), about: tree.typical[node].join("  ") }));
  return grouped(Array.from(points.classes, (c) => ofClass[c] ?? -1), groups, (i) => COLOURS[cut[i].colour % COLOURS.length], "no class", dark);
}

function byRatio({ ratios }, dark) {
  const grey = dark ? GREY.dark : mixed(GREY.light, "#ffffff", 0.35);
  const palette = RATIOS.map(({ colour }) => colour ?? grey);
  const shade = Uint8Array.from(ratios, (r) => RATIOS.findIndex(({ least }) => r >= least));
  const n = howMany(shade, palette.length);
  return { shade, palette, entries: RATIOS.map(({ label }, i) => ({ label, n: n[i], first: i, last: i, colour: palette[i] })) };
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
