// Soft colours behind the points: where points of a colour are dense, the paper takes on some of it.

import { parts } from "./map-colours.js";

const CELLS = 220; // along the wider side of the map
const EDGE = 0.075; // of the map, on each side: as far as the average reaches, or its end would be seen
const ROUNDS = 3; // of a moving average, which together are nearly Gaussian
const WIDE = 4; // cells
const FEWEST = 0.012; // points in a cell that count as usual, or each of a few points would be a block of full colour
const STRENGTH = { light: 0.34, dark: 0.42 };

function average(values, across, down) {
  const sum = new Float32Array(values.length);
  for (const [step, length, other, skip] of [[1, across, down, across], [across, down, across, 1]]) {
    for (let line = 0; line < other; line++) {
      let total = 0;
      for (let i = -WIDE; i < length; i++) {
        if (i + WIDE < length) total += values[line * skip + (i + WIDE) * step];
        if (i - WIDE - 1 >= 0) total -= values[line * skip + (i - WIDE - 1) * step];
        if (i >= 0) sum[line * skip + i * step] = total / (2 * WIDE + 1);
      }
    }
    values.set(sum);
  }
}

// A small canvas, and where it belongs on the map: { canvas, left, right, low, high }.
export function glow(points, { shade, palette }, bright, dark) {
  const { left, right, low, high } = points.box;
  const size = Math.max(right - left, high - low) || 1;
  const margin = EDGE * size;
  const cell = (size + 2 * margin) / CELLS;
  const across = Math.ceil((right - left + 2 * margin) / cell);
  const down = Math.ceil((high - low + 2 * margin) / cell);
  const colours = palette.map(parts);
  const sums = Array.from({ length: 4 }, () => new Float32Array(across * down)); // red, green, blue, number of points
  for (let i = 0; i < points.n; i++) {
    if (bright !== null && bright[i] === 0) continue;
    const at = Math.min(down - 1, Math.floor((high + margin - points.y[i]) / cell)) * across + Math.min(across - 1, Math.floor((points.x[i] - left + margin) / cell));
    for (let c = 0; c < 3; c++) sums[c][at] += colours[shade[i]][c];
    sums[3][at] += 1;
  }
  for (let round = 0; round < ROUNDS; round++) for (const values of sums) average(values, across, down);
  const image = new ImageData(across, down);
  const usual = Math.max(FEWEST, points.n / (across * down)); // points in a cell
  for (let k = 0; k < across * down; k++) {
    const n = sums[3][k];
    if (n < 1e-4) continue;
    for (let c = 0; c < 3; c++) image.data[4 * k + c] = Math.max(0, Math.min(255, sums[c][k] / n));
    image.data[4 * k + 3] = 255 * STRENGTH[dark ? "dark" : "light"] * (1 - Math.exp(-n / (1.5 * usual)));
  }
  const canvas = new OffscreenCanvas(across, down);
  canvas.getContext("2d").putImageData(image, 0, 0);
  return { canvas, left: left - margin, right: left - margin + across * cell, high: high + margin, low: high + margin - down * cell };
}
