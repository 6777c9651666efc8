// Colours a text by surprise: the surprisal of each word, given the words before it.

import { h, number, plural, refill, rounded, wordText } from "./dom.js";
import { ask, isExported } from "./ask.js";
import { table, takeAway } from "./table.js";
import { LONGEST, charactersLeft, sentenceDirection, remember, typedText } from "./typed-text.js";

const MOST = 20; // bits of the strongest colour
const STEP = 4; // bits between two colours of the legend
const NOTHING = { text: "", sentences: [] };
const END = "end of sentence";
const TAKEN = ["sentence", "word", "bits", "known"].map((key) => ({ key }));
const COLUMNS = [
  { key: "sentence", title: "sentence", kind: "count" },
  { key: "word", title: "word", show: (row) => (row.isEnd ? h("span", { class: "soft" }, END) : [wordText(row.word, 40), row.known ? null : h("span", { class: "soft" }, " unknown")]) },
  { key: "bits", title: "bits", digits: 1, bar: true },
  { key: "chance", title: "probability", kind: "text", show: (row) => chance(row.bits) },
];

export const surpriseView = {
  names: ["surprise"], title: "Surprise", does: "which words of a text are unexpected", part: "lm",
  async show(place, route, { signal }) {
    place.dataset.title = "Surprise";
    const text = isExported() ? "" : (route.query.get("text") ?? "").slice(0, LONGEST);
    place.append(...panels(text, await surpriseOf(text, signal), signal));
  },
};

// An empty text requests a sentence of the corpus.
function surpriseOf(text, signal) {
  return ask("surprise", text ? { text } : {}, signal);
}

function panels(given, first, signal) {
  const usual = given ? null : first.text; // the example is not written to the address
  let answer = first;
  const said = h("p", { class: "soft", role: "status" });
  const mean = h("span", { class: "soft" });
  const body = h("div", { class: "tagged" });
  const list = h("div", { class: "wide-rows" });
  const draw = () => {
    const rows = rowsOf(answer);
    refill(body, rows.length ? answer.sentences.map(({ words }, i) => h("p", { class: "tagged-line", dir: sentenceDirection(words) }, rows.filter((row) => row.sentence === i + 1).map((row) => [token(row), " "])))
      : h("span", { class: "soft" }, "No words yet."));
    mean.textContent = meanOf(rows);
    refill(list, table(COLUMNS, rows));
    numbers.hidden = rows.length === 0;
  };
  const { box } = typedText("A text to colour", first.text, signal, {
    typed: () => {},
    act: async (mine) => {
      remember("surprise", new URLSearchParams(box.value && box.value !== usual ? { text: box.value } : {}));
      const found = box.value ? await surpriseOf(box.value, mine) : NOTHING;
      if (mine.aborted) return;
      answer = found;
      said.textContent = charactersLeft(box);
      draw();
    },
    failed: (error) => { said.textContent = error.message; },
  });
  const numbers = h("section", { class: "panel" },
    h("div", { class: "panel-head" }, h("h2", {}, "Surprise of each word"), takeAway("surprise", TAKEN, () => rowsOf(answer))), list);
  draw();
  return [
    h("section", { class: "panel surprising" },
      h("div", { class: "panel-head" }, h("h2", {}, "Surprising words"), mean),
      isExported() ? h("p", { class: "soft" }, "A sentence of the corpus. For other text, start the server: firth explore MODEL") : box, said,
      h("div", { class: "surprise-main" }, body, legend())),
    numbers,
  ];
}

// A row for each word, and for the end of each sentence.
function rowsOf({ sentences }) {
  return sentences.flatMap(({ words, end }, i) => [
    ...words.map((one) => ({ ...one, sentence: i + 1, isEnd: false })),
    { word: "</s>", bits: end, known: true, sentence: i + 1, isEnd: true },
  ]);
}

function bitsOf(bits) {
  return bits === null ? "∞" : bits.toFixed(1);
}

function chance(bits) {
  if (bits === null) return "0";
  const one = 2 ** bits;
  return one < 2 ? rounded(1 / one, 2) : one < 1e9 ? `1 in ${number(Number(one.toPrecision(2)))}` : "less than 1 in 1,000,000,000";
}

function token(row) {
  const kind = row.isEnd ? " surprise-end" : row.known ? "" : " unseen";
  const title = `${row.isEnd ? `${END}: ` : row.known ? "" : "unknown word: "}${bitsOf(row.bits)} bits, probability ${chance(row.bits)}`;
  return h("span", { class: `token surprise ${colour(row.bits)}${kind}`, vars: share(row.bits), title },
    row.isEnd ? h("span", { class: "word" }, "end") : wordText(row.word, 30), h("span", { class: "surprise-bits" }, `${bitsOf(row.bits)}${row.known ? "" : " ?"}`));
}

function percentOf(bits) {
  return Math.round(100 * Math.min(1, (bits ?? MOST) / MOST));
}

function share(bits) {
  return { "--much": `${percentOf(bits)}%` };
}

// The class of cells of this colour, on which text has another colour; as in the table of transition probabilities.
function colour(bits) {
  const much = percentOf(bits);
  return much > 89 ? "strong" : much > 58 ? "middle" : "weak";
}

function legend() {
  const steps = Array.from({ length: MOST / STEP + 1 }, (_, i) => i * STEP);
  return h("ul", { class: "tagged-legend surprise-legend", "aria-label": "Colours" },
    steps.map((bits) => h("li", { class: `surprise ${colour(bits)}`, vars: share(bits) }, bits === MOST ? `${bits} bits or more` : plural(bits, "bit"))),
    h("li", { class: "soft" }, h("i", {}, "word"), " ?: an unknown word, letter by letter"));
}

function meanOf(rows) {
  const counted = rows.filter((row) => row.known && row.bits !== null);
  if (counted.length === 0) return "";
  return `mean of known words and ends of sentences: ${(counted.reduce((sum, row) => sum + row.bits, 0) / counted.length).toFixed(2)} bits`;
}
