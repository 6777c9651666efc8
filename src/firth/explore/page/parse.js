// Parses a sentence: its best trees, and the probabilities of its phrases.

import { h, isRightToLeft, number, percent, plural, refill, rounded, shortened, wordText } from "./dom.js";
import { ask, isExported, Problem } from "./ask.js";
import { copyButton, fileName, save, takeAway, takeButton } from "./table.js";
import { treePicture } from "./parse-tree.js";
import { spanChart } from "./parse-spans.js";
import { LONGEST, remember, typedText } from "./typed-text.js";

const TREES = 10;
const TAKEN = ["label", "start", "end", "words", "p"].map((key) => ({ key }));
const NOTHING = { text: "", words: [], found: true, trees: [], phrases: [] };
const HINT = "Point at a node, or use the arrow keys.";

export const parseView = {
  names: ["parse"], title: "Parse", does: "draw the tree of a sentence", part: "grammar",
  async show(place, route, { signal }) {
    place.dataset.title = "Parse";
    const choice = { text: isExported() ? "" : (route.query.get("text") ?? "").slice(0, LONGEST), tree: Number.parseInt(route.query.get("tree") ?? "1", 10) - 1 };
    const first = await begin(choice.text, signal);
    place.append(...panels(choice, first, signal));
  },
};

// An empty text requests an example sentence.
function parseOf(text, signal) {
  return ask("parse", text ? { text, n: TREES } : { n: TREES }, signal);
}

// The first answer. A sentence stays in the box if it is too long, so that it can be shortened, or if the server does not respond.
async function begin(text, signal) {
  try {
    return { answer: await parseOf(text, signal), trouble: null };
  } catch (error) {
    if (!(error instanceof Problem) || ![0, 422].includes(error.status)) throw error;
    return { answer: { ...NOTHING, text }, trouble: error };
  }
}

function panels(choice, { answer: first, trouble }, signal) {
  const usual = choice.text ? null : first.text; // the example is not written to the address
  let answer = first;

  const said = h("p", { class: "soft", role: "status" }, trouble ? told(trouble) : "");
  const notes = h("div", { class: "parse-notes", role: "status" });
  const node = h("p", { class: "heat-told parse-told", role: "status" });
  const own = h("p", { class: "soft", hidden: choice.text !== "" || !first.text }, "An example of known words. Type your own sentence.");
  const list = h("div", { class: "parse-best" });
  const picture = treePicture((found) => { tellNode(node, found, answer); chart.mark(found); });
  const chart = spanChart((span) => picture.mark(span));
  const tree = () => answer.trees[choice.tree];
  const sentence = () => answer.words.map(({ word }) => word).join(" ");
  const taking = h("span", { class: "takeaway", role: "group", "aria-label": "Copy or save: the tree" },
    copyButton("brackets", "Copy the tree in bracket notation", () => tree()?.brackets ?? ""),
    takeButton("SVG", "Save the tree as an image", () => { if (tree()) save(picture.file(), `${fileName(`tree ${sentence()}`).replace(/[-.]+$/, "")}.svg`, "image/svg+xml"); }));
  const phrases = h("section", { class: "panel" },
    h("div", { class: "panel-head" }, h("h2", {}, "Phrase probabilities"), h("span", { class: "soft" }, "summed over all trees; each phrase is above its words"),
      takeAway("phrases", TAKEN, () => answer.phrases.map((one) => ({ ...one, words: wordsOf(one, answer).join(" ") })))),
    chart.element);

  const drawTree = () => {
    picture.draw(tree().nodes, answer.words, {
      probability: (one) => probability(one, answer), others: new Set(lacking(answer.trees[0], tree())), rightToLeft: isRightToLeft(answer.text) });
    chart.frame(tree().nodes);
    tellNode(node, null, answer);
  };
  const draw = () => {
    if (!tree()) choice.tree = 0;
    refill(notes, ...notesOf(answer));
    refill(list, answer.trees.length > 1 ? choices(answer, choice, () => { remember("parse", queryOf(choice, usual)); drawTree(); }) : null);
    main.classList.toggle("alone", answer.trees.length < 2);
    taking.hidden = !tree();
    phrases.hidden = answer.phrases.length === 0;
    chart.draw(answer, isRightToLeft(answer.text));
    if (tree()) drawTree();
    else { picture.clear(); refill(node, trouble ? "" : "No words yet."); }
  };
  const { box } = typedText("A sentence to parse", first.text, signal, {
    typed: (text) => { own.hidden = true; Object.assign(choice, { text, tree: 0 }); },
    act: async (mine) => {
      remember("parse", queryOf(choice, usual));
      const found = box.value ? await parseOf(choice.text, mine) : NOTHING;
      if (mine.aborted) return;
      [answer, trouble] = [found, null];
      said.textContent = "";
      draw();
    },
    failed: (error) => { said.textContent = told(error); },
  });
  const main = h("div", { class: "parse-main" }, h("div", {}, node, picture.element), list);
  draw();
  return [
    h("section", { class: "panel parsing" },
      h("div", { class: "panel-head" }, h("h2", {}, "A sentence and its tree"), taking),
      isExported() ? h("p", { class: "soft" }, wordText(first.text, LONGEST), " Other sentences need the server: firth explore MODEL") : [box, own], said, notes, main),
    phrases,
  ];
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
    h("bdi", {}, wordsOf(node, answer).map((word) => shortened(word, 24)).join(" ")));
}

// The list of the best trees.
function choices(answer, choice, chosen) {
  const [first] = answer.trees;
  const others = answer.trees.some((tree) => (tree.log_prob ?? -Infinity) > (first.log_prob ?? -Infinity));
  return h("fieldset", { class: "parse-list" }, h("legend", {}, `The ${answer.trees.length} best trees`),
    h("p", { class: "soft" }, "log-probability, ratio to the first tree, and differences"),
    answer.trees.map((tree, i) => h("label", { class: "parse-choice" },
      h("input", { type: "radio", name: "parse-tree", value: i + 1, checked: i === choice.tree, onchange: () => { choice.tree = i; chosen(); } }),
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

function queryOf({ text, tree }, usual) {
  const query = new URLSearchParams();
  if (text && text !== usual) query.set("text", text);
  if (tree > 0) query.set("tree", tree + 1);
  return query;
}
