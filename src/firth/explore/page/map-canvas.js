// Draws the map: soft colours, points as pixels, since there may be a hundred thousand, lines to neighbours, and labels.

import { parts } from "./map-colours.js";
import { Names } from "./map-names.js";

const MOST_PIXELS = 5e6;
const MANY = 40000; // from this number of points on, frames in motion are drawn more simply
const RING = 8; // radius of the ring around the word that was searched for, in pixels

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
    this.names = new Names(this.context, points, camera);
    this.glow = null; // soft colours behind the points
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
    this.layer = new OffscreenCanvas(this.image.width, this.image.height).getContext("2d");
    return true;
  }

  // The radius of the points of each level, in pixels of the page: larger if there is space.
  radii() {
    const { width, height, at } = this.camera;
    const apart = Math.sqrt((width * height) / Math.max(1, this.points.n));
    const least = Math.max(0.75, Math.min(3.2, 0.24 * apart * Math.sqrt(at.z)));
    return Array.from({ length: this.points.levels }, (_, level) => least * (1 + 0.16 * level));
  }

  // what: { shade, palette, bright, mark, near, outline, quick }; bright marks the highlighted points, or is null; near are
  // the neighbours of the marked point. If isSame, only the outline has changed. quick leaves out details that are not
  // visible in motion.
  draw(what, isSame) {
    const { context } = this;
    if (!isSame) {
      this.drawPoints(what);
      this.layer.putImageData(this.image, 0, 0);
    }
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.fillStyle = this.ink.paper;
    context.fillRect(0, 0, this.canvas.width, this.canvas.height);
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    this.drawGlow();
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.drawImage(this.layer.canvas, -this.margin, -this.margin);
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    if (what.mark >= 0) this.drawLines(what);
    this.names.ink = this.ink;
    if (!isSame) this.names.place(what, this.radii());
    this.names.draw(what, this.radii());
    if (what.mark >= 0) this.drawMark(what.mark);
    if (what.outline) this.drawOutline(what.outline);
  }

  drawGlow() {
    if (!this.glow) return;
    const { context, camera, glow } = this;
    const [left, top] = [Math.round(camera.across(glow.left)), Math.round(camera.down(glow.high))];
    context.imageSmoothingQuality = "high";
    context.globalAlpha = Math.round(20 * Math.max(0.15, Math.min(1, 1.6 / Math.sqrt(camera.at.z)))) / 20; // further in, the points tell more
    context.drawImage(glow.canvas, left, top, Math.round(camera.across(glow.right)) - left, Math.round(camera.down(glow.low)) - top);
    context.globalAlpha = 1;
  }

  // Lines from the marked word to its neighbours; the nearer, the stronger.
  drawLines({ mark, near }) {
    const { context, points, camera, ink } = this;
    const [x, y] = [camera.across(points.x[mark]), camera.down(points.y[mark])];
    near.forEach((i, rank) => {
      context.globalAlpha = 0.85 - (0.5 * rank) / Math.max(1, near.length);
      context.strokeStyle = ink.accent;
      context.lineWidth = 1.6;
      context.beginPath();
      context.moveTo(x, y);
      context.lineTo(camera.across(points.x[i]), camera.down(points.y[i]));
      context.stroke();
    });
    context.globalAlpha = 1;
  }

  drawPoints({ shade, palette, bright, quick }) {
    this.isQuick = quick && this.points.n > MANY;
    this.pixels.fill(asPixel(this.ink.paper) & 0xffffff); // transparent, but edges of discs mix with the paper
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
    const named = this.names.at(x, y);
    if (named >= 0) return named;
    const { camera, points } = this;
    return points.nearest(camera.mapX(x), camera.mapY(y), reach / camera.scale, this.radii().map((r) => r / camera.scale));
  }
}
