// Draws the map: points as pixels, since there may be a hundred thousand, and the labels of the most frequent words.

import { shortened, isRightToLeft } from "./dom.js";
import { parts } from "./map-colours.js";

const MOST_PIXELS = 5e6;
const MANY = 40000; // from this number of points on, frames in motion are drawn more simply
const CELL = 4; // pixels of the grid that keeps labels apart
const TRIES = 4000;
const LONGEST = 26; // letters of a label
const RING = 8; // radius of the ring around the word that was searched for, in pixels
const SIZES = [11.5, 11.5, 11.5, 12, 13, 14]; // font sizes, by the level of the point

function asPixel(hex) {
  const [r, g, b] = parts(hex);
  return (255 << 24) | (b << 16) | (g << 8) | r;
}

// The mean of two pixels, all four channels at once.
function mean(one, other) {
  return ((((one ^ other) & -0x1010102) >>> 1) + (one & other)) | 0;
}

// The pixels of a disc, as offsets from its centre: those it covers fully, half and slightly.
function disc(radius, stride) {
  const steps = { full: [0], half: [], slight: [] };
  const reach = Math.ceil(radius + 0.5);
  for (let down = -reach; down <= reach; down++) {
    for (let across = -reach; across <= reach; across++) {
      const share = covered(radius, across, down);
      const kind = share > 0.8 ? "full" : share > 0.4 ? "half" : share > 0.1 ? "slight" : null;
      if (kind && (down !== 0 || across !== 0)) steps[kind].push(down * stride + across);
    }
  }
  return Object.fromEntries(Object.entries(steps).map(([kind, list]) => [kind, Int32Array.from(list)]));
}

// The share of a pixel that is inside a disc around the centre of another pixel.
function covered(radius, across, down) {
  let inside = 0;
  for (let i = -2; i <= 2; i++) for (let j = -2; j <= 2; j++) if (Math.hypot(across + i / 5, down + j / 5) <= radius) inside += 1;
  return inside / 25;
}

export class Picture {
  constructor(canvas, points, camera) {
    this.canvas = canvas;
    this.points = points;
    this.camera = camera;
    this.context = canvas.getContext("2d", { alpha: false });
    this.names = new Map(); // text and font of labels, by point
    this.placed = []; // the visible labels: { i, left, top, width, height }
    this.ink = { paper: "#ffffff", ink: "#000000", accent: "#0072b2", faint: "#cccccc", fonts: "sans-serif" };
  }

  // Adapts to the size of the canvas in the page; returns whether it is visible.
  resize() {
    const width = this.canvas.clientWidth;
    const height = this.canvas.clientHeight;
    if (width < 2 || height < 2) return false;
    this.ratio = Math.min(window.devicePixelRatio || 1, Math.sqrt(MOST_PIXELS / (width * height)));
    const across = Math.round(width * this.ratio);
    const down = Math.round(height * this.ratio);
    this.camera.resize(width, height);
    if (this.image && across === this.canvas.width && down === this.canvas.height) return true;
    this.canvas.width = across;
    this.canvas.height = down;
    // larger than the canvas, so that discs at its border need no special treatment
    this.margin = Math.ceil(20 * this.ratio);
    this.image = new ImageData(across + 2 * this.margin, down + 2 * this.margin);
    this.discs = new Map();
    this.pixels = new Int32Array(this.image.data.buffer);
    return true;
  }

  // The radius of the points of each level, in pixels of the page: larger if there is space.
  radii() {
    const { width, height, at } = this.camera;
    const apart = Math.sqrt((width * height) / Math.max(1, this.points.n));
    const least = Math.max(0.75, Math.min(3.2, 0.24 * apart * Math.sqrt(at.z)));
    return Array.from({ length: this.points.levels }, (_, level) => least * (1 + 0.16 * level));
  }

  // what: { shade, palette, bright, mark, outline, quick }; bright marks the highlighted points, or is null.
  // If isSame, only the outline has changed. quick leaves out details that are not visible in motion.
  draw(what, isSame) {
    if (!isSame) this.drawPoints(what);
    this.context.setTransform(1, 0, 0, 1, 0, 0);
    this.context.putImageData(this.image, -this.margin, -this.margin);
    this.context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    if (!isSame) this.placeNames(what);
    this.drawNames(what);
    if (what.mark >= 0) this.drawMark(what.mark);
    if (what.outline) this.drawOutline(what.outline);
  }

  drawPoints({ shade, palette, bright, quick }) {
    this.isQuick = quick && this.points.n > MANY;
    this.pixels.fill(asPixel(this.ink.paper));
    const colours = Int32Array.from(palette, asPixel);
    const faint = new Int32Array(palette.length).fill(asPixel(this.ink.faint));
    this.stamp(shade, bright ? faint : colours, bright, 0);
    if (bright) this.stamp(shade, colours, bright, 1);
  }

  // Discs are computed once for each size.
  disc(radius) {
    const size = Math.round(10 * radius);
    if (!this.discs.has(size)) this.discs.set(size, disc(size / 10, this.image.width));
    return this.discs.get(size);
  }

  // Those with bright[i] === wanted, or all; level by level, the most frequent last.
  stamp(shade, colours, bright, wanted) {
    let begin = 0;
    this.radii().forEach((radius, level) => {
      const end = this.points.levelEnds[level];
      this.stampLevel(begin, end, this.disc(radius * this.ratio), shade, colours, bright, wanted);
      begin = end;
    });
  }

