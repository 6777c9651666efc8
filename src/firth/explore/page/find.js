// Find: a query for words, phrases and patterns, and the lines where it matches.

import { h, address, visible, problem } from "./dom.js";
import { ask, Problem } from "./ask.js";
import { fillLines } from "./lines.js";

const OPERATORS = /[\s*?()|[\]{}"~\\]|^\//u;
const SYNTAX = [
  ["united states", "words in a row"], ["econom*", "* stands for any characters, ? for one"], ["/ing$/", "words in which an expression is found"],
  ["~paris", "case and accents do not count"], ["in (January|March)", "alternatives"], ["from {0,3} to", "up to three words in between"],
  ["[class=0101*] of", "a word of a class, by its path or name"], ["[tag=4] [tag=7]", "words that mostly have a tag"],
  ["[like=monday n=50]", "a word and the 50 most similar ones"], ["\\*", "an operator as a character"],
];

// Whether a text is a query, and not a single word.
export function isQuery(text) {
  return OPERATORS.test(text.trim());
}

// The query for a word in which nothing is an operator.
export function literal(word) {
  return word.replace(/[\s*?()|[\]{}"~\\/]/gu, "\\$&");
}

export const findView = {
  names: ["find"], title: "Find", under: "word", server: true, part: "corpus",
  show(place, route, { signal }) {
    const query = route.parts[0] ?? "";
    place.dataset.title = query ? `Find ${visible(query).slice(0, 60)}` : "Find";
    const input = h("input", {
      class: "field query", type: "search", "aria-label": "Query", autocomplete: "off", autocapitalize: "off", spellcheck: "false", dir: "auto",
      placeholder: "united states, econom*, in (January|March) …", value: query, maxlength: 12000,
    });
    const go = (event) => { event.preventDefault(); if (input.value.trim()) location.hash = address("find", input.value); };
    place.append(h("div", { class: "head" }, h("h1", {}, "Find")), h("form", { class: "finding", onsubmit: go }, input, h("button", { class: "button" }, "Find")));
    if (query) {
      const lines = h("section", { class: "panel", "aria-busy": "true" });
      place.append(lines);
      const get = (n) => ask("find", { q: query, n }, signal);
      fillLines(lines, { title: "Matches", name: `lines with ${query}`, get, wrong: (error) => mistake(query, error) }, signal);
    }
    place.append(help());
    if (!query) place.addEventListener("shown", () => input.focus({ preventScroll: true }));
  },
};

// An error; if it has a place, the query with a caret below the very character.
function mistake(query, error) {
  const told = error instanceof Problem ? error : new Problem("Internal error of the page.", String(error));
  const box = problem(told);
  if (told.place !== undefined) {
    const before = Array.from(query).slice(0, told.place).join("");
    box.firstChild.after(h("pre", { class: "mistake" }, visible(query), "\n", h("span", { class: "unseen", "aria-hidden": "true" }, visible(before)), "^"));
  }
  return box;
}

function help() {
  return h("section", { class: "panel" }, h("h2", {}, "What can be found"), h("dl", { class: "syntax" },
    SYNTAX.map(([query, what]) => [h("dt", {}, h("a", { href: address("find", query) }, h("code", {}, query))), h("dd", { class: "soft" }, what)])));
}
