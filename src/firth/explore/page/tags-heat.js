// The transition probabilities as a heat map.

import { h, address, wordText, percent, refill } from "./dom.js";
import { takeAway } from "./table.js";
import { tagMark, tagText } from "./tags-marks.js";

const FEW = 20; // up to this number of tags, cells are wide
const LONG = 3; // longer names of columns are rotated
const TAKEN = [{ key: "before" }, { key: "after" }, { key: "probability" }];
const MOVES = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

export function heatPanel({ tags, follow }) {
  const begin = { label: "begin", tag: null, typical: [], steps: tags.map((tag) => tag.first) };
  const rows = [begin, ...tags.map((tag, i) => ({ ...tag, steps: follow[i] }))];
  const told = h("p", { class: "heat-told", role: "status" }, "Point at a cell, or use the arrow keys.");
  const cells = rows.map((row) => row.steps.map((share) => cell(share)));
  const tell = (i, j) => refill(told,
    h("b", {}, percent(rows[i].steps[j])), " ", rows[i].tag === null ? "of sentences begin with " : ["of the tags after ", h("b", {}, tagText(rows[i])), " are "],
    h("b", {}, tagText(tags[j])), `; in the whole text, ${percent(tags[j].share)}.`);
  return h("section", { class: "panel heat" },
    h("div", { class: "panel-head" }, h("h2", {}, "Transition probabilities"), h("span", { class: "soft" }, "in percent: the probability of the column's tag after the row's tag"),
      takeAway("transition probabilities", TAKEN, () => rows.flatMap((row) => row.steps.map((probability, j) => ({ before: row.label, after: tags[j].label, probability }))))),
    told, h("div", { class: "heat-scroll" }, grid(rows, tags, cells, tell)));
}

function cell(share) {
  // the square root makes small probabilities visible
  const much = Math.round(100 * Math.sqrt(share));
  return h("td", { class: much > 89 ? "strong" : much > 58 ? "middle" : undefined, tabindex: -1, vars: { "--much": `${much}%` } }, Math.round(100 * share));
}

// One cell can be reached with Tab, the others with the arrow keys.
function grid(rows, tags, cells, tell) {
  const long = tags.some((tag) => Array.from(tag.label).length > LONG);
  const placeOf = (node) => {
    const found = node.closest?.("td");
    const i = found ? cells.findIndex((row) => row.includes(found)) : -1;
    return i < 0 ? null : [i, cells[i].indexOf(found)];
  };
  let at = [0, 0];
  const go = (i, j) => {
    cells[at[0]][at[1]].tabIndex = -1;
    at = [i, j];
    cells[i][j].tabIndex = 0;
  };
  go(0, 0);
  const seen = (event) => { const place = placeOf(event.target); if (place) tell(...place); };
  return h("table", {
    class: `heat-table${tags.length <= FEW ? " roomy" : ""}`, role: "grid", "aria-label": "Transition probabilities, in percent", onpointerover: seen, onclick: seen,
    onfocusin: (event) => { const place = placeOf(event.target); if (place) { go(...place); tell(...place); } },
    onkeydown: (event) => {
      const place = placeOf(event.target);
      const move = MOVES[event.key];
      const to = !place ? null : move ? [place[0] + move[0], place[1] + move[1]] : event.key === "Home" ? [place[0], 0] : event.key === "End" ? [place[0], tags.length - 1] : null;
      if (!to) return;
      event.preventDefault();
      cells[to[0]]?.[to[1]]?.focus();
    },
  },
  h("thead", {}, h("tr", {}, h("td", {}), tags.map((tag) => h("th", { scope: "col", class: long ? "upright" : undefined, title: tagText(tag) }, wordText(tag.label, 16))))),
  h("tbody", {}, rows.map((row, i) => h("tr", {}, h("th", { scope: "row" },
    row.tag === null ? h("span", { class: "soft" }, row.label) : [h("a", { class: "taglink", href: address("tag", row.tag) }, tagMark(row.tag), wordText(row.label, 16)),
      row.typical.length ? h("span", { class: "soft" }, " ", wordText(row.typical[0].word, 12)) : null]), cells[i]))));
}
