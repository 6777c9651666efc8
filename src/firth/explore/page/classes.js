// The view of a class, or of an inner node of the class tree.

import { h, address, classLink, wordText, wordLink, number, percent, plural, shortened, refill, wordFlow } from "./dom.js";
import { ask, isExported } from "./ask.js";
import { naming } from "./naming.js";
import { panel, takeAway } from "./table.js";

const FIRST = 200;
const ALL = 10000;
const SIDES = [
  { key: "word", title: "word", kind: "word" },
  { key: "count", title: "count", kind: "count" },
  { key: "pmi", title: "PMI", digits: 1, bar: true },
];
const TITLES = { before: "Before its words", after: "After its words" };

export const classView = {
  names: ["class"], title: "Class", under: "tree", part: "classes",
  async show(place, route, { model, signal }) {
    const path = route.parts[0] ?? "";
    const facts = await ask("class", { path, n: FIRST }, signal);
    place.dataset.title = shortened(facts.label, 60);
    place.append(crumbs(facts), heading(facts, model));
    const words = h("section", { class: "panel" });
    fill(words, facts, signal);
    place.append(words, h("div", { class: "grid" },
      Object.entries(facts.sides).map(([side, rows]) => panel(TITLES[side], `${side} class ${facts.path}`, SIDES, rows, "No word occurs there more often than expected by chance.")),
      facts.below.length ? nodes("Its two subclasses", facts.below) : null,
      facts.beside.length ? nodes("Nearby classes in the tree", facts.beside) : null));
  },
};

function crumbs(facts) {
  const steps = facts.above.slice(-6);
  return h("nav", { class: "crumbs", "aria-label": "Ancestors in the tree" },
    facts.above.length > steps.length ? ["… ", h("span", { class: "sep" }, "›")] : null,
    steps.map((up) => [h("a", { href: address("class", up.path) }, up.path === "" ? "all words" : wordText(up.label, 28)), h("span", { class: "sep" }, "›")]),
    h("span", {}, h("code", {}, facts.path === "" ? "root" : shortened(facts.path, 40))));
}

function heading(facts, model) {
  const fact = (value, what) => h("span", {}, h("b", {}, value), " ", what);
  return h("div", {},
    h("div", { class: "head" },
      h("h1", {}, h("bdi", {}, shortened(facts.label, 80))),
      h("p", { class: "facts" },
        facts.n_classes > 1 ? fact(number(facts.n_classes), "classes") : null,
        fact(number(facts.n_words), facts.n_words === 1 ? "word" : "words"),
        facts.share !== null && !facts.too_rare ? fact(percent(facts.share), "of known words") : null,
        facts.information !== null ? h("span", { title: "Its share of the mutual information of adjacent classes" }, h("b", {}, percent(facts.information)), " of the mutual information") : null,
        h("a", { href: address("tree", facts.path) }, "in the tree"),
        isExported() || facts.path === "" ? null : h("a", { href: address("compare", "classes", facts.path) }, "compare"))),
    model.edit && facts.path !== "" ? naming("name", { path: facts.path }, { name: facts.name, usual: facts.automatic_label }, model) : null);
}

function fill(section, facts, signal) {
  const columns = [{ key: "word" }, { key: "count" }];
  const most = Math.max(1, ...facts.members.map((m) => m.count));
  refill(section,
    h("div", { class: "panel-head" }, h("h2", {}, "Its words, most frequent first"), takeAway(`class ${facts.path || "root"}`, columns, facts.members)),
    wordFlow(facts.members.map((m) => m.word), facts.members.map((m) => [h("span", { class: "one", title: plural(m.count, "occurrence"),
      vars: { "font-size": `${0.9 + 0.5 * Math.log1p(m.count) / Math.log1p(most)}em` } }, wordLink(m.word)), " "])),
    facts.rare ? h("p", { class: "soft" }, facts.too_rare ? `${facts.n_words ? "These words share a class with those" : "This class stands for the words"} that are too rare to be learned: ${plural(facts.rare, "token")}.`
      : `Also contains ${plural(facts.rare, "token")} of words that are too rare to be learned.`) : null,
    facts.members.length < facts.n_words ? more(section, facts, signal) : null);
}

function more(section, facts, signal) {
  const rest = `${number(facts.members.length)} of ${number(facts.n_words)} words`;
  if (isExported() || facts.members.length >= ALL) return h("p", { class: "soft" }, rest);
  const said = h("span", { class: "soft", role: "status" }, rest);
  const load = async () => {
    try {
      fill(section, await ask("class", { path: facts.path, n: ALL }, signal), signal);
    } catch (error) {
      if (!signal.aborted) said.textContent = error.message;
    }
  };
  return h("p", { class: "buttons" }, said,
    h("button", { type: "button", class: "button", onclick: load }, facts.n_words > ALL ? `Show ${number(ALL)}` : "Show all"));
}

function nodes(title, list) {
  const columns = [{ key: "path" }, { key: "label" }, { key: "tokens" }];
  return h("section", { class: "panel" },
    h("div", { class: "panel-head" }, h("h2", {}, title), takeAway(title, columns, list)),
    list.map((node) => h("p", {}, classLink(node.path, node.label))));
}
