// The senses of a word: the share of each sense, its typical context words, and lines.

import { h, directionOf, address, wordLink, wordText, visible, number, percent, rounded, plural, isRightToLeft, problem, refill, COLOURS, wordFlow } from "./dom.js";
import { ask, Problem } from "./ask.js";
import { takeAway } from "./table.js";
import { searchBox } from "./search.js";

const MOST = 6;
const LONG = 40;
const LEARNING = "Learning the senses from its contexts …";
const TAKEN = ["sense", "share", "word", "side", "count", "ratio", "bits"].map((key) => ({ key }));

export const sensesView = {
  names: ["senses"], title: "Senses", under: "word", server: true, part: "corpus",
  show(place, route, { model, signal }) {
    const word = route.parts[0];
    place.dataset.title = word ? `Senses of ${visible(word).slice(0, 60)}` : "Senses";
    if (!word) { place.append(...choosing(model)); return; }
    const asked = Number.parseInt(route.query.get("n") ?? "", 10);
    const n = asked >= 1 && asked <= MOST ? asked : null;
    const status = h("p", { class: "soft", role: "status" }, LEARNING);
    const body = h("div", { class: "senses", "aria-busy": "true" }, status);
    place.append(heading(word), body);
    // learning takes a moment; the heading is shown already
    fill(body, word, n, signal, (pending) => { status.textContent = progress(pending); }).catch((error) => {
      if (signal.aborted) return;
      if (!(error instanceof Problem)) console.error(error);
      body.removeAttribute("aria-busy");
      refill(body, problem(error instanceof Problem ? error : new Problem("Internal error of the page.", String(error))));
    });
  },
};

// The form, if no word is chosen yet.
function choosing(model) {
  const box = searchBox({ label: "A word", placeholder: "a word", kinds: ["word"], choose: (entry) => { location.hash = address("senses", entry.text); } });
  return [
    h("div", { class: "form" }, h("label", {}, "A word", box.element)),
    h("p", { class: "soft" }, "Which senses does a word have? Choose a word, or start with one of these:"),
    h("ul", { class: "chips", dir: directionOf(model.examples.join(" ")) }, model.examples.map((word) => h("li", {}, h("a", { href: address("senses", word) }, wordText(word))))),
  ];
}

function heading(word) {
  const long = Array.from(word).length > LONG;
  return h("div", { class: "head" }, h("h1", { class: long ? "long" : undefined }, h("bdi", {}, visible(word))),
    h("p", { class: "facts" }, h("span", {}, "senses"), h("a", { href: address("word", word) }, "word view")));
}

function progress({ progress: done, ahead }) {
  if (ahead > 0) return `Waiting for the senses of ${plural(ahead, "other word")} …`;
  return done > 0 ? `${LEARNING} ${percent(done, 0)}` : LEARNING;
}

async function fill(body, word, n, signal, tell) {
  const found = await ask("senses", n ? { word, n } : { word }, signal, tell);
  if (signal.aborted) return;
  const several = found.senses.length > 1;
  body.removeAttribute("aria-busy");
  refill(body,
    h("section", { class: "panel" },
      h("div", { class: "panel-head" }, h("h2", {}, plural(found.senses.length, "sense")), h("span", { class: "soft" }, reading(found)),
        takeAway(`senses of ${word}`, TAKEN, rows(found))),
      several ? shares(found) : null, lengths(found, word, n)),
    found.senses.map((sense, k) => card(sense, k, found, several)),
    h("p", { class: "soft" }, "Senses are clusters of contexts, learned without labels. ", h("b", {}, "~"), " stands for the word itself. A typical word is at least twice as frequent here as ",
      several ? "in the other senses." : "in the whole text."));
}

function reading(found) {
  const used = found.n_contexts < found.count ? `${number(found.n_contexts)} of ${plural(found.count, "occurrence")}, evenly spread` : plural(found.count, "occurrence");
  return `${used}; ${plural(found.window, "word")} on each side`;
}

