// Tags a text that the user types.

import { h, wordLink, wordText, wordsText, refill } from "./dom.js";
import { ask, isExported } from "./ask.js";
import { save, table, takeAway, takeButton } from "./table.js";
import { conllu } from "./conllu.js";
import { tagsPicture } from "./tags-picture.js";
import { tagLink, tagLook, tagStep } from "./tags-marks.js";
import { LONGEST, charactersLeft, sentenceDirection, remember, typedText } from "./typed-text.js";

const TAKEN = ["sentence", "word", "tag", "label", "probability", "parts"].map((key) => ({ key }));

// query is the query of the route: text and decode.
export async function sentencePanel(facts, query, signal) {
  const given = query.get("decode");
  const decodes = new Map(facts.decodes.map((one) => [one.name, one]));
  const choice = { text: isExported() ? "" : (query.get("text") ?? "").slice(0, LONGEST), decode: decodes.has(given) ? given : facts.decode };
  const first = await tagAs(choice, signal);
  let answer = first;

  const how = h("select", { "aria-label": "How tags are chosen" },
    facts.decodes.map(({ name, title }) => h("option", { value: name, selected: name === choice.decode }, title)));
  const about = h("span", { class: "soft" });
  const said = h("p", { class: "soft", role: "status" });
  const body = h("div", { class: "tagged" });
  const details = h("div", { class: "tagged-details", "aria-live": "polite" });
  const legend = h("ul", { class: "tagged-legend", "aria-label": "The tags of this text" });

  const labels = facts.tags.map((tag) => tag.label);
  const labelOf = (token) => labels[token.tag];
  const draw = () => {
    about.textContent = decodes.get(answer.decode).about;
    const tokens = answer.sentences.flatMap((sentence) => sentence);
    refill(body, answer.sentences.map((sentence) => h("p", { class: "tagged-line", dir: sentenceDirection(sentence) }, sentence.map((token) => [one(token, facts, look), " "]))));
    const present = [...new Set(tokens.map((token) => token.tag))].sort((a, b) => a - b);
    refill(legend, present.map((tag) => h("li", {}, tagLink(tag, facts.tags[tag].label),
      " ", wordsText(facts.tags[tag].typical.slice(0, 4).map((row) => row.word), 16))));
    refill(details, h("p", { class: "soft" }, tokens.length ? "Point at a word, or select it, to see the probabilities of its tags." : "No words yet."));
  };
  const look = (token, node) => {
    for (const other of body.querySelectorAll("[aria-pressed='true']")) other.setAttribute("aria-pressed", "false");
    node.setAttribute("aria-pressed", "true");
    refill(details, ...tell(token, facts));
  };
  const { box, again } = typedText("A text to tag", first.text, signal, {
    typed: (text) => { choice.text = text; },
    act: async (mine) => {
      remember("tags", queryOf(choice, first, facts));
      const found = box.value ? await tagAs(choice, mine) : { text: "", decode: choice.decode, sentences: [] };
      if (mine.aborted) return;
      answer = found;
      said.textContent = charactersLeft(box);
      draw();
    },
    failed: (error) => { said.textContent = error.message; },
  });
  how.addEventListener("change", () => { choice.decode = how.value; again(); });
  draw();
  return h("section", { class: "panel tagging" },
    h("div", { class: "panel-head" }, h("h2", {}, "Tagged text"), h("label", { class: "soft" }, "decoded ", how), about,
      takeAway("tagged text", TAKEN, () => answer.sentences.flatMap((sentence, i) => sentence.map((token) => ({
        sentence: i + 1, word: token.word, tag: token.tag, label: labelOf(token), probability: shareOf(token), parts: token.parts.join(" ") }))), [
        takeButton("brackets", "Save in bracket notation, a sentence a line", () => save(bracketsOf(answer, labelOf), "tagged-text.mrg", "text/plain")),
        takeButton("CoNLL-U", "Save as CoNLL-U, with the parts of words in the column MISC", () => save(conlluOf(answer, labelOf, facts.column), "tagged-text.conllu", "text/plain")),
        takeButton("SVG", "Save as a picture", () => save(tagsPicture(answer.sentences, labels), "tagged-text.svg", "image/svg+xml"))])),
    isExported() ? h("p", { class: "soft" }, "A sentence of the corpus. To tag other text, start the server: firth explore MODEL") : box, said,
    h("div", { class: "tagged-main" }, h("div", {}, body, legend), details));
}

// An empty text requests a sentence of the corpus.
function tagAs({ text, decode }, signal) {
  return ask("tagged", text ? { text, decode } : { decode }, signal);
}

// A tree for each sentence, as flat as can be.
function bracketsOf({ sentences }, labelOf) {
  const plain = (text) => text.replaceAll("(", "-LRB-").replaceAll(")", "-RRB-").replace(/\s/gu, "_");
  return sentences.map((sentence) => `(S ${sentence.map((token) => `(${plain(labelOf(token))} ${plain(token.word)})`).join(" ")})\n`).join("");
}

function conlluOf({ sentences }, labelOf, column) {
  return conllu(sentences.map((sentence) => ({ text: sentence.map((token) => token.word).join(" "),
    words: sentence.map((token) => ({ word: token.word, parts: token.parts, [column]: labelOf(token) })) })));
}

function shareOf(token) {
  return token.guesses.find((guess) => guess.tag === token.tag).share;
}

function one(token, facts, look) {
  const shown = () => look(token, node);
  const node = h("button", {
    type: "button", class: `token${token.known ? "" : " unseen"}`, vars: tagLook(token.tag), "aria-pressed": "false",
    onclick: shown, onfocus: shown, onpointerenter: (event) => { if (event.pointerType === "mouse") shown(); },
  }, wordText(token.word, 30), h("span", { class: "token-tag" }, wordText(facts.tags[token.tag].label, 12)));
  return node;
}

const GUESSES = [
  { key: "tag", title: "tag", show: (row) => [tagStep(row), row.given ? " ←" : ""] },
  { key: "share", title: "probability", kind: "percent", bar: true },
];

function tell(token, facts) {
  const rows = token.guesses.map(({ tag, share }) => ({ tag, share, label: facts.tags[tag].label, words: facts.tags[tag].typical.slice(0, 2).map((one) => one.word), given: tag === token.tag && token.guesses[0].tag !== tag }));
  return [
    h("h3", {}, token.known ? wordLink(token.word) : wordText(token.word)),
    token.parts.length ? h("p", {}, h("span", { class: "soft" }, "parts "), h("bdi", {}, token.parts.join(" + "))) : null,
    token.known ? null : h("p", { class: "soft" }, "Unknown word: tagged by its spelling and position."),
    table(GUESSES, rows),
  ];
}

function queryOf({ text, decode }, first, facts) {
  const query = new URLSearchParams();
  if (text && text !== first.text) query.set("text", text);
  if (decode !== facts.decode) query.set("decode", decode);
  return query;
}
