// The tooltip of the word under the pointer, and a ring around its point.

import { h, address, wordText, wordLink, plural } from "./dom.js";

export class Tip {
  constructor() {
    this.element = h("div", { class: "map-tip", hidden: true });
    this.ring = h("div", { class: "map-ring", hidden: true });
    this.word = null;
  }

  hide() {
    this.word = null;
    this.element.hidden = this.ring.hidden = true;
  }

  // Next to a position on the stage, whose size is given. Touch needs a link, since a tap only shows the tooltip.
  show({ word, count, label }, left, top, { width, height }, withLink) {
    this.word = word;
    this.element.replaceChildren(h("b", {}, withLink ? wordLink(word) : wordText(word)), h("div", { class: "soft" }, plural(count, "occurrence")));
    if (label) this.element.append(h("div", {}, wordText(label, 60)));
    if (withLink) this.element.append(h("a", { class: "map-open", href: address("word", word) }, "Open"));
    this.element.classList.toggle("touch", withLink);
    this.element.hidden = this.ring.hidden = false;
    this.ring.style.left = `${left}px`;
    this.ring.style.top = `${top}px`;
    const { offsetWidth: wide, offsetHeight: high } = this.element;
    const below = top + 16 + high <= height;
    this.element.style.left = `${Math.max(4, Math.min(width - wide - 4, left + 14))}px`;
    this.element.style.top = `${Math.max(4, below ? top + 16 : top - high - 14)}px`;
  }
}
