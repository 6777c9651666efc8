// The tags: a tagged text, the list of tags, and the transition probabilities.

import { h, wordFlow, wordLink, plural } from "./dom.js";
import { ask } from "./ask.js";
import { table, takeAway } from "./table.js";
import { sentencePanel } from "./tags-sentence.js";
import { heatPanel } from "./tags-heat.js";
import { tagLink } from "./tags-marks.js";

const TAKEN = ["tag", "label", "share", "first", "anchor", "n_words", "words"].map((key) => ({ key }));
const COLUMNS = [
  { key: "label", title: "tag", show: (row) => tagLink(row.tag, row.label) },
  { key: "share", title: "of the text", kind: "percent", bar: true },
  { key: "anchor", title: "anchor", show: (row) => wordLink(row.anchor, 20) },
  { key: "words", title: "typical words", show: (row) => wordFlow(row.typical.map((one) => one.word), row.typical.map((one) => [h("span", { class: "one" }, wordLink(one.word, 24)), " "])) },
];

export const tagsView = {
  names: ["tags"], title: "Tags", does: "tag a text; what follows what", part: "tags",
  async show(place, route, { model, signal }) {
    place.dataset.title = "Tags";
    const facts = await ask("tags", {}, signal);
    place.append(await sentencePanel(facts, route.query, signal), list(facts, model), heatPanel(facts));
  },
};

function list(facts, model) {
  const rows = facts.tags.map((tag) => ({ ...tag, words: tag.typical.map((row) => row.word).join(" ") }));
  const columns = COLUMNS.filter((c) => c.key !== "anchor" || rows.some((row) => row.anchor !== null));
  return h("section", { class: "panel" },
    h("div", { class: "panel-head" }, h("h2", {}, plural(rows.length, "tag")), h("span", { class: "soft" }, `of ${plural(facts.n_words, "word")}`),
      takeAway("tags", TAKEN, rows)),
    h("div", { class: "tree-table tags-table" }, table(columns, rows)),
    model.edit ? h("p", { class: "soft" }, "Open a tag to name it.") : null);
}
