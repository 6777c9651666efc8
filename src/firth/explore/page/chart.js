// A line chart.

import { svg, rounded } from "./dom.js";

const WIDE = [640, 300];
const NARROW = [360, 240]; // on a phone, so that the text of the axes is not scaled down
const LEFT = 56;
const BOTTOM = 42;
const TOP = 12;
const RIGHT = 16;

function ticksOf(low, high, log, most) {
  if (!log) return [0, 0.25, 0.5, 0.75, 1].map((share) => low + share * (high - low));
  const ticks = [];
  for (let e = Math.floor(Math.log10(low)); e <= Math.ceil(Math.log10(high)); e++) {
    for (const k of [1, 2, 5]) if (k * 10 ** e >= low * 0.999 && k * 10 ** e <= high * 1.001) ticks.push(k * 10 ** e);
  }
  return ticks.length > most ? ticks.filter((t) => /^10*(\.0+)?$|^0\.0*1$/.test(String(Number(t.toPrecision(3))))) : ticks;
}

// points: [[x, y]]; the x axis is logarithmic, and the y axis if logY is true.
export function curve(points, { title, x, y, logY = false, show = rounded }) {
  const [width, height] = innerWidth < 600 ? NARROW : WIDE;
  const xs = points.map((p) => p[0]);
  const ys = points.map((p) => p[1]);
  const [lowX, highX] = [Math.min(...xs), Math.max(...xs) * 1.0001];
  const [lowY, highY] = [logY ? Math.min(...ys) : Math.min(0, ...ys), Math.max(...ys) || 1];
  const along = (v, low, high, log) => (log ? Math.log(v / low) / Math.log(high / low || 2) : (v - low) / (high - low || 1));
  const px = (v) => LEFT + (width - LEFT - RIGHT) * along(v, lowX, highX, true);
  const py = (v) => height - BOTTOM - (height - BOTTOM - TOP) * along(v, lowY, highY, logY);
  return svg("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": title },
    ticksOf(lowX, highX, true, width / 64).map((t) => [
      svg("line", { class: "axis", x1: px(t), x2: px(t), y1: TOP, y2: height - BOTTOM }),
      svg("text", { x: px(t), y: height - BOTTOM + 16, "text-anchor": "middle" }, compact(t))]),
    ticksOf(lowY, highY, logY, 9).map((t) => [
      svg("line", { class: "axis", x1: LEFT, x2: width - RIGHT, y1: py(t), y2: py(t) }),
      svg("text", { x: LEFT - 6, y: py(t) + 4, "text-anchor": "end" }, show(t))]),
    svg("text", { x: (LEFT + width) / 2, y: height - 6, "text-anchor": "middle" }, x),
    svg("text", { x: 12, y: height / 2, "text-anchor": "middle", transform: `rotate(-90 12 ${height / 2})` }, y),
    svg("polyline", { class: "curve", points: points.map((p) => `${px(p[0]).toFixed(1)},${py(p[1]).toFixed(1)}`).join(" ") }),
    points.length <= 40 ? points.map((p) => svg("circle", { class: "dot", cx: px(p[0]), cy: py(p[1]), r: 3.5 }, svg("title", {}, `${rounded(p[0], 6)}: ${show(p[1])}`))) : null);
}

function compact(n) {
  return n >= 1e6 ? `${rounded(n / 1e6)} M` : n >= 1e4 ? `${rounded(n / 1e3)} k` : rounded(n);
}
