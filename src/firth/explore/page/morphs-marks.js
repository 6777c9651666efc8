// The look of the parts of words: stems are bold, and affixes have a hyphen where the word goes on.

import { h, address, wordText, isRightToLeft } from "./dom.js";
import { isExported } from "./ask.js";

// A part as people write it: un-, employ, -ment.
export function partText({ text, kind }) {
  if (kind === "prefix") return text.endsWith("-") ? text : `${text}-`;
  if (kind === "suffix") return text.startsWith("-") ? text : `-${text}`;
  return text;
}

// The suffixes of an ending; a zero for the stem alone.
export function endingText(ending) {
  return ending.map((text) => partText({ text, kind: "suffix" })).join("") || "∅";
}

// A part as a link to its view; stems are plain text in an exported page, which does not contain them.
export function partLink(part) {
  const shown = wordText(partText(part), 40);
  if (isExported() && part.kind === "stem") return h("span", { class: "part part-stem" }, shown);
  return h("a", { class: `part part-${part.kind}`, href: address("morph", part.kind, part.text), title: part.kind }, shown);
}

// The parts of a word in a line, in the direction of its script.
export function partsLine({ word, parts, corrected }) {
  return h("span", { class: "parts", dir: isRightToLeft(word) ? "rtl" : "ltr" }, parts.map((part) => [partLink(part), " "]),
    corrected ? h("span", { class: "corrected", title: "The parts were given by a user." }, "corrected") : null);
}
