// Labels on the map: names of groups and regions that fade in and out with the zoom, and of the most frequent words.

import { shortened, isRightToLeft } from "./dom.js";
import { mixed } from "./map-colours.js";

const CELL = 4; // pixels of the grid that keeps labels apart
const TRIES = 4000;
const LONGEST = 26; // letters of a label
const SIZES = [11.5, 11.5, 11.5, 12, 13, 14]; // font sizes, by the level of the point
const NAMED = 3; // words in the name of a region
const ASIDE = [0, 0.5, -0.5, 1, -1]; // how far from its place a name of a region may be, in lines
const GROUP = { size: [15, 19], show: [0, 0, 2.2, 4.5], weight: 700 };
const REGION = { size: [12, 13.5], show: [1.25, 2.1, 14, 30], weight: 650 };

// How visible something is at a zoom: it fades in between the first two numbers, and out between the last two.
function fading(z, [from, full, until, gone]) {
  const rise = full > from ? (z - from) / (full - from) : 1;
  return Math.max(0, Math.min(1, rise, (gone - z) / (gone - until)));
}

export class Names {
  constructor(context, points, camera) {
    this.context = context;
    this.points = points;
    this.camera = camera;
    this.measured = new Map(); // text and font of labels, by point
    this.regions = []; // [{ words, x, y, n, colour, kind, at }], the most important first
    this.placed = []; // the visible labels of words: { i, left, top, width, height }
    this.titles = []; // the visible names of regions
    this.corner = { width: 0, height: 0 }; // the upper right one, in which nothing is written because buttons are above it
  }

  // The names of groups and regions; colourOf(group) is a colour, or null for the ink.
  setRegions(facts, colourOf) {
    const scale = facts.scale || 1;
    const named = (list, kind) => list.map((one, at) => ({
      words: one.words.slice(0, NAMED).map((word) => shortened(word, 16)), x: one.x / scale, y: one.y / scale, n: one.n_words,
      colour: colourOf(one.group), kind, at,
    }));
    this.regions = facts.groups.length > 1 ? [...named(facts.groups, GROUP), ...named(facts.region_facts, REGION)] : [];
  }

  clear() {
    this.measured.clear();
  }

  nameOf(i) {
    let name = this.measured.get(i);
    if (!name) {
      const text = shortened(this.points.words[i], LONGEST);
      const size = SIZES[this.points.level[i]];
      const font = `${size >= 14 ? 600 : 400} ${size}px ${this.ink.fonts}`;
      this.context.font = font;
      name = { text, font, size, width: this.context.measureText(text).width, direction: isRightToLeft(text) ? "rtl" : "ltr" };
      this.measured.set(i, name);
    }
    return name;
  }

  // Chooses labels: names of regions, then the marked word and its neighbours, then the most frequent visible words.
  place({ bright, mark, near }, radii) {
    const { points, camera } = this;
    const { width, height, at } = camera;
    this.columns = Math.ceil(width / CELL) + 1;
    this.rows = Math.ceil(height / CELL) + 1;
    this.taken = new Uint8Array(this.columns * this.rows);
    this.take(width - this.corner.width, 0, this.corner.width, this.corner.height);
    this.placed = [];
    this.titles = [];
    if (mark >= 0) { this.placeWord(mark, 13, true); for (const i of near) this.placeWord(i, radii[points.level[i]] + 3.5, false); }
    else this.placeRegions(bright);
    // pixels for each label: fewer when zoomed in; names of regions need some of the space
    const room = Math.max(3600, (this.titles.length ? 15000 : 9000) / Math.sqrt(Math.max(1, at.z)));
    const most = Math.max(6, Math.round((width * height) / room));
    const [left, right, low, high] = camera.seen;
    let tries = 0;
    // words first; punctuation only if there is space left
    for (const spelled of [1, 0]) {
      for (let i = 0; i < points.n && this.placed.length < most && tries < TRIES; i++) {
        const x = points.x[i];
        if (x < left || x > right || points.y[i] < low || points.y[i] > high) continue;
        if (points.spelled[i] !== spelled || i === mark || (bright !== null && bright[i] === 0) || near.includes(i)) continue;
        tries += 1;
        this.placeWord(i, radii[points.level[i]] + 3.5, false);
      }
    }
  }

