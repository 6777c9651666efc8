// Find: a query for words, phrases and patterns, the lines where it matches, and counts by document.

import { h, address, directionOf, visible, problem } from "./dom.js";
import { ask, Problem } from "./ask.js";
import { pagedLines } from "./find-lines.js";
import { countsBy } from "./find-counts.js";

const OPERATORS = /[\s*?()|[\]{}"~\\]|^\//u;
const CONDITIONS = [
  ["year >= 1900", "numbers are compared by ==, !=, <, <=, > and >="], ['genre == "news"', "strings need quotation marks"],
  ['genre in ("news", "letters")', "one of several values"], ['year < 1900 and not genre == "news"', "and, or, not, and parentheses"],
];
export const ORDERS = [
  ["", "in text order"], ["L1,L2,L3", "by the words before"], ["R1,R2,R3", "by the words after"], ["M1,M2,R1", "by the match, then after"],
  ["L1,R1", "by the word before, then after"], ["R1,L1", "by the word after, then before"], ["M1,L1", "by the match, then before"],
];
const TABS = [["find", "Lines"], ["list", "Frequency list"], ["keyness", "Typical words"]];

// Whether a text is a query, and not a single word.
export function isQuery(text) {
  return OPERATORS.test(text.trim());
}

// The query for a word in which nothing is an operator.
export function literal(word) {
  return word.replace(/[\s*?()|[\]{}"~\\/]/gu, "\\$&");
}

// What can be found, with words of the model: [query, what it finds].
function examplesOf({ examples, parts }) {
  const [one = "word", other = "others"] = examples;
  const letters = (word) => [...new Intl.Segmenter().segment(word)].map(({ segment }) => segment);
  const [head, tail] = [letters(one).slice(0, 3).join(""), letters(other).slice(-2).join("")].map(literal);
  const [a, b] = [one, other].map(literal);
  return [
    [`${a} *`, "words in a row; * alone is any word"], [`${head}*`, "* stands for any characters, ? for one"],
    [`/${tail}$/`, "words in which an expression is found"], [`~${a}`, "case and accents do not count"],
    [`(${a}|${b})`, "alternatives"], [`${a} {0,3} *${tail}`, "up to three words in between"],
    parts.includes("classes") && [`[class=0*] ${a}`, "a word of a class, by its path or name"],
    parts.includes("tags") && [`[tag=0] ${a}`, "a word that mostly has a tag"],
    parts.includes("vectors") && [`[like=${a} n=50]`, "a word and the 50 most similar ones"],
    ["\\*", "an operator as a character"],
  ].filter(Boolean);
}

// The address of a view with a query; empty values are left out.
export function addressWith(parts, values) {
  const query = new URLSearchParams(Object.entries(values).filter(([, value]) => value !== "" && value !== null && value !== undefined && value !== 0));
  return `${address(...parts)}${query.size ? `?${query}` : ""}`;
}

// Links to the views that work with queries.
export function findTabs(here) {
  return h("nav", { class: "choice-row", "aria-label": "Find" }, TABS.map(([name, title]) =>
    h("a", { class: "button", href: address(name), "aria-current": name === here ? "page" : undefined }, title)));
}

let fields = 0;

// A column as it is written in a condition.
function named(column) {
  return /^[\p{L}_][\p{L}\p{N}_]*$/u.test(column) ? column : `\`${column}\``;
}

// A field for a condition on documents, if anything is known about them; below it are the columns, and buttons that type them.
export function whereField(columns, value, label = "Where") {
  const id = `where${fields++}`;
  const input = h("input", {
    class: "field", type: "search", "aria-label": label, "aria-describedby": id, autocomplete: "off", autocapitalize: "off", spellcheck: "false", dir: "ltr",
    placeholder: `${named(columns.at(-1) ?? "year")} == …`, value, maxlength: 10000,
  });
  const type = (column) => {
    input.value = `${input.value.trim()}${input.value.trim() ? " and " : ""}${named(column)} == `;
    input.focus();
  };
  const element = h("div", { class: "where" }, h("label", { class: "soft" }, label, input),
    h("p", { id, class: "soft columns" }, "Known: ", columns.map((column) => [h("button", { type: "button", class: "take", title: `Add ${column} to the condition`, onclick: () => type(column) }, column), " "])));
  return { input, element };
}

// The columns of the documents; none if the model has no documents.
export async function columnsOf(model, signal) {
  return model.parts.includes("documents") ? ask("columns", {}, signal) : [];
}

export const findView = {
  names: ["find"], title: "Find", does: "phrases and patterns such as the *ing, and counts by document", server: true, part: "corpus",
  async show(place, route, { model, signal }) {
    const query = route.parts[0] ?? "";
    const [where, sort, by] = ["where", "sort", "by"].map((name) => route.query.get(name) ?? "");
    const first = Math.max(0, Math.floor(Number(route.query.get("first"))) || 0);
    place.dataset.title = query ? `Find ${visible(query).slice(0, 60)}` : "Find";
    let trouble = null; // what was typed stays, whatever happens
    const columns = await columnsOf(model, signal).catch((error) => { if (!(error instanceof Problem)) throw error; trouble = error; return []; });
    const input = h("input", {
      class: "field query", type: "search", "aria-label": "Query", autocomplete: "off", autocapitalize: "off", spellcheck: "false", dir: "auto",
      placeholder: "a phrase, a pattern such as *ing, [tag=4] …", value: query, maxlength: 12000,
    });
    const condition = columns.length || where ? whereField(columns, where) : null;
    const order = h("select", { "aria-label": "Order of the lines", onchange: () => go() }, ORDERS.map(([value, title]) => h("option", { value, selected: value === sort }, title)));
    if (order.value !== sort) order.append(h("option", { value: sort, selected: true }, `by ${sort}`)); // from an address
    const group = columns.length ? h("select", { "aria-label": "Count by", onchange: () => go() }, ["", ...columns].map((column) =>
      h("option", { value: column, selected: column === by }, column || "nothing"))) : null;
    const values = () => ({ where: condition?.input.value.trim() ?? "", sort: order.value, by: group?.value ?? "" });
    const go = (event) => { event?.preventDefault(); if (input.value.trim()) location.hash = addressWith(["find", input.value], values()); };
    place.append(h("div", { class: "head" }, h("h1", {}, "Find"), findTabs("find")),
      h("form", { class: "finding", onsubmit: go }, h("div", { class: "finding-row" }, input, h("button", { class: "button" }, "Find")), condition?.element,
        h("div", { class: "finding-row" }, h("label", { class: "soft" }, "Order ", order), group ? h("label", { class: "soft" }, "Count by ", group) : null)));
    if (trouble) place.append(problem(trouble));
    else if (query) {
      const counts = h("section", { class: "panel", "aria-busy": "true", hidden: !by });
      const lines = h("section", { class: "panel", "aria-busy": "true" });
      place.append(counts, lines);
      const wrong = (error) => mistake({ query, where }, error);
      const turn = (to) => addressWith(["find", query], { where, sort, by, first: to });
      pagedLines(lines, { query, where, sort, first }, turn, wrong, signal);
      if (by) countsBy(counts, { query, where, by }, signal);
      else counts.removeAttribute("aria-busy");
    }
    place.append(help(columns, model));
    if (!query) place.addEventListener("shown", () => input.focus({ preventScroll: true }));
  },
};

// An error; if it has a place, the query or the condition with a caret below the very character.
export function mistake(typed, error) {
  const told = error instanceof Problem ? error : new Problem("Internal error of the page.", String(error));
  const box = problem(told);
  if (told.place !== undefined) {
    const text = told.of === "where" ? typed.where : typed.query;
    const before = Array.from(text).slice(0, told.place).join("");
    box.firstChild.after(h("pre", { class: "mistake", dir: directionOf(text) }, visible(text), "\n", h("span", { class: "unseen", "aria-hidden": "true" }, visible(before)), "^"));
  }
  return box;
}

function help(columns, model) {
  const listed = (title, rows) => [h("h2", {}, title), h("dl", { class: "syntax" }, rows.map(([example, what]) => [h("dt", {}, h("bdi", {}, example)), h("dd", { class: "soft" }, what)]))];
  return h("section", { class: "panel" },
    listed("What can be found", examplesOf(model).map(([query, what]) => [h("a", { href: address("find", query) }, h("code", {}, query)), what])),
    columns.length ? listed("In some documents only", CONDITIONS.map(([condition, what]) => [h("code", {}, condition), what])) : null);
}
