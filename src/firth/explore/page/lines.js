// A concordance: lines with the match in the middle, in several orders, with more of them on demand.

import { h, number, plural, visible, isRightToLeft, refill } from "./dom.js";
import { isExported, Problem } from "./ask.js";
import { takeAway } from "./table.js";

const LINES = [40, 200, 1000];
const COLUMNS = [{ key: "left" }, { key: "word" }, { key: "right" }, { key: "source" }];
const ORDERS = {
  text: { title: "in text order", key: null },
  before: { title: "by the word before", key: (line) => lastWords(line.left) },
  after: { title: "by the word after", key: (line) => line.right.trimStart().toLowerCase() },
};

// The left context with its words reversed, so that lines with the same preceding words are together.
function lastWords(text) {
  return text.trim().toLowerCase().split(/\s+/).reverse().join(" ");
}

// Fills a section: source is { title, name, get(n), wrong(error) }; get asks for { count, lines, note }, and wrong, which
// may be missing, makes an element of an error; all is the address of a page with all lines, if there is one.
export function fillLines(section, source, signal) {
  return load(section, source, signal, LINES[0], "text");
}

async function load(section, source, signal, n, order) {
  try {
    show(section, source, signal, n, order, await source.get(n));
  } catch (error) {
    section.removeAttribute("aria-busy");
    if (signal.aborted) return;
    if (!(error instanceof Problem)) console.error(error);
    section.append(source.wrong?.(error) ?? h("p", { class: "soft", role: "alert" }, error instanceof Problem ? error.message : String(error)));
  }
}

function show(section, source, signal, n, order, answer) {
  const shown = answer.lines.length;
  const body = h("div", { class: "kwic" });
  const draw = () => {
    const { key } = ORDERS[order];
    const lines = key ? [...answer.lines].sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0)) : answer.lines;
    body.dir = isRightToLeft(answer.lines[0]?.word ?? "") ? "rtl" : "ltr";
    const flat = (text) => visible(text.replace(/\s/gu, " "));
    body.replaceChildren(...lines.map((line) => h("div", { title: line.source },
      h("span", { class: "before" }, h("bdi", { dir: body.dir }, flat(line.left))),
      h("span", { class: "middle" }, h("bdi", {}, visible(line.word.replace(/\r?\n/gu, " ")).slice(0, 200))),
      h("span", { class: "after" }, h("bdi", { dir: body.dir }, flat(line.right))))));
  };
  const choose = h("select", { "aria-label": "Order of the lines", onchange: () => { order = choose.value; draw(); } },
    Object.entries(ORDERS).map(([name, o]) => h("option", { value: name, selected: name === order }, o.title)));
  const more = LINES.find((k) => k > n);
  refill(section,
    h("div", { class: "panel-head" }, h("h2", {}, source.title),
      h("span", { class: "soft" }, shown < answer.count ? `${number(shown)} of ${plural(answer.count, "line")}, evenly spread` : plural(shown, "line")),
      shown ? [choose, takeAway(source.name, COLUMNS, answer.lines)] : null),
    answer.note ? h("p", { role: "status" }, answer.note) : null,
    body,
    answer.lines.some((line) => !line.original) ? h("p", { class: "soft" }, "Some lines show tokens instead of the original text, which is missing, has changed, cannot be searched, or is at a network address (--remote).") : null,
    isExported() || !shown ? null : h("p", { class: "buttons" },
      shown < answer.count && more ? h("button", { type: "button", class: "button", onclick: () => load(section, source, signal, more, order) }, `Show up to ${number(more)}`) : null,
      source.all ? h("a", { class: "button", href: source.all }, "All lines, page by page") : null));
  section.removeAttribute("aria-busy");
  draw();
}
