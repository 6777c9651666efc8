// The word view: similar words, contexts, class, tags, concordance.

import { h, address, wordText, wordLink, classLink, number, rounded, problem, visible, refill, wordFlow } from "./dom.js";
import { ask, isExported } from "./ask.js";
import { fillLines } from "./lines.js";
import { panel, takeAway } from "./table.js";
import { tagStep } from "./tags-marks.js";
import { home } from "./home.js";
import { alike, wordParts } from "./word-parts.js";
import { addressWith, columnsOf, literal, mistake } from "./find.js";
import { pagedLines } from "./find-lines.js";
import { contextPanels, contextsAsked, contextsForm } from "./word-contexts.js";

const ROWS = 16;
const ALIKE = 13;
const LONG = 40;

const NEAR = [{ key: "word", title: "word", kind: "word" }, { key: "similarity", title: "cosine", digits: 3, bar: true }];
const TAGS = [
  { key: "label", title: "tag", show: tagStep },
  { key: "share", title: "of its occurrences", kind: "percent", bar: true },
];
const GUESSED = "Similar words, guessed from the spelling";

export const wordView = {
  names: ["word"], title: "Words", part: "corpus", needs: (parts) => parts.some((part) => ["corpus", "vectors", "classes", "counts", "morphs", "tags"].includes(part)),
  async show(place, route, context) {
    const word = route.parts[0];
    if (!word) return home.show(place, route, context);
    place.dataset.title = visible(word).slice(0, 60);
    const has = (part) => context.model.parts.includes(part);
    const { signal } = context;
    const asked = contextsAsked(word, route.query);
    const chosen = !isExported() && has("counts"); // whether there is anything to choose
    const answers = await Promise.allSettled([
      ask("word", { word, n: ROWS, ...asked }, signal),
      has("vectors") ? ask("neighbours", { word, n: ROWS }, signal) : null,
      has("morphs") ? ask("parts", { word, n: ALIKE }, signal) : null,
      has("grammar_vectors") ? ask("replacements", { word, n: ROWS }, signal) : null,
      chosen ? columnsOf(context.model, signal) : null,
    ]);
    const failure = answers.find((one) => one.status === "rejected")?.reason;
    const [facts, near, split, replacing, columns] = answers.map((one) => one.value ?? null);
    const form = chosen && columns ? contextsForm(word, asked, columns) : null;
    if (failure?.status && asked.where) { // the condition stays, with a caret below a mistake
      refill(place, h("div", { class: "head" }, h("h1", {}, h("bdi", {}, visible(word)))), form, mistake({ query: word, where: asked.where }, failure));
      return undefined;
    }
    if (failure) {
      const guesses = facts === null && failure.status === 404 && !/\s/u.test(word) ? guessesOf(word, near, split, context.model) : [];
      if (guesses.length === 0) throw failure;
      refill(place, problem(failure), h("div", { class: "guesses" }, h("h2", {}, "Guesses from its spelling"), guesses));
      return undefined;
    }
    const others = split ? alike(split) : [];
    refill(place, heading(facts, asked.where, has), split ? wordParts(split, context.model) : null, form, h("div", { class: "grid" },
      near ? panel(near[0]?.guessed ? GUESSED : replacing ? "Goes with it (same topics)" : "Similar words", `similar to ${word}`, NEAR, near, "The word is too rare to have a vector.") : null,
      replacing?.length ? panel("Can replace it (same slots)", `can replace ${word}`, NEAR, replacing) : null,
      contextPanels(facts, asked),
      facts.word_class || facts.tags.length || others.length ? h("div", { class: "stack" }, facts.word_class ? itsClass(facts) : null,
        facts.tags.length ? panel(facts.tags_guessed ? "Its tags, guessed from the spelling" : "Its tags", `tags of ${word}`, TAGS, facts.tags) : null, others) : null));
    if (has("corpus")) {
      const lines = h("section", { class: "panel", "aria-busy": "true" }, h("h2", {}, "In its contexts"));
      place.append(lines);
      // the concordance is loaded later; the rest is shown already
      const { where } = asked;
      const turn = (first) => addressWith(["find", literal(word)], { where, first });
      if (where) pagedLines(lines, { query: literal(word), where, sort: "", first: 0 }, turn, (error) => mistake({ query: word, where }, error), signal);
      else fillLines(lines, { title: "In its contexts", name: `lines with ${word}`, all: turn(0), get: (n) => ask("concordance", { word, n }, signal) }, signal);
    }
    return undefined;
  },
};

// What the spelling tells of a word that never occurs.
function guessesOf(word, near, split, model) {
  const divided = split && split.parts.length > 1 && split.n_same_stem + split.n_same_ending > 0 ? split : null;
  const panels = [near?.length ? panel(GUESSED, `similar to ${word}`, NEAR, near) : null, divided ? alike(divided) : []].flat().filter(Boolean);
  return [divided ? wordParts(divided, { ...model, edit: false }) : null, panels.length ? h("div", { class: "grid" }, panels) : null].filter(Boolean);
}

function heading(facts, where, has) {
  const inText = has("corpus");
  const senses = inText && !where && facts.count >= 10;
  const long = Array.from(facts.word).length > LONG;
  const fact = (value, what) => h("span", {}, h("b", {}, value), " ", what);
  return h("div", { class: "head" },
    h("h1", { class: long ? "long" : undefined }, h("bdi", {}, visible(facts.word))),
    h("p", { class: "facts" },
      facts.count !== null ? fact(number(facts.count), facts.count === 1 ? "occurrence" : "occurrences") : null,
      facts.rank !== null ? h("span", {}, "rank ", h("b", {}, number(facts.rank))) : null,
      facts.per_million !== null ? fact(rounded(facts.per_million), "per million") : null,
      where ? h("span", {}, "where ", h("code", {}, visible(where))) : null,
      isExported() || !senses ? null : h("a", { href: address("senses", facts.word) }, "senses"),
      isExported() ? null : h("a", { href: address("compare", "words", facts.word) }, "compare"),
      isExported() || !inText ? null : h("a", { href: addressWith(["find", literal(facts.word)], { where }) }, "find")));
}

function itsClass(facts) {
  const members = facts.members.map((word) => ({ word }));
  return h("section", { class: "panel" },
    h("div", { class: "panel-head" }, h("h2", {}, facts.guessed ? "Its class, guessed from the spelling" : "Its class"),
      takeAway(`class of ${facts.word}`, [{ key: "word" }], members)),
    h("p", {}, classLink(facts.word_class.path, facts.word_class.label)),
    wordFlow(facts.members, facts.members.map((word) => [h("span", { class: "one" },
      word === facts.word ? h("b", {}, wordText(word)) : wordLink(word)), " "])));
}
