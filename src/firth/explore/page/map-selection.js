// The panels beside the map: the words that were selected, and the word that was chosen with its neighbours.

import { h, wordLink, wordText, address, number, plural } from "./dom.js";
import { table, takeAway } from "./table.js";

const LISTED = 500;
const TAKEN = [{ key: "word" }, { key: "count" }, { key: "class" }, { key: "x" }, { key: "y" }];
const SHOWN = [{ key: "word", title: "word", kind: "word" }, { key: "count", title: "occurrences", kind: "count" }];
const NEAR = [{ key: "word" }, { key: "similarity" }];

// rows() has all that is known about the selected words, the most frequent first.
export function selectionPanel(rows, clear) {
  const found = rows();
  return [
    h("div", { class: "panel-head" }, h("h2", {}, `${plural(found.length, "word")} selected`), found.length > 0 ? takeAway("selected words", TAKEN, rows) : null),
    h("div", { class: "buttons" }, h("button", { type: "button", class: "button", onclick: clear }, "Clear"),
      found.length > LISTED ? h("span", { class: "soft" }, `The ${number(LISTED)} most frequent:`) : null),
    found.length > 0 ? h("div", { class: "map-list" }, table(SHOWN, found.slice(0, LISTED))) : h("p", { class: "soft" }, "There are no words there."),
  ];
}

// near: [{ word, similarity }]; find(word) is called for one that is clicked and on the map.
export function chosenPanel({ word, count, label }, near, isHere, find, clear) {
  const one = (entry) => h("li", {}, isHere(entry.word)
    ? h("button", { type: "button", class: "map-near", onclick: () => find(entry.word) }, wordText(entry.word, 40)) : wordLink(entry.word, 40),
  h("span", { class: "soft figure" }, entry.similarity.toFixed(2)));
  return [
    h("div", { class: "panel-head" }, h("h2", {}, wordText(word, 40)), near.length ? takeAway(`similar to ${word}`, NEAR, near) : null),
    h("p", { class: "soft" }, plural(count, "occurrence"), label ? [" · ", wordText(label, 60)] : null),
    h("div", { class: "buttons" }, h("a", { class: "button", href: address("word", word) }, "Open"), h("button", { type: "button", class: "button", onclick: clear }, "Close")),
    near.length ? h("ul", { class: "map-nearest" }, near.map(one)) : null,
  ];
}
