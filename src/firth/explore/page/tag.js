// The view of a tag: its words, and the tags before and after it.

import { h, address, wordLink, number, percent, plural, shortened, refill, wordFlow } from "./dom.js";
import { ask, isExported, Problem } from "./ask.js";
import { naming } from "./naming.js";
import { panel, takeAway } from "./table.js";
import { tagMark, tagStep } from "./tags-marks.js";

const FIRST = 200;
const ALL = 1000;
const STEPS = [
  { key: "label", title: "tag", show: tagStep },
  { key: "share", title: "probability", kind: "percent", bar: true },
];

export const tagView = {
  names: ["tag"], title: "Tag", under: "tags", part: "tags",
  async show(place, route, { model, signal }) {
    const asked = route.parts[0] ?? "";
    if (!/^\d{1,5}$/.test(asked)) throw new Problem(`There is no tag ${shortened(asked, 60)}.`, "Tags have numbers: choose one from the list of tags.", 404);
    const facts = await ask("tag", { tag: Number(asked), n: FIRST }, signal);
    place.dataset.title = `Tag ${shortened(facts.label, 40)}`;
    const words = h("section", { class: "panel" });
    fill(words, facts, signal);
    place.append(
      h("nav", { class: "crumbs", "aria-label": "Path" }, h("a", { href: address("tags") }, "all tags"), h("span", { class: "sep" }, "›"), h("span", {}, h("code", {}, facts.tag))),
      heading(facts, model), words, h("div", { class: "grid" },
        panel("Before it", `before tag ${facts.label}`, STEPS, facts.before),
        panel("After it", `after tag ${facts.label}`, STEPS, facts.after)));
  },
};

function heading(facts, model) {
  const fact = (value, what) => h("span", {}, h("b", {}, value), " ", what);
  return h("div", {},
    h("div", { class: "head" },
      h("h1", {}, tagMark(facts.tag), "Tag ", h("bdi", {}, shortened(facts.label, 60))),
      h("p", { class: "facts" },
        fact(percent(facts.share), "of the text"),
        fact(percent(facts.first), "of the first words of sentences"),
        fact(number(facts.n_words), facts.n_words === 1 ? "word with this tag" : "words with this tag"),
        facts.anchor !== null ? h("span", {}, "anchor ", h("b", {}, wordLink(facts.anchor, 30))) : null)),
    model.edit ? naming("tag/name", { tag: facts.tag }, { name: facts.name, usual: facts.automatic_label }, model) : null);
}

function fill(section, facts, signal) {
  const columns = [{ key: "word" }, { key: "count" }, { key: "share" }];
  const most = Math.max(1, ...facts.typical.map((row) => row.count));
  refill(section,
    h("div", { class: "panel-head" }, h("h2", {}, "Its words, by their share of the tag"), takeAway(`tag ${facts.label}`, columns, facts.typical)),
    facts.typical.length ? wordFlow(facts.typical.map((row) => row.word), facts.typical.map((row) => [h("span", { class: "one", title: `${plural(row.count, "occurrence")}, ${percent(row.share)} of them with this tag`,
      vars: { "font-size": `${0.9 + 0.5 * Math.log1p(row.count) / Math.log1p(most)}em` } }, wordLink(row.word)), " "]))
      : h("p", { class: "soft" }, "No word usually has this tag."),
    facts.typical.length < facts.n_words ? more(section, facts, signal) : null);
}

function more(section, facts, signal) {
  const said = h("span", { class: "soft", role: "status" }, `${number(facts.typical.length)} of ${number(facts.n_words)} words`);
  if (isExported() || facts.typical.length >= ALL) return h("p", {}, said);
  const load = async () => {
    try {
      fill(section, await ask("tag", { tag: facts.tag, n: ALL }, signal), signal);
    } catch (error) {
      if (!signal.aborted) said.textContent = error.message;
    }
  };
  return h("p", { class: "buttons" }, said,
    h("button", { type: "button", class: "button", onclick: load }, facts.n_words > ALL ? `Show ${number(ALL)}` : "Show all"));
}
