// Frequency lists of some documents, and words that are typical of them.

import { h, number, plural } from "./dom.js";
import { ask } from "./ask.js";
import { table, takeAll, takeAway } from "./table.js";
import { addressWith, columnsOf, findTabs, mistake, whereField } from "./find.js";

const PAGE = 100;
const MOST_SAVED = 50000;
const LISTED = [
  { key: "word", title: "word", kind: "word" }, { key: "count", title: "occurrences", kind: "count", bar: true }, { key: "per_million", title: "per million", kind: "number" },
  { key: "parts", title: "documents", kind: "count" }, { key: "dp", title: "DP", kind: "number", digits: 2 },
];
const KEYS = [
  { key: "word", title: "word", kind: "word" }, { key: "count_a", title: "here", kind: "count" }, { key: "count_b", title: "there", kind: "count" },
  { key: "g2", title: "G2", kind: "number", digits: 1, bar: true }, { key: "log_ratio", title: "log ratio", kind: "number", digits: 1 },
];

function field(label, value, more) {
  const input = h("input", { class: "field", type: "search", "aria-label": label, autocomplete: "off", autocapitalize: "off", spellcheck: "false", value, ...more });
  return { input, element: h("label", { class: "soft" }, `${label} `, input) };
}

export const listView = {
  names: ["list"], title: "Frequency list", under: "find", server: true, part: "corpus",
  async show(place, route, { model, signal }) {
    place.dataset.title = "Frequency list";
    const [q, where] = ["q", "where"].map((name) => route.query.get(name) ?? "");
    const least = Math.max(1, Math.floor(Number(route.query.get("least"))) || 1);
    const first = Math.max(0, Math.floor(Number(route.query.get("first"))) || 0);
    const columns = await columnsOf(model, signal);
    const words = field("Only words like", q, { placeholder: "econom*, /ing$/, [tag=4]", dir: "auto" });
    const count = field("At least", String(least), { type: "number", min: 1, class: "field few" });
    const condition = columns.length ? whereField(columns, where) : null;
    const go = (event) => {
      event.preventDefault();
      location.hash = addressWith(["list"], { q: words.input.value.trim(), where: condition?.input.value.trim(), least: Number(count.input.value) > 1 ? count.input.value : "" });
    };
    const panel = h("section", { class: "panel" });
    place.append(h("div", { class: "head" }, h("h1", {}, "Frequency list"), findTabs("list")),
      h("form", { class: "finding", onsubmit: go }, h("div", { class: "finding-row" }, words.element, count.element, h("button", { class: "button" }, "Show")), condition?.element), panel);
    const get = (from, n) => ask("frequencies", { q, where, least, first: from, n }, signal);
    try {
      showList(panel, await get(first, PAGE), (to) => addressWith(["list"], { q, where, least: least > 1 ? least : "", first: to }), get);
    } catch (error) {
      if (!signal.aborted) panel.replaceChildren(mistake({ query: q, where }, error));
    }
  },
};

function showList(panel, answer, turn, get) {
  const { count, first, words } = answer;
  const columns = LISTED.map((column) => (column.key === "parts" && !answer.divided ? { ...column, title: "parts" } : column));
  const all = async () => {
    const rows = [];
    for (let from = 0; from < Math.min(count, MOST_SAVED); from += 1000) rows.push(...(await get(from, 1000)).words);
    return rows;
  };
  const last = first + words.length;
  panel.replaceChildren(
    h("div", { class: "panel-head" }, h("h2", {}, plural(count, "word")),
      h("span", { class: "soft" }, `${words.length ? `${number(first + 1)} to ${number(last)}; ` : ""}${plural(answer.n_tokens, "token")} in ${plural(answer.n_parts, answer.divided ? "document" : "part")}`),
      words.length ? takeAll("frequency list", columns, all) : null),
    words.length ? h("div", { class: "wide-rows" }, table(columns, words)) : h("p", { class: "soft" }, "No word fits."),
    h("p", { class: "soft" }, "DP tells how unevenly a word is spread over the documents: 0 is even, 1 is all in one place."),
    h("p", { class: "buttons" }, [first > 0 ? h("a", { class: "button", href: turn(Math.max(0, first - PAGE)) }, "Previous") : null,
      last < count ? h("a", { class: "button", href: turn(last) }, "Next") : null].filter(Boolean)));
}

export const keynessView = {
  names: ["keyness"], title: "Typical words", under: "find", server: true, part: "documents",
  async show(place, route, { model, signal }) {
    place.dataset.title = "Typical words";
    const [where, other] = ["where", "other"].map((name) => route.query.get(name) ?? "");
    const by = route.query.get("by") === "ratio" ? "ratio" : "g2";
    const columns = await columnsOf(model, signal);
    const here = whereField(columns, where, "Documents where");
    const there = whereField(columns, other, "Compared with");
    there.input.placeholder = "all others";
    const order = h("select", { "aria-label": "Order of the words", onchange: () => go() }, [["g2", "by evidence (G2)"], ["ratio", "by ratio"]].map(([value, title]) => h("option", { value, selected: value === by }, title)));
    const go = (event) => {
      event?.preventDefault();
      location.hash = addressWith(["keyness"], { where: here.input.value.trim(), other: there.input.value.trim(), by: order.value === "ratio" ? "ratio" : "" });
    };
    const result = h("div", {});
    place.append(h("div", { class: "head" }, h("h1", {}, "Typical words"), findTabs("keyness")),
      h("form", { class: "finding", onsubmit: go }, here.element, there.element, h("div", { class: "finding-row" }, h("label", { class: "soft" }, "Order ", order), h("button", { class: "button" }, "Compare"))), result);
    if (!where) { result.append(h("p", { class: "soft" }, "Give a condition, to see which words are more frequent in some documents than in the others.")); return; }
    try {
      const found = await ask("keyness", { where, other, by }, signal);
      const one = (title, name, rows, tokens) => h("section", { class: "panel" }, h("div", { class: "panel-head" }, h("h2", {}, title), h("span", { class: "soft" }, plural(tokens, "token")), takeAway(name, KEYS, rows)),
        rows.length ? h("div", { class: "wide-rows" }, table(KEYS, rows)) : h("p", { class: "soft" }, "No word is more frequent there than chance explains."));
      result.append(h("div", { class: "two" }, one("More frequent here", `typical of ${where}`, found.a, found.tokens_a), one("More frequent there", `less typical of ${where}`, found.b, found.tokens_b)));
    } catch (error) {
      if (!signal.aborted) result.append(mistake({ query: "", where: error.of === "other" ? other : where }, error));
    }
  },
};
