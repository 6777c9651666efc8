// A box for text that the user types, and the address that goes with it.

import { h, address, directionOf, plural } from "./dom.js";

export const LONGEST = 2000;
const NEARLY = 1800;
const LATER = 250; // milliseconds after the last keystroke

// Calls typed(text) at once, and act(signal) when the user pauses, or when again() is called; an act that is not finished by then is aborted.
export function typedText(label, text, signal, { typed, act, failed }) {
  let asking = null;
  let later = 0;
  const box = h("textarea", { class: "field tagged-box", rows: 3, maxlength: LONGEST, "aria-label": label, placeholder: "Type or paste some sentences", dir: "auto", spellcheck: "false" });
  box.value = text;
  const again = async () => {
    clearTimeout(later);
    asking?.abort();
    asking = new AbortController();
    const mine = AbortSignal.any([signal, asking.signal]);
    try {
      await act(mine);
    } catch (error) {
      if (!mine.aborted) failed(error);
    }
  };
  box.addEventListener("input", () => { typed(box.value); clearTimeout(later); later = setTimeout(again, LATER); });
  signal.addEventListener("abort", () => clearTimeout(later));
  return { box, again };
}

// A note for a text that is nearly as long as it may be.
export function charactersLeft(box) {
  return box.value.length >= NEARLY ? `${plural(LONGEST - box.value.length, "character")} left` : "";
}

// The direction of a sentence.
export function sentenceDirection(words) {
  return directionOf(words.map(({ word }) => word).join(" "));
}

// Updates the address without loading the view again.
export function remember(view, query) {
  try {
    history.replaceState(history.state, "", address(view) + (query.size ? `?${query}` : ""));
  } catch { /* some browsers do not allow this in a file; the view is still right */ }
}
