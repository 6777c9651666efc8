// The possible phrases of a sentence as a triangular chart: each above the middle of its words, longer ones higher.

import { h, percent, refill, shortened, widthOf, wordText } from "./dom.js";

const WIDEST = 860; // pixels
const COLUMNS = [38, 30, 24, 22]; // widths of cells if words are tilted
const TEXT = 13;
const SCALE = [0.01, 0.1, 0.5, 1];

// look(span) is called with the phrase under the pointer or with the focus, or with null.
export function spanChart(look) {
  const told = h("p", { class: "heat-told parse-told", role: "status" });
  const scroll = h("div", { class: "parse-scroll" });
  let cells = []; // { start, end, p, labels, made }
  let words = [];
  let at = null;
  let mirrored = false;

  function draw(answer, rightToLeft) {
    mirrored = rightToLeft;
    words = answer.words;
    cells = spansOf(answer.phrases);
    at = null;
    const shape = shapeFor(words);
    for (const cell of cells) cell.made = cellMark(cell, shape, mirrored, describe(cell));
    const rows = [...Map.groupBy(cells, (cell) => cell.end - cell.start).values()];
    scroll.replaceChildren(h("div", {
      class: `spans${shape.tilted ? " tilted" : ""}`, role: "grid", "aria-label": "Phrases of the sentence and their probabilities",
      vars: { width: `${shape.width}px`, height: `${shape.height}px` },
    }, h("div", { class: "spans-back", role: "presentation", vars: { left: `${shape.left}px`, width: `${shape.column * words.length}px`, height: `${shape.row * words.length}px` } }),
    rows.map((row) => h("div", { class: "spans-row", role: "row" }, row.map((cell) => cell.made))),
    h("div", { "aria-hidden": "true" }, words.map((word, i) => wordMark(word, i, shape, mirrored)))));
    if (cells.length) cells[0].made.tabIndex = 0;
    if (mirrored) scroll.scrollLeft = scroll.scrollWidth;
    tell(null);
  }

  const textOf = (cell) => words.slice(cell.start, cell.end).map((one) => shortened(one.word, 24)).join(" ");
  const describe = (cell) => `${textOf(cell)}: ${cell.labels.map(({ label, p }) => `${shortened(label, 20)} ${percent(p)}`).join(", ")}`;

  function tell(cell) {
    if (!cell) refill(told, cells.length ? "Point at a cell, or use the arrow keys." : "There is nothing to show.");
    else refill(told, cell.labels.map(({ label, p }, i) => [i ? ", " : "", h("b", {}, wordText(label, 20)), ` ${percent(p)}`]), ": ", h("bdi", {}, textOf(cell)));
    [...scroll.querySelectorAll(".spans-word")].forEach((made, i) => made.classList.toggle("within", Boolean(cell) && cell.start <= i && i < cell.end));
    look(cell);
  }

  // The next cell in a direction: in the same row, or the nearest one in the next row that is not empty.
  function next(cell, key) {
    const size = cell.end - cell.start;
    const sideways = { ArrowLeft: -1, ArrowRight: 1 }[key];
    if (sideways) {
      const step = mirrored ? -sideways : sideways;
      return nearest(cells.filter((one) => one.end - one.start === size && step * (one.start - cell.start) > 0), (one) => step * one.start);
    }
    const step = { ArrowUp: 1, ArrowDown: -1 }[key];
    const far = (one) => step * (one.end - one.start - size);
    return nearest(cells.filter((one) => far(one) > 0), (one) => 1000 * far(one) + Math.abs(one.start + one.end - cell.start - cell.end));
  }

  const cellOf = (event) => cells.find((cell) => cell.made === event.target.closest?.(".span-cell")) ?? null;
  const go = (cell) => {
    for (const one of cells) one.made.tabIndex = -1;
    cell.made.tabIndex = 0;
    at = cell;
    tell(cell);
  };
  scroll.addEventListener("pointerover", (event) => { if (event.pointerType === "mouse") tell(cellOf(event) ?? at); });
  scroll.addEventListener("pointerleave", () => tell(at));
  scroll.addEventListener("click", (event) => { const cell = cellOf(event); if (cell) cell.made.focus(); });
  scroll.addEventListener("focusin", (event) => { const cell = cellOf(event); if (cell) go(cell); });
  scroll.addEventListener("focusout", () => { at = null; tell(null); });
  scroll.addEventListener("keydown", (event) => {
    const cell = cellOf(event);
    if (!cell || event.altKey || event.ctrlKey || event.metaKey || !/^(Arrow.*|Home)$/.test(event.key)) return;
    event.preventDefault();
    (event.key === "Home" ? cells[0] : next(cell, event.key))?.made.focus();
  });
  return {
    element: h("div", {}, told, scroll, legend()), draw,
    // Frames the phrases of a tree; mark highlights one of them, or none.
    frame(nodes) {
      for (const cell of cells) cell.made.classList.toggle("in-tree", nodes.some((node) => node.start === cell.start && node.end === cell.end));
    },
    mark(node) {
      for (const cell of cells) cell.made.classList.toggle("marked", node !== null && node.start === cell.start && node.end === cell.end);
    },
  };
}

