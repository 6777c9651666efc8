// A sentence of the parse view: its best trees, and the probabilities of its phrases.

import { h, isRightToLeft, number, percent, plural, refill, rounded, shortened, wordText } from "./dom.js";
import { takeAway } from "./table.js";
import { treePicture } from "./parse-tree.js";
import { spanChart } from "./parse-spans.js";

const TAKEN = ["label", "start", "end", "words", "p"].map((key) => ({ key }));
const HINT = "Point at a node, or use the arrow keys.";

// An element with a sentence and its trees, or with the problem that it has none: answer is an answer of the server, or { text, problem }.
// at is the number of the tree to begin with, title a heading, and chosen is called when another tree is chosen.
// place() must be called once the element is in the document, where it has a size.
export function sentencePanel(answer, { at, title, chosen }) {
  const { text, problem } = answer;
  const heading = title ? h("div", { class: "panel-head" }, h("h2", {}, title), h("bdi", { class: "soft" }, shortened(text, 160))) : null;
  if (problem) return { element: h("section", { class: "panel" }, heading, h("p", { class: "parse-none", role: "status" }, told(problem))), place: () => {}, tree: () => null, number: () => 0 };
  let k = answer.trees[at] ? at : 0;
  const rightToLeft = isRightToLeft(text);
  const node = h("p", { class: "heat-told parse-told", role: "status" });
  const picture = treePicture((found) => { tellNode(node, found, answer); chart.mark(found); });
  const chart = spanChart((span) => picture.mark(span));
  const tree = () => answer.trees[k];
  const draw = () => {
    picture.draw(tree().nodes, answer.words, { probability: (one) => probability(one, answer), others: new Set(lacking(answer.trees[0], tree())), rightToLeft });
    chart.frame(tree().nodes);
    tellNode(node, null, answer);
  };
  const several = answer.trees.length > 1;
  const list = several ? h("div", { class: "parse-best" }, choices(answer, k, (i) => { k = i; draw(); chosen(); })) : null;
  const phrases = answer.phrases.length ? h("details", { class: "panel phrases", open: !title },
    h("summary", {}, h("h2", {}, "Phrase probabilities"), h("span", { class: "soft" }, "summed over all trees; each phrase is above its words")),
    h("div", { class: "panel-head" }, takeAway("phrases", TAKEN, () => answer.phrases.map((one) => ({ ...one, words: wordsOf(one, answer).join(" ") })))),
    chart.element) : null;
  phrases?.addEventListener("toggle", () => { if (phrases.open) { chart.draw(answer, rightToLeft); chart.frame(tree().nodes); } });
  return {
    element: h("div", { class: "parse-sentence" }, h("section", { class: "panel" }, heading,
      h("div", { class: "parse-notes", role: "status" }, notesOf(answer)),
      h("div", { class: `parse-main${several ? "" : " alone"}` }, h("div", {}, node, picture.element), list)), phrases),
    place() { draw(); if (phrases?.open) { chart.draw(answer, rightToLeft); chart.frame(tree().nodes); } },
    tree, number: () => k, picture: () => picture.picture(),
  };
}

function told(error) {
  return error.hint && error.status === 422 ? `${error.message} ${error.hint}` : error.message;
}

function keyOf({ start, end, label }) {
  return `${start} ${end} ${label}`;
}

function wordsOf({ start, end }, answer) {
  return answer.words.slice(start, end).map(({ word }) => word);
}

// The probability of a phrase; null if it is not known.
function probability(node, answer) {
  if (!answer.found) return null;
  return answer.phrases.find((one) => keyOf(one) === keyOf(node))?.p ?? 0;
}

function notesOf(answer) {
  const unseen = answer.words.filter(({ known }) => !known);
  return [
    answer.found ? null : h("p", { class: "parse-none" }, "The grammar cannot parse this sentence. The tree only groups its words."),
    unseen.length ? h("p", { class: "soft" }, "Unknown words: ", unseen.slice(0, 12).map(({ word }, i) => [i ? ", " : "", wordText(word, 24)]),
      unseen.length > 12 ? ` and ${plural(unseen.length - 12, "other")}` : "", ". Their tags are guessed from the spelling.") : null,
  ];
}

// Describes a node: its label, its words, and the probability of the phrase.
function tellNode(place, node, answer) {
  if (!node) { refill(place, HINT); return; }
  const p = probability(node, answer);
  refill(place, h("b", {}, wordText(node.label, 20)), p === null ? "" : p ? ` ${percent(p)}` : " less than 1 %", ": ",
    h("bdi", {}, wordsOf(node, answer).map((word) => shortened(word, 24)).join(" ")), partsOf(node, answer));
}

// The parts of the word of a tag.
function partsOf(node, answer) {
  const parts = node.children.length ? [] : answer.words[node.start].parts;
  return parts.length ? h("span", { class: "soft" }, " = ", h("bdi", {}, parts.join(" + "))) : null;
}

// The list of the best trees.
function choices(answer, at, chosen) {
  const [first] = answer.trees;
  const name = `tree-${Math.random()}`; // one choice for each sentence
  const others = answer.trees.some((tree) => (tree.log_prob ?? -Infinity) > (first.log_prob ?? -Infinity));
  return h("fieldset", { class: "parse-list" }, h("legend", {}, `The ${answer.trees.length} best trees`),
    h("p", { class: "soft" }, "log-probability, ratio to the first tree, and differences"),
    answer.trees.map((tree, i) => h("label", { class: "parse-choice" },
      h("input", { type: "radio", name, value: i + 1, checked: i === at, onchange: () => chosen(i) }),
      h("span", { class: "parse-rank" }, i + 1),
      h("span", { class: "figure" }, tree.log_prob === null ? "–" : tree.log_prob.toFixed(2).replace("-", "−")),
      h("span", { class: "figure soft" }, i === 0 ? "" : compared(tree.log_prob, first.log_prob)),
      h("span", { class: "parse-differs" }, differences(tree, first, answer)))),
    others ? h("p", { class: "soft" }, "The parser prefers trees of probable phrases, so the first tree need not be the most probable one.") : null);
}

// The ratio of the probability of a tree to that of the first one.
function compared(log, first) {
  if (log === null || first === null) return "–";
  const ratio = Math.exp(log - first);
  if (ratio >= 0.095) return `${rounded(ratio, 2)} ×`;
  const less = Number((1 / ratio).toPrecision(2));
  return less < 1e9 ? `1/${number(less)}` : "nearly 0";
}

// Two of the nodes that the first tree does not have, or else two that this tree lacks.
function differences(tree, first, answer) {
  const more = lacking(first, tree);
  return (more.length ? more : lacking(tree, first)).slice(0, 2).map((node) => {
    const words = wordsOf(node, answer).map((word) => shortened(word, 12));
    const text = words.length > 3 ? `${words[0]} … ${words.at(-1)}` : words.join(" ");
    return h("span", { class: "parse-other" }, more.length ? "" : "no ", h("b", {}, wordText(node.label, 12)), " ", h("bdi", {}, text));
  });
}

// The nodes of another tree that a tree does not have.
function lacking(tree, other) {
  const known = new Map();
  for (const node of tree.nodes) known.set(keyOf(node), (known.get(keyOf(node)) ?? 0) + 1);
  return other.nodes.filter((node) => {
    const left = known.get(keyOf(node)) ?? 0; // the same label may occur twice above the same words
    known.set(keyOf(node), left - 1);
    return left <= 0;
  });
}

