// The contexts of a word: the measure of association they are ordered by, and the documents they are counted in.

import { h } from "./dom.js";
import { panel } from "./table.js";
import { addressWith, whereField } from "./find.js";

// The name of each measure, what it tells, and its decimals; where none are given, three digits are shown.
export const MEASURES = {
  pmi: ["PMI", undefined, 1], // its hint is that of all tables
  npmi: ["NPMI", "Mutual information as a share of what it could be: 1 if the two occur only together", 2],
  mi3: ["MI3", "Mutual information with the third power of the count, so that rare words do not come first", 1],
  logdice: ["logDice", "14 if the two occur only together, one less if half as often; does not depend on the size of the text", 1],
  dice: ["Dice", "How much of the occurrences of either are shared: 1 if the two occur only together", 3],
  t: ["t-score", "How sure it is that the two occur together more often than by chance; prefers frequent words", 1],
  z: ["z-score", "The distance from chance, in standard deviations; prefers rare words", 1],
  g2: ["G2", "The log-likelihood ratio: evidence that the two occur together more often than by chance"],
  chi2: ["chi-squared", "Pearson's test of whether the two occur together by chance"],
  fisher: ["Fisher", "Minus the decimal logarithm of the p-value of Fisher's exact test", 1],
};
const TITLES = { before: "Before it", after: "After it", near: "Near it" };
let kept = "pmi"; // the measure that was chosen last, for the next words

// What an address asks for. The measure that was chosen last is written to an address that has none.
export function contextsAsked(word, query) {
  const where = query.get("where") ?? "";
  if (!query.has("measure") && kept !== "pmi") history.replaceState(history.state, "", contextsAddress(word, { measure: kept, where }));
  return { measure: query.get("measure") ?? kept, where };
}

function contextsAddress(word, { measure, where }) {
  return addressWith(["word", word], { measure: measure === "pmi" ? "" : measure, where });
}

// A panel for each side.
export function contextPanels(facts, { measure }) {
  const [title, hint, digits] = MEASURES[measure];
  const columns = [{ key: "word", title: "word", kind: "word" }, { key: "count", title: "count", kind: "count" }, { key: measure, title, hint, digits, bar: true }];
  return Object.entries(facts.sides).map(([side, rows]) => panel(TITLES[side], `${side} ${facts.word}`, columns, rows.map((row) => ({ ...row, [measure]: row.score })),
    "No word occurs there more often than expected by chance."));
}

// The form above them. A measure is a setting, which Back does not undo; a condition leads to another address.
export function contextsForm(word, asked, columns) {
  const order = h("select", { "aria-label": "Measure of its contexts", onchange: () => { kept = order.value; location.replace(contextsAddress(word, { ...asked, measure: kept })); } },
    Object.entries(MEASURES).map(([name, [title, hint]]) => h("option", { value: name, selected: name === asked.measure, title: hint }, title)));
  const where = columns.length ? whereField(columns, asked.where) : null;
  const go = (event) => { event.preventDefault(); location.hash = contextsAddress(word, { ...asked, where: where.input.value.trim() }); };
  return h("div", { class: "contexts" }, h("label", { class: "soft" }, "Contexts by ", order),
    where ? h("details", { open: asked.where !== "" }, h("summary", {}, "In some documents only"),
      h("form", { class: "finding", onsubmit: go }, where.element, h("div", {}, h("button", { class: "button" }, "Show")))) : null);
}
