// Parses the sentences of a text: the trees of each.

import { h, refill, wordText, isRightToLeft, plural } from "./dom.js";
import { ask, isExported, Problem } from "./ask.js";
import { copyButton, fileName, save, takeButton } from "./table.js";
import { sentencePanel } from "./parse-sentence.js";
import { stacked } from "./parse-tree.js";
import { conllu } from "./conllu.js";
import { LONGEST, charactersLeft, remember, typedText } from "./typed-text.js";

const TREES = 10;
const MOST = 40; // sentences of a text

export const parseView = {
  names: ["parse"], title: "Parse", does: "draw the trees of sentences", part: "grammar",
  async show(place, route, { signal }) {
    place.dataset.title = "Parse";
    const text = isExported() ? "" : (route.query.get("text") ?? "").slice(0, LONGEST);
    const numbers = (route.query.get("tree") ?? "").split(".").map((one) => (Number.parseInt(one, 10) || 1) - 1);
    let [answers, trouble] = [[], null];
    try {
      answers = await answersTo(text, signal);
    } catch (error) {
      if (!text || !(error instanceof Problem) || error.status !== 0) throw error; // a text stays in the box if the server does not respond
      trouble = error;
    }
    place.append(...panels({ text, numbers, answers, trouble }, signal));
  },
};

// What the server says of each sentence; an empty text requests an example.
async function answersTo(text, signal, known = new Map()) {
  if (!text) return [await ask("parse", { n: TREES }, signal)];
  const found = [];
  const sentences = await ask("sentences", { text }, signal);
  for (const one of sentences.slice(0, MOST)) found.push(known.get(one) ?? await answerTo(one, signal));
  if (sentences.length > MOST) found.push({ text: "", problem: { message: `The first ${MOST} of ${plural(sentences.length, "sentence")} are parsed.` } });
  return found;
}

async function answerTo(text, signal) {
  try {
    return await ask("parse", { text, n: TREES }, signal);
  } catch (error) {
    if (error.status !== 422) throw error;
    return { text, problem: error }; // the others may be parsed
  }
}

function panels({ text, numbers, answers: first, trouble }, signal) {
  const example = text ? null : first[0].text; // the example is not written to the address
  let answers = first;
  let shown = [];
  const said = h("p", { class: "soft", role: "status" }, trouble?.message ?? "");
  const own = h("p", { class: "soft", hidden: !example }, "An example of known words. Type or paste your own text.");
  const list = h("div", { class: "parse-sentences" });
  const parsed = () => shown.filter((one) => one.tree());
  const brackets = () => parsed().map((one) => `${one.tree().brackets}\n`).join("");
  const name = () => fileName(`tree ${answers[0]?.text ?? ""}`).replace(/[-.]+$/, "");
  const taking = h("span", { class: "takeaway", role: "group", "aria-label": "Copy or save: the trees" },
    copyButton("copy", "Copy in bracket notation, a tree a line", brackets),
    takeButton("brackets", "Save in bracket notation, a tree a line", () => save(brackets(), `${name()}.mrg`, "text/plain")),
    takeButton("CoNLL-U", "Save the words with their tags, and each tree in brackets", () => save(conllu(sentencesOf(answers, shown)), `${name()}.conllu`, "text/plain")),
    takeButton("SVG", "Save as a picture", () => save(stacked(parsed().map((one) => one.picture())), `${name()}.svg`, "image/svg+xml")));

  const write = () => remember("parse", queryOf(box.value, example, shown.map((one) => one.number())));
  const draw = () => {
    shown = answers.map((answer, i) => sentencePanel(answer, { at: numbers[i] ?? 0, title: answers.length > 1 && answer.text ? `Sentence ${i + 1}` : "", chosen: write }));
    refill(list, shown.map((one) => one.element));
    taking.hidden = parsed().length === 0;
    if (answers.length === 0 && !trouble) refill(list, h("p", { class: "soft" }, "No words yet."));
    const place = () => { for (const one of shown) one.place(); };
    if (list.isConnected) place();
    else list.closest(".view")?.addEventListener("shown", place, { once: true });
  };
  const { box } = typedText("A text to parse", example ?? text, signal, {
    typed: () => { own.hidden = true; numbers = []; },
    act: async (mine) => {
      const known = new Map(answers.filter((one) => !one.problem).map((one) => [one.text, one]));
      const found = box.value.trim() ? await answersTo(box.value, mine, known) : [];
      if (mine.aborted) return;
      [answers, trouble] = [found, null];
      said.textContent = charactersLeft(box);
      draw();
      write();
    },
    failed: (error) => { said.textContent = error.message; },
  });
  const panel = h("section", { class: "panel parsing" },
    h("div", { class: "panel-head" }, h("h2", {}, "A text and its trees"), taking),
    isExported() ? h("p", { class: "soft" }, wordText(example, LONGEST), " Other text needs the server: firth explore MODEL") : [box, own], said);
  queueMicrotask(draw); // when the list is in the view
  return [panel, list];
}

// The sentences that have trees, for CoNLL-U: the tags of words, their parts, and the tree.
function sentencesOf(answers, shown) {
  return answers.flatMap(({ text, words }, i) => {
    const tree = shown[i].tree();
    if (!tree) return [];
    const tags = tree.nodes.filter((node) => node.word !== null);
    return { text, comments: [["tree", tree.brackets]], words: words.map(({ word, parts }, k) => ({ word, parts, xpos: tags[k].label })) };
  });
}

// The numbers of the trees that are chosen: 2.1.3 if it is the second, the first and the third.
function queryOf(text, example, numbers) {
  const query = new URLSearchParams();
  if (text && text !== example) query.set("text", text);
  if (numbers.some((k) => k > 0)) query.set("tree", numbers.map((k) => k + 1).join("."));
  return query;
}
