// Comparison of two words or two classes.

import { h, address, classLink, wordLink, wordText, number, percent, plural, rounded, problem, wordFlow } from "./dom.js";
import { ask, Problem } from "./ask.js";
import { panel } from "./table.js";
import { searchBox } from "./search.js";

const BETWEEN = [
  { key: "word", title: "word", kind: "word" },
  { key: "to_a", title: "cosine to the first", digits: 3 },
  { key: "to_b", title: "to the second", digits: 3 },
];

export const compareView = {
  names: ["compare"], title: "Compare", does: "two words or two classes, side by side", server: true, part: "corpus",
  needs: (parts) => parts.some((part) => ["vectors", "classes", "counts", "corpus"].includes(part)),
  async show(place, route, { model, signal }) {
    const [kind = "words", a, b] = route.parts;
    const ofClasses = kind === "classes";
    place.dataset.title = "Compare";
    place.append(form(ofClasses, a, b, model));
    if (a === undefined || b === undefined) {
      place.append(h("p", { class: "soft" }, ofClasses ? "Choose two classes by their paths in the tree." : "Choose two words to see the neighbours of both, the neighbours of only one, and their contexts."));
      return;
    }
    try {
      place.append(...(ofClasses ? classes(await ask("compare/classes", { a, b, n: 60 }, signal)) : words(await ask("compare/words", { a, b, n: 14 }, signal))));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      place.append(problem(error)); // below the form
    }
  },
};

function form(ofClasses, a = "", b = "", model) {
  const kind = ofClasses ? "classes" : "words";
  const chosen = [a, b];
  const boxes = [0, 1].map((i) => searchBox({
    label: i === 0 ? "First" : "Second", placeholder: ofClasses ? "0110" : "a word", value: chosen[i], kinds: [ofClasses ? "class" : "word"],
    choose: (entry) => { chosen[i] = entry.text; if (chosen[0] && chosen[1]) location.hash = address("compare", kind, ...chosen); else boxes[1 - i].input.focus(); },
  }));
  const other = ofClasses ? "words" : "classes";
  return h("div", { class: "form" },
    h("label", {}, "First", boxes[0].element), h("label", {}, "Second", boxes[1].element),
    model.parts.includes("classes") ? h("a", { class: "button", href: address("compare", other) }, `Compare ${other}`) : null);
}

function words(found) {
  const { a, b } = found;
  const facts = h("p", { class: "facts" },
    found.similarity !== null ? h("span", {}, h("b", {}, rounded(found.similarity)), " cosine") : null,
    parting(found, a.word_class?.path, b.word_class?.path));
  const side = (one) => h("section", { class: "panel" }, h("h2", {}, wordLink(one.word)),
    h("p", { class: "soft" }, one.count !== null ? plural(one.count, "occurrence") : ""),
    one.word_class ? h("p", {}, classLink(one.word_class.path, one.word_class.label)) : null);
  const out = [h("div", { class: "head" }, h("h1", {}, wordText(a.word), " · ", wordText(b.word)), facts), h("div", { class: "two" }, side(a), side(b))];
  if (found.similarity !== null) {
    out.push(h("div", { class: "grid" },
      panel("Similar to both", "similar to both", BETWEEN, found.near_both),
      panel(["Similar to ", wordText(a.word, 24), ", not to ", wordText(b.word, 24)], `similar to ${a.word}`, BETWEEN, found.near_a),
      panel(["Similar to ", wordText(b.word, 24), ", not to ", wordText(a.word, 24)], `similar to ${b.word}`, BETWEEN, found.near_b)));
  }
  out.push(companies(found));
  return out;
}

// The context words of two words or classes in one table: those of both first.
function company(side, found) {
  const columns = [
    { key: "word", title: "word", kind: "word" },
    { key: "a", title: wordText(found.a.word ?? found.a.path, 14), digits: 1, bar: true },
    { key: "b", title: wordText(found.b.word ?? found.b.path, 14), digits: 1, bar: true },
  ];
  const title = { before: "Before them", after: "After them", near: "Near them" }[side];
  return panel([title, h("span", { class: "soft" }, " (PMI)")], title, columns, found.company[side], "No word occurs there more often than expected by chance.");
}

function companies(found) {
  return h("div", { class: "grid" }, Object.keys(found.company).map((side) => company(side, found)));
}

// The lowest common node of two words or classes in the tree.
function parting(found, a, b) {
  if (!found.common) return null;
  return h("span", {}, a === b ? "both in class " : "separated at ", classLink(found.common.path, found.common.label));
}

function classes(found) {
  const side = (node) => h("section", { class: "panel" }, h("h2", {}, classLink(node.path, node.label)),
    h("p", { class: "soft" }, `${number(node.n_words)} words, ${percent(node.share)} of known words`),
    wordFlow(node.members.map((m) => m.word), node.members.map((m) => [h("span", { class: "one" }, wordLink(m.word)), " "])));
  return [
    h("div", { class: "head" }, h("p", { class: "facts" }, parting(found, found.a.path, found.b.path))),
    h("div", { class: "two" }, side(found.a), side(found.b)),
    companies(found),
  ];
}