function nearest(list, far) {
  return list.reduce((best, one) => (best === null || far(one) < far(best) ? one : best), null);
}

// The phrases grouped by their words, the longest first.
function spansOf(phrases) {
  const found = [...Map.groupBy(phrases, (phrase) => `${phrase.start} ${phrase.end}`).values()].map((same) => {
    const labels = same.toSorted((a, b) => b.p - a.p);
    return { start: same[0].start, end: same[0].end, p: labels[0].p, labels };
  });
  return found.sort((a, b) => (b.end - b.start) - (a.end - a.start) || a.start - b.start);
}

// The size of cells: as wide as the words if there are few, smaller if there are many.
function shapeFor(words) {
  const family = getComputedStyle(document.body).fontFamily;
  const n = words.length;
  const widest = Math.max(0, ...words.map(({ word }) => widthOf(shortened(word, 24), `${TEXT}px ${family}`)));
  const room = Math.min(WIDEST, innerWidth - 62);
  const whole = Math.max(46, Math.ceil(widest + 12));
  const straight = n * whole <= room;
  const reach = Math.ceil(0.71 * widest) + 4; // how far a tilted word reaches to the left and down
  const column = straight ? whole : COLUMNS.find((size) => reach + n * size <= room) ?? (n <= 24 ? COLUMNS.at(-1) : 24);
  const row = n <= 14 ? 28 : n <= 24 ? 23 : 15;
  const left = straight ? 0 : Math.max(0, reach - column / 2);
  return { n, column, row, left, width: left + n * column + (straight ? 0 : 8), height: n * row + (straight ? 26 : reach + 18), tilted: !straight, family };
}

function strength(p) {
  return Math.round(100 * Math.sqrt(p)); // the square root makes small probabilities visible
}

function shade(p) {
  const much = strength(p);
  return much > 89 ? " strong" : much > 58 ? " middle" : "";
}

function cellMark(cell, shape, mirrored, told) {
  const middle = (cell.start + cell.end) / 2;
  const left = shape.left + ((mirrored ? shape.n - middle : middle) - 0.5) * shape.column;
  const label = shortened(cell.labels[0].label, 20);
  const fits = shape.row >= 20 && widthOf(label, `600 11px ${shape.family}`) <= shape.column - 4;
  return h("div", {
    class: `span-cell${shade(cell.p)}`, role: "gridcell", tabindex: -1, "aria-label": told,
    vars: { left: `${left}px`, top: `${(shape.n - (cell.end - cell.start)) * shape.row}px`, width: `${shape.column}px`, height: `${shape.row}px`, "--much": `${strength(cell.p)}%` },
  }, fits ? label : null);
}

function wordMark({ word, known }, i, shape, mirrored) {
  const middle = shape.left + ((mirrored ? shape.n - i - 1 : i) + 0.5) * shape.column;
  const place = shape.tilted ? { right: `${shape.width - middle - 4}px` } : { left: `${middle - shape.column / 2}px`, width: `${shape.column}px` };
  return h("bdi", { class: `spans-word${known ? "" : " unseen"}`, vars: { ...place, top: `${shape.n * shape.row + 5}px` } }, shortened(word, 24));
}

function legend() {
  return h("p", { class: "spans-legend soft" },
    SCALE.map((p) => h("span", {}, h("span", { class: "spans-swatch", vars: { "--much": `${strength(p)}%` } }), percent(p, 0))),
    h("span", {}, h("span", { class: "spans-swatch in-tree", vars: { "--much": "0%" } }), "in the tree above"));
}
