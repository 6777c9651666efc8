// How a tag is marked: a colour, a kind of line where there are more tags than colours, and always its name.

import { h, address, wordText, shortened, COLOURS } from "./dom.js";

const LINES = ["solid", "dashed", "dotted", "double"];

// What an element needs to look like a tag: the variables --tint and --line-kind.
export function tagLook(tag) {
  return { "--tint": COLOURS[tag % COLOURS.length], "--line-kind": LINES[Math.floor(tag / COLOURS.length) % LINES.length] };
}

export function tagMark(tag) {
  return h("span", { class: "tag-mark", vars: tagLook(tag), "aria-hidden": "true" });
}

export function tagLink(tag, label) {
  return h("a", { class: "taglink", href: address("tag", tag) }, tagMark(tag), wordText(label, 30));
}

// A tag of a list, with words that help to remember it.
export function tagStep({ tag, label, words }) {
  return [tagLink(tag, label), h("span", { class: "soft" }, words.map((word) => [" ", wordText(word, 14)]))];
}

// A tag in plain text, with a word that helps to remember it.
export function tagText({ label, typical }) {
  return shortened(label, 30) + (typical.length ? ` (${typical.slice(0, 2).map((row) => shortened(row.word, 20)).join(", ")})` : "");
}
