// The look of a tag: a colour, a line style if there are more tags than colours, and always its name.

import { h, address, wordText, wordsText, shortened, COLOURS } from "./dom.js";

const LINES = ["solid", "dashed", "dotted", "double"];

// The style of an element that stands for a tag: the variables --tint and --line-kind.
export function tagLook(tag) {
  return { "--tint": COLOURS[tag % COLOURS.length], "--line-kind": LINES[Math.floor(tag / COLOURS.length) % LINES.length] };
}

export function tagMark(tag) {
  return h("span", { class: "tag-mark", vars: tagLook(tag), "aria-hidden": "true" });
}

export function tagLink(tag, label) {
  return h("a", { class: "taglink", href: address("tag", tag) }, tagMark(tag), wordText(label, 30));
}

// A tag in a list, with typical words as a reminder.
export function tagStep({ tag, label, words }) {
  return [tagLink(tag, label), " ", wordsText(words, 14)];
}

// A tag in plain text, with typical words as a reminder.
export function tagText({ label, typical }) {
  return shortened(label, 30) + (typical.length ? ` (${typical.slice(0, 2).map((row) => shortened(row.word, 20)).join(", ")})` : "");
}
