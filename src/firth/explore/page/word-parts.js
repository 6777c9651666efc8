// The parts of a word in its view: a line under its heading, words with the same stem or ending, a form to correct them.

import { h, address, wordLink, number, wordFlow } from "./dom.js";
import { isExported } from "./ask.js";
import { takeAway } from "./table.js";
import { naming } from "./naming.js";
import { endingText, partsLine } from "./morphs-marks.js";

const PARTS = { key: "parts", label: "Parts", saved: "The parts were saved.", removed: "The correction was removed.", remove: "Leave it empty to remove the correction.", most: 2000 };

// The line under the heading, and the form if the model can be changed.
export function wordParts(facts, model) {
  const split = facts.parts.map((part) => part.text).join(" ");
  return h("div", { class: "word-parts" },
    h("p", {}, partsLine(facts)),
    model.edit ? naming("parts/correction", { word: facts.word }, { name: split, usual: facts.word }, model, { ...PARTS, remove: facts.corrected ? PARTS.remove : null }) : null);
}

// Panels of words with the same stem and with the same ending, if there are others.
export function alike(facts) {
  const stem = ["With the stem ", isExported() ? h("bdi", {}, facts.stem) : h("a", { href: address("morph", "stem", facts.stem) }, h("bdi", {}, facts.stem))];
  const ending = ["With the ending ", h("bdi", {}, endingText(facts.ending))];
  return [words(stem, `stem ${facts.stem}`, facts, "stem"), words(ending, `ending ${endingText(facts.ending)}`, facts, "ending")].filter(Boolean);
}

function words(title, name, facts, same) {
  const rows = facts[`same_${same}`].filter((row) => row.word !== facts.word);
  if (!rows.length) return null;
  const rest = facts[`n_same_${same}`] - facts[`same_${same}`].length;
  const taken = rows.map((row) => ({ word: row.word, parts: row.parts.map((part) => part.text).join(" ") }));
  return h("section", { class: "panel" },
    h("div", { class: "panel-head" }, h("h2", {}, title), takeAway(name, [{ key: "word" }, { key: "parts" }], taken)),
    wordFlow(rows.map((row) => row.word), rows.map((row) => [h("span", { class: "one", title: taken.find((one) => one.word === row.word).parts }, wordLink(row.word, 30)), " "]),
      rest > 0 ? h("span", { class: "soft" }, `and ${number(rest)} more`) : null));
}
