// The view of a prefix, a stem or a suffix: its words, and the parts before and after it.

import { h, address, wordLink, number, shortened, refill } from "./dom.js";
import { ask, isExported, Problem } from "./ask.js";
import { panel, table, takeAway } from "./table.js";
import { partLink, partText, partsLine } from "./morphs-marks.js";

const FIRST = 100;
const ALL = 1000;
const KINDS = ["prefix", "stem", "suffix"];
const WORDS = [
  { key: "word", title: "word", show: (row) => wordLink(row.word, 40) },
  { key: "parts", title: "parts", show: partsLine },
];
const BESIDE = [
  { key: "text", title: "part", show: partLink },
  { key: "n_words", title: "words", kind: "count", bar: true },
];

export const morphView = {
  names: ["morph"], title: "Morph", under: "morphs", part: "morphs",
  async show(place, route, { signal }) {
    const [kind, text] = route.parts;
    if (!KINDS.includes(kind) || !text) throw new Problem("There is no such part.", "Choose one from the list of affixes.", 404);
    const facts = await ask("morph", { part: `${kind}:${text}`, n: FIRST }, signal);
    const name = partText(facts);
    place.dataset.title = shortened(name, 40);
    const words = h("section", { class: "panel" });
    fill(words, facts, signal);
    place.append(
      h("nav", { class: "crumbs", "aria-label": "Path" }, h("a", { href: address("morphs") }, "all morphs"), h("span", { class: "sep" }, "›"), h("span", {}, facts.kind)),
      h("div", { class: "head" }, h("h1", {}, h("bdi", {}, shortened(name, 60))),
        h("p", { class: "facts" }, h("span", {}, facts.kind), h("span", {}, "in ", h("b", {}, number(facts.n_words)), facts.n_words === 1 ? " word" : " words"))),
      h("div", { class: "grid morph-main" }, words, h("div", { class: "stack" },
        facts.kind === "prefix" && !facts.before.length ? null : panel("Before it", `before ${name}`, BESIDE, facts.before, "nothing"),
        facts.kind === "suffix" && !facts.after.length ? null : panel("After it", `after ${name}`, BESIDE, facts.after, "nothing"))));
  },
};

function fill(section, facts, signal) {
  const taken = facts.words.map((row) => ({ word: row.word, parts: row.parts.map((part) => part.text).join(" ") }));
  refill(section,
    h("div", { class: "panel-head" }, h("h2", {}, "Its words, most frequent first"), takeAway(`words with ${partText(facts)}`, [{ key: "word" }, { key: "parts" }], taken)),
    h("div", { class: "morphs-table" }, table(WORDS, facts.words)),
    facts.words.length < facts.n_words ? more(section, facts, signal) : null);
}

function more(section, facts, signal) {
  const said = h("span", { class: "soft", role: "status" }, `${number(facts.words.length)} of ${number(facts.n_words)} words`);
  if (isExported() || facts.words.length >= ALL) return h("p", {}, said);
  const load = async () => {
    try {
      fill(section, await ask("morph", { part: `${facts.kind}:${facts.text}`, n: ALL }, signal), signal);
    } catch (error) {
      if (!signal.aborted) said.textContent = error.message;
    }
  };
  return h("p", { class: "buttons" }, said,
    h("button", { type: "button", class: "button", onclick: load }, facts.n_words > ALL ? `Show ${number(ALL)}` : "Show all"));
}
