// The morphology of the language: affixes and paradigms as in the tables of a grammar; corrections.

import { h, address, wordLink, wordText, number, percent, plural, directionOf, refill } from "./dom.js";
import { ask, isExported, Problem } from "./ask.js";
import { table, takeAway } from "./table.js";
import { endingText, partLink, partsLine } from "./morphs-marks.js";

const ALL = 1000;
const FIRST = { affixes: 15, paradigms: 12 };
const AFFIXES = [
  { key: "text", title: "affix", show: partLink },
  { key: "n_words", title: "words", kind: "count", bar: true },
  { key: "examples", title: "such as", show: (row) => row.examples.flatMap((word) => [h("span", { class: "one" }, wordLink(word, 20)), " "]) },
];
const CORRECTED = [
  { key: "word", title: "word", show: (row) => wordLink(row.word, 30) },
  { key: "parts", title: "parts", show: partsLine },
];

export const morphsView = {
  names: ["morphs"], title: "Morphs", does: "stems, endings and paradigms", part: "morphs",
  async show(place, route, { model, signal }) {
    if (route.parts.length) return showParadigm(place, route.parts[0], signal);
    place.dataset.title = "Morphs";
    const facts = await ask("morphs", {}, signal);
    refill(place, heading(facts), h("div", { class: "grid morphs-affixes" },
      affixes("Suffixes", facts.suffixes, facts.n_suffixes), affixes("Prefixes", facts.prefixes, facts.n_prefixes)),
    paradigms(facts), facts.n_corrections || model.edit ? corrections(facts, model) : null);
    return undefined;
  },
};

function heading(facts) {
  const fact = (value, what) => h("span", {}, h("b", {}, value), " ", what);
  return h("div", { class: "head" }, h("h1", {}, "Words and their parts"),
    h("p", { class: "facts" }, fact(number(facts.n_words), facts.n_words === 1 ? "word" : "words"),
      fact(percent(facts.n_split / Math.max(1, facts.n_words), 0), "with several parts"),
      facts.n_corrections ? fact(number(facts.n_corrections), facts.n_corrections === 1 ? "correction" : "corrections") : null));
}

// The first of some rows, and a button that shows all of them; make(rows) makes the element.
function opening(rows, first, make) {
  const place = h("div", {});
  const fill = (n) => refill(place, make(rows.slice(0, n)),
    n < rows.length ? h("p", { class: "buttons" }, h("button", { type: "button", class: "button", onclick: () => { fill(rows.length); place.querySelector("a")?.focus(); } }, `Show ${number(rows.length)}`)) : null);
  fill(first);
  return place;
}

function affixes(title, rows, total) {
  const taken = rows.map((row) => ({ ...row, examples: row.examples.join(" ") }));
  return h("section", { class: "panel" },
    h("div", { class: "panel-head" }, h("h2", {}, title), h("span", { class: "soft" }, number(total)),
      rows.length ? takeAway(title, ["text", "n_words", "examples"].map((key) => ({ key })), taken) : null),
    rows.length ? opening(rows, FIRST.affixes, (some) => h("div", { class: "morphs-table" }, table(AFFIXES, some))) : h("p", { class: "soft" }, "none"));
}

// A row for each stem and a column for each ending, as in a grammar; read from the right where the script is.
function forms({ endings, stems }) {
  const dir = directionOf(stems[0]?.stem ?? ""); // of what scrolls, so that the stems are seen first
  return h("div", { class: "forms-scroll", dir, tabindex: "0", role: "group", "aria-label": `Forms: ${endings.map(endingText).join(" ")}` },
    h("table", { class: "rows forms" },
      h("thead", {}, h("tr", {}, endings.map((ending) => h("th", { scope: "col" }, h("bdi", {}, endingText(ending)))))),
      h("tbody", {}, stems.map((row) => h("tr", {}, row.forms.map((form, i) => h(endings[i].length ? "td" : "th", endings[i].length ? {} : { scope: "row" }, wordLink(form, 30))))))));
}

// The rows of a table of forms, to copy and save.
function takeForms(name, { endings, stems }) {
  const keys = endings.map(endingText);
  return takeAway(name, [{ key: "stem" }, ...keys.map((key) => ({ key }))], stems.map((row) => ({ stem: row.stem, ...Object.fromEntries(row.forms.map((form, i) => [keys[i], form])) })));
}

function paradigms(facts) {
  const rest = facts.n_paradigms - facts.paradigms.length;
  return h("section", { class: "panel" },
    h("div", { class: "panel-head" }, h("h2", {}, "Paradigms"),
      h("span", { class: "soft" }, facts.n_paradigms ? "endings that go together; the stems of each occur with just these" : "No endings are shared by several stems.")),
    opening(facts.paradigms, FIRST.paradigms, (some) => h("div", { class: "paradigms" }, some.map((one) => h("section", { class: "paradigm" },
      h("h3", {}, h("a", { href: address("morphs", one.paradigm) }, plural(one.n_stems, "stem")), takeForms(`paradigm ${one.paradigm}`, one)),
      forms(one))))),
    rest > 0 ? h("p", { class: "soft" }, `and ${plural(rest, "smaller paradigm")}`) : null);
}

function corrections(facts, model) {
  const taken = facts.corrections.map((row) => ({ word: row.word, parts: row.parts.map((part) => part.text).join(" ") }));
  return h("section", { class: "panel" },
    h("div", { class: "panel-head" }, h("h2", {}, "Corrections"), taken.length < facts.n_corrections ? h("span", { class: "soft" }, `${number(taken.length)} of ${number(facts.n_corrections)}`) : null,
      taken.length ? takeAway("corrections", [{ key: "word" }, { key: "parts" }], taken) : null),
    taken.length ? h("div", { class: "morphs-table" }, table(CORRECTED, facts.corrections)) : null,
    model.edit ? h("p", { class: "soft" }, "Open a word to correct its parts. Corrections count as evidence for other words when the morphology is learned again: firth morphs learn MODEL") : null);
}

async function showParadigm(place, asked, signal) {
  if (!/^\d{1,9}$/.test(asked)) throw new Problem("There is no such paradigm.", "Paradigms have numbers: choose one from the list.", 404);
  const facts = await ask("paradigm", { paradigm: Number(asked), n: ALL }, signal);
  const endings = facts.endings.map(endingText).join(" ");
  place.dataset.title = `Paradigm ${endings}`;
  place.append(
    h("nav", { class: "crumbs", "aria-label": "Path" }, h("a", { href: address("morphs") }, "all morphs"), h("span", { class: "sep" }, "›"), h("span", {}, "paradigm")),
    h("div", { class: "head" }, h("h1", {}, wordText(endings, 80)), h("p", { class: "facts" }, h("span", {}, h("b", {}, number(facts.n_stems)), facts.n_stems === 1 ? " stem" : " stems"))),
    h("section", { class: "panel" },
      h("div", { class: "panel-head" }, h("h2", {}, "Its stems and their forms"), takeForms(`paradigm ${endings}`, facts)),
      forms(facts),
      facts.stems.length < facts.n_stems ? h("p", { class: "soft" }, `${number(facts.stems.length)} of ${plural(facts.n_stems, "stem")}, those with the most frequent words${isExported() ? "" : "; firth morphs show lists all"}`) : null));
}
