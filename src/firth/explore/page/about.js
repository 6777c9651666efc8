// The content of the model, and how it was made.

import { h, bytes, number, percent, plural, rounded, wordText } from "./dom.js";
import { ask } from "./ask.js";
import { takeAway } from "./table.js";
import { curve } from "./chart.js";

export const aboutView = {
  names: ["about"], title: "About", needs: () => true,
  async show(place, route, { signal }) {
    const about = await ask("about", {}, signal);
    place.dataset.title = "About";
    const facts = [["size on disk", bytes(about.bytes)]];
    if (about.memory) {
      facts.push(["in memory", `${bytes(about.memory.own ?? 0)} private, ${bytes(about.memory.shared ?? 0)} in memory-mapped files that other processes can share`]);
    }
    if (about.n_tokens !== null) {
      facts.push(["corpus", `${plural(about.n_tokens, "token")}, ${plural(about.n_types, "type")}, ${plural(about.n_sentences, "sentence")}`]);
      facts.push(["sources", about.sources.slice(0, 12).join(", ") + (about.n_sources > 12 ? ` and ${number(about.n_sources - 12)} more` : "")]);
    }
    facts.push(["Firth", about.firth]);
    place.append(
      h("div", { class: "head" }, h("h1", {}, h("bdi", {}, about.model))),
      h("section", { class: "panel" }, h("div", { class: "panel-head" }, h("h2", {}, "Model"), takeAway("model", [{ key: "what" }, { key: "value" }], facts.map(([what, value]) => ({ what, value })))),
        list(facts)),
      h("div", { class: "grid" },
        about.singular_values.length > 1 ? figure("Singular values of the vectors", [{ key: "dimension" }, { key: "value" }],
          about.singular_values.map((value, i) => ({ dimension: i + 1, value })),
          curve(about.singular_values.map((v, i) => [i + 1, v]), { title: "Singular values", x: "dimension", y: "singular value", logY: true }),
          "The importance of each dimension. Where the line is straight, further dimensions add detail; a sharp bend suggests that fewer are enough.") : null,
        about.coverage.length > 1 ? figure("Coverage of the text by the most frequent words", [{ key: "words" }, { key: "share" }],
          about.coverage.map(([words, share]) => ({ words, share })),
          curve(about.coverage, { title: "Coverage", x: "most frequent words", y: "share of the text", show: (v) => percent(v, 0) }),
          "A few words make up much of any text, and most words are rare.") : null),
      h("div", { class: "grid" }, about.parts.map(part)));
  },
};

function list(facts) {
  return h("dl", { class: "facts-list" }, facts.map(([what, value]) => [h("dt", {}, what), h("dd", {}, wordText(String(value), 400))]));
}

function figure(title, columns, rows, chart, text) {
  return h("section", { class: "panel" }, h("div", { class: "panel-head" }, h("h2", {}, title), takeAway(title, columns, rows)), chart, h("p", { class: "soft" }, text));
}

// Nested facts as pairs of a name and a value.
function flat(object, before = "") {
  return Object.entries(object).flatMap(([key, value]) => {
    if (Array.isArray(value) && value.some((item) => typeof item === "object")) return []; // lists of objects are only in the file
    const name = (before + key).replace(/^n_/, "").replaceAll("_", " ");
    if (value !== null && typeof value === "object" && !Array.isArray(value)) return flat(value, `${before}${key} `);
    const shown = typeof value === "number" ? (Number.isInteger(value) ? number(value) : rounded(value, 5)) : Array.isArray(value) ? value.join(", ") : value === null ? "none" : String(value);
    return [[name, shown.slice(0, 300)]];
  });
}

function part(one) {
  const facts = [["size", bytes(one.bytes)]];
  if (one.date) facts.push(["made", `${one.date.slice(0, 16).replace("T", " ")} in ${rounded(one.seconds)} s`]);
  if (one.stale) facts.push(["out of date", "made from an older version of another part; not shown"]);
  facts.push(...flat(one.facts), ...flat(one.parameters));
  const rows = facts.map(([what, value]) => ({ what, value }));
  return h("section", { class: "panel" }, h("div", { class: "panel-head" }, h("h2", {}, one.title[0].toUpperCase() + one.title.slice(1)), takeAway(one.name, [{ key: "what" }, { key: "value" }], rows)), list(facts));
}
