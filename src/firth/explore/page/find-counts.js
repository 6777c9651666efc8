// How often a query matches in the documents with each value of a column: a table, and bars or a curve.

import { h, number, rounded } from "./dom.js";
import { ask } from "./ask.js";
import { takeAway } from "./table.js";

const MOST_BARS = 60;
const COLUMNS = ["value", "count", "tokens", "per_million"].map((key) => ({ key }));

export async function countsBy(section, { query, where, by }, signal) {
  try {
    const rows = await ask("find/by", { q: query, where, column: by }, signal);
    section.replaceChildren(h("div", { class: "panel-head" }, h("h2", {}, `By ${by}`), h("span", { class: "soft" }, "per million words"), takeAway(`${query} by ${by}`, COLUMNS, rows)), bars(rows));
  } catch (error) {
    if (signal.aborted) return;
    section.hidden = true; // the lines tell what is wrong
  }
  section.removeAttribute("aria-busy");
}

function bars(rows) {
  const highest = Math.max(1e-9, ...rows.map((row) => row.per_million));
  const some = rows.slice(0, MOST_BARS);
  return h("div", { class: "bars" }, h("table", { class: "rows" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "value"), h("th", { scope: "col" }, "per million"), h("th", { scope: "col", class: "figure" }, "matches"))),
    h("tbody", {}, some.map((row) => h("tr", {},
      h("th", { scope: "row" }, h("bdi", {}, row.value === null ? "unknown" : String(row.value))),
      h("td", { class: "long-bar" }, h("span", { class: "bar-fill", vars: { "--share": `${(100 * row.per_million) / highest}%` } }), h("span", {}, rounded(row.per_million))),
      h("td", { class: "figure" }, number(row.count)))))),
  rows.length > MOST_BARS ? h("p", { class: "soft" }, `The first ${MOST_BARS} of ${number(rows.length)} values.`) : null);
}