  // This takes most of the time of a frame: plain loops over 32-bit integers.
  stampLevel(begin, end, { full, half, slight }, shade, colours, bright, wanted) {
    const { points: { drawX, drawY, order }, camera, ratio, margin, pixels, image: { width: stride, height: rows } } = this;
    const scale = camera.scale * ratio;
    const left = camera.across(0) * ratio + margin + 0.5;
    const top = camera.down(0) * ratio + margin + 0.5;
    const keep = Math.ceil(margin / 2); // at least the radius of a disc
    const right = stride - keep;
    const bottom = rows - keep;
    const slighter = this.isQuick ? 0 : slight.length;
    for (let k = begin; k < end; k++) {
      const x = left + drawX[k] * scale;
      const y = top - drawY[k] * scale;
      if (x < keep || x >= right || y < keep || y >= bottom) continue;
      const i = order[k];
      if (bright !== null && bright[i] !== wanted) continue;
      const at = (Math.floor(y) * stride + Math.floor(x)) | 0;
      const colour = colours[shade[i]];
      for (let j = 0; j < full.length; j++) pixels[at + full[j]] = colour;
      for (let j = 0; j < half.length; j++) pixels[at + half[j]] = mean(pixels[at + half[j]], colour);
      for (let j = 0; j < slighter; j++) {
        const was = pixels[at + slight[j]];
        pixels[at + slight[j]] = mean(was, mean(was, colour));
      }
    }
  }

  nameOf(i) {
    let name = this.names.get(i);
    if (!name) {
      const text = shortened(this.points.words[i], LONGEST);
      const size = SIZES[this.points.level[i]];
      const font = `${size >= 14 ? 600 : 400} ${size}px ${this.ink.fonts}`;
      this.context.font = font;
      name = { text, font, size, width: this.context.measureText(text).width, direction: isRightToLeft(text) ? "rtl" : "ltr" };
      this.names.set(i, name);
    }
    return name;
  }

  // Chooses labels: the most frequent visible words, where they do not overlap.
  placeNames({ bright, mark }) {
    const { points, camera } = this;
    const { width, height, at } = camera;
    this.columns = Math.ceil(width / CELL) + 1;
    this.rows = Math.ceil(height / CELL) + 1;
    this.taken = new Uint8Array(this.columns * this.rows);
    this.placed = [];
    const radii = this.radii();
    const room = Math.max(3600, 9000 / Math.sqrt(Math.max(1, at.z))); // pixels for each label: fewer when zoomed in
    const most = Math.max(6, Math.round((width * height) / room));
    if (mark >= 0) this.place(mark, 13, true);
    const [left, right, low, high] = camera.seen;
    let tries = 0;
    // words first; punctuation only if there is space left
    for (const spelled of [1, 0]) {
      for (let i = 0; i < points.n && this.placed.length < most && tries < TRIES; i++) {
        const x = points.x[i];
        if (x < left || x > right || points.y[i] < low || points.y[i] > high) continue;
        if (points.spelled[i] !== spelled || i === mark || (bright !== null && bright[i] === 0)) continue;
        tries += 1;
        this.place(i, radii[points.level[i]] + 3.5, false);
      }
    }
  }

  // Puts a label to the right or to the left of its point, if there is space.
  place(i, gap, always) {
    const x = this.camera.across(this.points.x[i]);
    const y = this.camera.down(this.points.y[i]);
    const size = SIZES[this.points.level[i]];
    const height = size + 4;
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
  drawNames({ shade, palette, mark }) {
    const { context, points, camera, ink } = this;
    const radii = this.radii();
    context.textBaseline = "middle";
    context.textAlign = "left";
    context.lineJoin = "round";
    context.strokeStyle = ink.paper;
    for (const { i, left, top, height } of this.placed.toReversed()) {
      const name = this.nameOf(i);
      context.lineWidth = 1.5;
      context.fillStyle = palette[shade[i]];
      context.beginPath();
      context.arc(camera.across(points.x[i]), camera.down(points.y[i]), radii[points.level[i]] + 0.8, 0, 7);
      context.stroke();
      context.fill();
      context.font = i === mark ? name.font.replace(/^\d+/, "700") : name.font;
      context.direction = name.direction;
      context.lineWidth = 3.5;
      context.strokeText(name.text, left, top + height / 2);
      context.fillStyle = ink.ink;
      context.fillText(name.text, left, top + height / 2);
    }
  }

  // A ring around the word that was searched for.
  drawMark(i) {
    const { context, points, camera, ink } = this;
    for (const [colour, wide] of [[ink.paper, 5], [ink.ink, 2.2]]) {
      context.strokeStyle = colour;
      context.lineWidth = wide;
      context.beginPath();
      context.arc(camera.across(points.x[i]), camera.down(points.y[i]), RING, 0, 7);
      context.stroke();
    }
  }

  // An outline, in coordinates of the map.
  drawOutline(outline) {
    const { context, camera, ink } = this;
    context.beginPath();
    for (const [x, y] of outline) context.lineTo(camera.across(x), camera.down(y));
    context.closePath();
    context.globalAlpha = 0.08;
    context.fillStyle = ink.accent;
    context.fill();
    context.globalAlpha = 1;
    context.strokeStyle = ink.accent;
    context.lineWidth = 1.5;
    context.setLineDash([5, 4]);
    context.stroke();
    context.setLineDash([]);
  }

  // The word at a position on the screen, by its label or its point; -1 if there is none. Inside the ring it is the
  // marked word.
  wordAt(x, y, reach, mark) {
    if (mark >= 0 && Math.hypot(x - this.camera.across(this.points.x[mark]), y - this.camera.down(this.points.y[mark])) <= RING) return mark;
    const name = this.placed.find((box) => x >= box.left && x <= box.left + box.width && y >= box.top && y <= box.top + box.height);
    if (name) return name.i;
    const { camera, points } = this;
    return points.nearest(camera.mapX(x), camera.mapY(y), reach / camera.scale, this.radii().map((r) => r / camera.scale));
  }
}
