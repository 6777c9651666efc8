// The lines of a query, page by page, with what is known about their documents; a click shows more of the context.

import { h, number, plural, visible, isRightToLeft, refill } from "./dom.js";
import { ask } from "./ask.js";
import { takeAll } from "./table.js";

const PAGE = 50;
const MOST_SAVED = 20000;
const AT_ONCE = 1000;
const FIXED = ["left", "match", "right", "source"];

// asked: { query, where, sort, first }; turn(first) is the address of a page; wrong(error) an element.
export async function pagedLines(section, asked, turn, wrong, signal) {
  try {
    const answer = await get(asked, asked.first, PAGE, signal);
    show(section, asked, answer, turn, signal);
  } catch (error) {
    if (signal.aborted) return;
    section.replaceChildren(wrong(error));
  }
  section.removeAttribute("aria-busy");
}

function get({ query, where, sort }, first, n, signal) {
  return ask("find", { q: query, where, sort, first, n }, signal);
}

function show(section, asked, answer, turn, signal) {
  const { count, first, lines, columns } = answer;
  const last = first + lines.length;
  const shown = briefFirst(columns, lines);
  const body = h("div", { class: `kwic${shown.length ? " documented" : ""}`, dir: isRightToLeft(lines[0]?.word ?? "") ? "rtl" : "ltr" });
  body.append(...lines.flatMap((line) => lineOf(line, columns, shown, body.dir, signal)));
  const page = (to, label) => h("a", { class: "button", href: turn(to) }, label);
  refill(section,
    h("div", { class: "panel-head" }, h("h2", {}, "Matches"),
      h("span", { class: "soft" }, lines.length ? `${number(first + 1)} to ${number(last)} of ${plural(count, "line")}` : plural(count, "line")),
      lines.length ? takeAll(`lines with ${asked.query}`, [...FIXED, ...columns].map((key) => ({ key })), () => every(asked, columns, count, signal)) : null),
    answer.note ? h("p", { role: "status" }, answer.note) : null,
    answer.sorted ? null : h("p", { class: "soft" }, "There are too many lines to sort. They are in text order."),
    body,
    lines.some((line) => !line.original) ? h("p", { class: "soft" }, "Some lines show tokens instead of the original text, which is missing, has changed, cannot be searched, or is at a network address (--remote).") : null,
    count > lines.length ? h("p", { class: "buttons" }, first > 0 ? page(0, "First") : null, first > 0 ? page(Math.max(0, first - PAGE), "Previous") : null,
      last < count ? page(last, "Next") : null) : null);
}

// All lines as rows, up to a limit.
async function every(asked, columns, count, signal) {
  const rows = [];
  for (let first = 0; first < Math.min(count, MOST_SAVED); first += AT_ONCE) {
    const { lines } = await get(asked, first, AT_ONCE, signal);
    rows.push(...lines.map((line) => ({
      left: line.left, match: line.word, right: line.right, source: line.source, ...Object.fromEntries(columns.map((column, i) => [column, line.known[i]])),
    })));
    if (lines.length < AT_ONCE) break;
  }
  return rows;
}

// The columns that are shown beside lines, those with short values first: so years are not cut off after a long title.
function briefFirst(columns, lines) {
  const length = (i) => lines.reduce((sum, { known }) => sum + String(known[i] ?? "").length, 0);
  return columns.map((column, i) => ({ column, i, length: length(i) })).filter(({ column, length: n }) => n > 0 && column !== "document")
    .sort((a, b) => a.length - b.length || a.i - b.i).map(({ i }) => i);
}

function lineOf(line, columns, shown, dir, signal) {
  const flat = (text) => visible(text.replace(/\s/gu, " "));
  const known = shown.map((i) => line.known[i]).filter((value) => value !== null);
  const wide = h("div", { class: "wide", hidden: true });
  const middle = h("button", { type: "button", class: "middle", "aria-expanded": "false", title: "Show more of the text", onclick: () => open(line, columns, middle, wide, signal) },
    h("bdi", {}, visible(line.word.replace(/\r?\n/gu, " ")).slice(0, 200)));
  const row = h("div", { class: "line", onclick: (event) => { if (!event.target.closest("button") && !getSelection()?.toString()) middle.click(); } },
    h("span", { class: "before" }, h("bdi", { dir }, flat(line.left))), middle, h("span", { class: "after" }, h("bdi", { dir }, flat(line.right))),
    known.length ? h("span", { class: "known soft", title: `${line.source}\n${known.join("\n")}` }, h("bdi", {}, known.map((value) => visible(String(value)).slice(0, 40)).join(" · "))) : null);
  return [row, wide];
}

// Opens or closes the wider context of a line.
async function open(line, columns, middle, wide, signal) {
  const opened = middle.getAttribute("aria-expanded") === "true";
  middle.setAttribute("aria-expanded", String(!opened));
  wide.hidden = opened;
  if (opened || wide.childElementCount) return;
  try {
    const { before, line: whole, after } = await ask("find/context", { start: line.start, end: line.end }, signal);
    const sentence = (text) => h("p", { dir: "auto" }, visible(text));
    wide.append(...before.map(sentence), h("p", { dir: "auto" }, visible(whole.left), h("mark", {}, visible(whole.word)), visible(whole.right)), ...after.map(sentence),
      h("dl", { class: "facts-list soft" }, [["source", line.source], ...columns.map((column, i) => [column, line.known[i]])]
        .filter(([, value]) => value !== null).map(([name, value]) => [h("dt", {}, name), h("dd", {}, h("bdi", {}, visible(String(value))))])));
  } catch (error) {
    if (!signal.aborted) wide.append(h("p", { class: "soft", role: "alert" }, error.message));
  }
}