// One bar for all senses; each part links to its sense.
function shares(found) {
  return h("div", { class: "sense-bar" }, found.senses.map((sense, k) => h("button", {
    type: "button", class: "sense-part", title: `Sense ${k + 1}: ${percent(sense.share)}`, "aria-label": `Sense ${k + 1}, ${percent(sense.share)}`,
    vars: { "--share": String(Math.max(sense.share, 0.001)), "--tint": COLOURS[k % COLOURS.length] },
    onclick: () => { const to = document.getElementById(`sense-${k + 1}`); to?.scrollIntoView({ block: "nearest" }); to?.focus({ preventScroll: true }); },
  })));
}

// How the number of senses was chosen: the description length of each number, and links to try others.
function lengths(found, word, n) {
  const one = found.lengths[0].bits;
  const known = new Map(found.lengths.map((length) => [length.n_senses, length]));
  const choice = (k) => {
    const length = known.get(k);
    const saved = length ? one - length.bits : null;
    const told = saved === null ? "–" : k === 1 ? number(Math.round(one)) : `${saved < 0 ? "+" : "−"}${number(Math.round(Math.abs(saved)))}`;
    return h("a", { class: "sense-choice", href: `${address("senses", word)}?n=${k}`, "aria-current": k === found.senses.length ? "true" : undefined, title: length ? `${number(Math.round(length.bits))} bits, ${number(Math.round(length.model_bits))} of them for the senses themselves` : `Learn ${plural(k, "sense")}` },
      h("b", {}, k), " ", h("span", { class: "figure" }, told));
  };
  const what = found.senses.length === 1 ? "One sense describes" : `${found.senses.length} senses describe`;
  return h("div", { class: "sense-why" },
    h("p", {}, n ? ["The number of senses is fixed. ", h("a", { href: address("senses", word) }, "Choose the best number")] : `${what} its contexts in the fewest bits:`),
    h("div", { class: "sense-choices", role: "group", "aria-label": "Number of senses" }, Array.from({ length: MOST }, (_, i) => choice(i + 1))));
}

function card(sense, k, found, several) {
  return h("section", { class: "panel sense", id: `sense-${k + 1}`, tabindex: "-1", "aria-label": `Sense ${k + 1}`, vars: { "--tint": several ? COLOURS[k % COLOURS.length] : "var(--accent)" } },
    h("div", { class: "sense-about" },
      h("div", { class: "sense-head" }, h("h2", {}, several ? `Sense ${k + 1}` : "Its contexts"), several ? h("b", { class: "figure" }, percent(sense.share)) : null),
      several ? h("div", { class: "sense-share", vars: { "--share": `${100 * sense.share}%` } }) : null,
      sense.words.length ? wordFlow(sense.words.map((one) => one.word), sense.words.map((one) => [typical(one, several), " "])) : h("p", { class: "soft" }, "No typical words."),
      several && sense.n_contexts === 0 ? h("p", { class: "soft" }, "No occurrence has this sense: try fewer senses.") : null),
    lines(sense, found.word));
}

// A context word; if it is adjacent to the word itself, with its side.
function typical(one, several) {
  const told = `${rounded(one.ratio, 2)} times as frequent as in ${several ? "the other senses" : "the whole text"}; ${rounded(one.count, 3)} occurrences here`;
  return h("span", { class: "one", title: told }, one.side === "after" ? h("span", { class: "soft" }, "~ ") : null, wordLink(one.word, 30), one.side === "before" ? h("span", { class: "soft" }, " ~") : null);
}

function lines(sense, word) {
  const dir = isRightToLeft(word) ? "rtl" : "ltr";
  const flat = (text) => visible(text.replace(/\s/gu, " "));
  return h("div", { class: "kwic", dir }, sense.lines.map((line) => h("div", { title: line.source },
    h("span", { class: "before" }, h("bdi", { dir }, flat(line.left))),
    h("span", { class: "middle" }, h("bdi", {}, visible(line.word).slice(0, 200))),
    h("span", { class: "after" }, h("bdi", { dir }, flat(line.right))))));
}

// The rows to copy or save: one for each typical word.
function rows(found) {
  return found.senses.flatMap((sense, k) => sense.words.map((one) => ({ sense: k + 1, share: sense.share, ...one })));
}