  placeRegions(bright) {
    const { camera, context } = this;
    for (const region of this.regions) {
      const shown = fading(camera.at.z, region.kind.show);
      if (shown <= 0 || (bright !== null && !this.isBright(region, bright))) continue;
      const [least, most] = region.kind.size;
      const size = Math.round(2 * Math.min(most, least + (most - least) * Math.sqrt(region.n / (region.kind === GROUP ? 4000 : 400)))) / 2;
      const font = `${region.kind.weight} ${camera.width < 520 ? size - 2.5 : size}px ${this.ink.fonts}`;
      context.font = font;
      const text = region.words.slice(0, camera.width < 520 ? 2 : NAMED).join(" · ");
      const wide = context.measureText(text).width;
      const lefts = [6, this.corner.width + 6].map((right) => Math.max(6, Math.min(camera.width - wide - right, camera.across(region.x) - wide / 2)));
      const tops = ASIDE.map((lines) => camera.down(region.y) - size / 2 - 3 + lines * (size + 14));
      const places = tops.flatMap((top) => lefts.map((left) => ({ left, top })));
      const { left, top } = places.find((one) => this.isFree(one.left, one.top, wide, size + 6)) ?? {};
      if (camera.across(region.x) < -20 || camera.across(region.x) > camera.width + 20 || left === undefined) continue;
      this.titles.push({ ...region, text, font, left: Math.round(left), top: Math.round(top), height: size + 6, shown: Math.round(20 * shown) / 20 });
      this.take(left - 8, top - 4, wide + 16, size + 14);
    }
  }

  // Whether most points of a region are highlighted; the first ones decide.
  isBright(region, bright) {
    const of = region.kind === GROUP ? this.points.groups : this.points.regions;
    let here = 0;
    let lit = 0;
    for (let i = 0; i < this.points.n && here < 40; i++) if (of[i] === region.at) { here += 1; lit += bright[i]; }
    return 2 * lit > here;
  }

  // Puts a label to the right or to the left of its point, if there is space.
  placeWord(i, gap, always) {
    const x = this.camera.across(this.points.x[i]);
    const y = this.camera.down(this.points.y[i]);
    const height = SIZES[this.points.level[i]] + 4;
    const top = y - height / 2;
    // before the text is measured: is there space for two letters?
    const free = [x + gap, x - gap - 12].map((left) => this.isFree(left, top, 12, height));
    if (!always && !free[0] && !free[1]) return;
    const name = this.nameOf(i);
    const lefts = [x + gap, x - gap - name.width].filter((left) => left > 2 && left + name.width < this.camera.width - 2);
    const left = lefts.find((l) => this.isFree(l, top, name.width, height)) ?? (always ? lefts[0] ?? 4 : undefined);
    if (left === undefined) return;
    this.placed.push({ i, left, top, width: name.width, height });
    this.take(Math.min(left, x - 2) - 6, top - 3, Math.max(left + name.width, x + 2) + 6 - Math.min(left, x - 2) + 6, height + 6);
  }

  cells(left, top, width, height) {
    const clamp = (value, most) => Math.max(0, Math.min(most - 1, Math.floor(value / CELL)));
    return [clamp(left, this.columns), clamp(left + width, this.columns), clamp(top, this.rows), clamp(top + height, this.rows)];
  }

  isFree(left, top, width, height) {
    if (top < 0 || top + height > this.camera.height) return false;
    const [a, b, first, last] = this.cells(left, top, width, height);
    for (let row = first; row <= last; row++) {
      for (let column = a; column <= b; column++) if (this.taken[row * this.columns + column]) return false;
    }
    return true;
  }

  take(left, top, width, height) {
    const [a, b, first, last] = this.cells(left, top, width, height);
    for (let row = first; row <= last; row++) this.taken.fill(1, row * this.columns + a, row * this.columns + b + 1);
  }

  // Draws labels, and their points again with an outline.
  draw({ shade, palette, mark }, radii) {
    const { context, points, camera, ink } = this;
    context.textBaseline = "middle";
    context.textAlign = "left";
    context.lineJoin = "round";
    context.strokeStyle = ink.paper;
    const softer = this.titles.length > 0 && mark < 0;
    for (const { i, left, top, height } of this.placed.toReversed()) {
      const name = this.nameOf(i);
      context.lineWidth = 1.5;
      context.fillStyle = palette[shade[i]];
      context.beginPath();
      context.arc(camera.across(points.x[i]), camera.down(points.y[i]), radii[points.level[i]] + 0.8, 0, 7);
      context.stroke();
      context.fill();
      context.font = i === mark ? name.font.replace(/^\d+/, "700") : softer ? name.font.replace(/^\d+/, "400") : name.font;
      context.direction = name.direction;
      context.lineWidth = 3;
      context.strokeText(name.text, left, top + height / 2);
      context.fillStyle = softer ? ink.soft : ink.ink;
      context.fillText(name.text, left, top + height / 2);
    }
    for (const title of this.titles.toReversed()) {
      context.font = title.font;
      context.direction = isRightToLeft(title.text) ? "rtl" : "ltr";
      context.globalAlpha = title.shown;
      context.lineWidth = 5;
      context.strokeText(title.text, title.left, title.top + title.height / 2);
      context.fillStyle = title.colour ? mixed(title.colour, ink.ink, 0.45) : ink.ink;
      context.fillText(title.text, title.left, title.top + title.height / 2);
    }
    context.globalAlpha = 1;
  }

  // The word whose label is at a position on the screen; -1 if there is none.
  at(x, y) {
    const found = this.placed.find((box) => x >= box.left && x <= box.left + box.width && y >= box.top && y <= box.top + box.height);
    return found ? found.i : -1;
  }
}
