// The home view: the text, what it is large enough for, its classes and tags, and what to do next.

import { h, directionOf, address, wordText, wordLink, classLink, number, percent, plural, wordFlow } from "./dom.js";
import { ask, isExported } from "./ask.js";
import { tagLink } from "./tags-marks.js";

const CLASSES = 12;
const WORDS = 6;
const NOTABLE = 0.001; // of the text: less is 0.0 %

export const home = {
  names: ["home"],
  async show(place, route, { model, views, signal }) {
    place.dataset.title = "";
    const [facts, tree, tags] = await Promise.all([ask("home", {}, signal),
      ...["classes", "tags"].map((part) => (model.parts.includes(part) ? ask(part === "classes" ? "tree" : part, {}, signal) : null))]);
    place.append(h("div", { class: "hero" },
      h("h1", {}, "You shall know a word by the company it keeps."),
      h("p", { class: "soft" }, `${isExported() ? `The ${number((await ask("words")).words.length)} most frequent of ` : ""}${plural(model.n_words, "word")}. Search for one above, or start with one of these:`),
      h("ul", { class: "chips", dir: directionOf(model.examples.join(" ")) }, model.examples.map((word) => h("li", {}, h("a", { href: address("word", word) }, wordText(word)))))),
    h("div", { class: "grid" }, facts.n_tokens === null ? null : [theText(facts), report(facts, model)], nextSteps(views)));
    if (tree) place.append(theClasses(tree));
    if (tags) place.append(theTags(tags));
  },
};

function listed(rows) {
  return h("dl", { class: "facts-list" }, rows.map(([title, value]) => [h("dt", {}, title), h("dd", {}, value)]));
}

function theText(facts) {
  const sizes = [["documents", facts.n_documents], ["sentences", facts.n_sentences], ["tokens", facts.n_tokens], ["words", facts.n_types]];
  return h("section", { class: "panel home-text" }, h("h2", {}, "The text"),
    listed(sizes.filter(([, n]) => n !== null).map(([title, n]) => [title, h("span", { class: "figure" }, number(n))])));
}

function report({ report: found }, model) {
  const how = found ? `Measured by what two halves of ${found.whole ? "it" : `a sample of ${plural(found.tokens, "token")}`} have in common.` : null;
  return h("section", { class: "panel home-report" }, h("h2", {}, "What it is large enough for"),
    !found ? h("p", { class: "soft" }, `${model.missing.report.error} ${model.missing.report.hint}`)
      : found.rows.length ? [listed(found.rows.map((row) => [row.what, row.verdict])), h("p", { class: "soft" }, how)]
        : h("p", {}, "It is too small to tell: use more text."));
}

function nextSteps(views) {
  const steps = views.filter((view) => view.does);
  if (!steps.length) return null;
  return h("section", { class: "panel home-next" }, h("h2", {}, "What to do next"),
    listed(steps.map((view) => [h("a", { href: address(view.names[0]) }, view.title), view.does])));
}

function flow(words) {
  return wordFlow(words, words.map((word) => [h("span", { class: "one" }, wordLink(word)), " "]));
}

// What is in the class of the rare words, in which there can be known ones, too.
function rareWords(known) {
  return [h("p", { class: "soft" }, `Words that are too rare to be learned${known.length ? ", and with them:" : "."}`), known.length ? flow(known) : null];
}

// The class tree, cut into twelve classes. Classes that a person named have their names.
function theClasses(tree) {
  const split = (i) => tree.ranks[i] > 0 && tree.ranks[i] < CLASSES;
  const shown = tree.paths.map((_, i) => i).filter((i) => !split(i) && (tree.parents[i] < 0 || split(tree.parents[i])));
  const known = tree.tokens[0] - tree.rare[0] || 1;
  return h("div", {}, h("div", { class: "head" }, h("h2", {}, `The vocabulary in ${plural(shown.length, "class", "classes")}`),
    h("a", { href: address("tree") }, "whole tree")),
  h("div", { class: "grid" }, shown.map((i) => h("section", { class: `panel${tree.too_rare[i] ? " too-rare" : ""}` },
    h("div", { class: "panel-head" }, classLink(tree.paths[i], tree.named[i] || tree.too_rare[i] ? tree.labels[i] : undefined),
      h("span", { class: "soft figure" }, tree.too_rare[i] ? `${percent(tree.rare[i] / tree.tokens[0])} of the text` : `${percent((tree.tokens[i] - tree.rare[i]) / known)} of known words`)),
    tree.too_rare[i] ? rareWords(tree.typical[i])
      : [tree.rare[i] / tree.tokens[0] >= NOTABLE ? h("p", { class: "soft" }, `Includes words that are too rare to be learned: ${percent(tree.rare[i] / tree.tokens[0])} of the text.`) : null, flow(tree.typical[i])]))));
}

function theTags({ tags }) {
  return h("div", { class: "home-tags" }, h("div", { class: "head" }, h("h2", {}, plural(tags.length, "tag")), h("a", { href: address("tags") }, "all about tags")),
    h("div", { class: "grid" }, tags.slice(0, CLASSES).map((tag) => h("section", { class: "panel" },
      h("div", { class: "panel-head" }, tagLink(tag.tag, tag.label), h("span", { class: "soft figure" }, `${percent(tag.share)} of the text`)),
      flow(tag.typical.slice(0, WORDS).map((one) => one.word))))));
}
