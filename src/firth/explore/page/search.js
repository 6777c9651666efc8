// A search box with completion: words of the whole vocabulary, classes by path, and queries.

import { h, wordText, number } from "./dom.js";
import { ask, fold, isExported } from "./ask.js";
import { isQuery } from "./find.js";

let boxes = 0;

// choose({ kind, text }) is called with the chosen entry; kinds limits entries to words, classes or queries (find).
export function searchBox({ label, placeholder, choose, kinds = ["word", "class"], value = "" }) {
  const id = `box${boxes++}`;
  const list = h("ul", { id, class: "choices", role: "listbox", "aria-label": label, hidden: true });
  const input = h("input", {
    type: "search", role: "combobox", "aria-label": label, "aria-controls": id, "aria-expanded": "false", "aria-autocomplete": "list",
    autocomplete: "off", autocapitalize: "off", spellcheck: "false", dir: "auto", placeholder, value, maxlength: 12000,
  });
  let found = [];
  let at = -1;
  let asking = null;
  let answered = null; // the text that the list belongs to
  let moving = null; // an arrow key that waits for the list of the current text

  function close() {
    list.hidden = true;
    at = -1;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  }

  function mark(place) {
    at = place;
    Array.from(list.children).forEach((item, i) => item.setAttribute("aria-selected", String(i === at)));
    if (at >= 0) {
      input.setAttribute("aria-activedescendant", `${id}-${at}`);
      list.children[at].scrollIntoView({ block: "nearest" });
    }
  }

  function take(entry) {
    asking?.abort();
    input.value = entry.text;
    close();
    choose(entry);
  }

  // The entry for a complete text: a word, or the path of a class, or a word that differs only in case and accents.
  function typed(text) {
    const same = found.filter((entry) => entry.text === text);
    return same.find((entry) => entry.kind === "word") ?? same[0] ?? found.find((entry) => entry.kind === "word" && fold(entry.text) === fold(text))
      ?? { kind: kinds.includes("word") ? "word" : kinds[0], text };
  }

  function show() {
    list.replaceChildren(...found.map((entry, i) => h("li", {
      id: `${id}-${i}`, role: "option", "aria-selected": "false",
      // the box keeps the focus; the list closes on click, not earlier, or a tap would hit what is behind it
      onmousedown: (event) => event.preventDefault(), onclick: () => take(entry),
    }, entry.kind === "class" ? [h("code", {}, entry.text), " ", wordText(entry.label, 30)]
      : entry.kind === "find" ? ["Find ", wordText(entry.text)] : wordText(entry.text),
    h("span", { class: "soft figure" }, entry.count ? number(entry.count) : ""))));
    list.hidden = found.length === 0;
    input.setAttribute("aria-expanded", String(found.length > 0));
    at = -1;
  }

  async function complete() {
    asking?.abort();
    const text = input.value;
    if (!text.trim()) { found = []; close(); return; }
    asking = new AbortController();
    const mine = asking;
    try {
      const answer = await ask("complete", { q: text.slice(0, 1000), n: 12 }, mine.signal);
      if (mine.signal.aborted || document.activeElement !== input) return;
      found = answer.filter((entry) => kinds.includes(entry.kind));
      if (kinds.includes("find") && !isExported() && isQuery(text)) found.push({ kind: "find", text: text.trim() });
      answered = text;
      show();
    } catch { /* the next keystroke tries again */ }
  }

  async function enter(text) {
    if (answered !== input.value) await complete(); // for fast typists
    take(typed(text));
  }

  input.addEventListener("input", complete);
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const down = event.key === "ArrowDown";
      if (list.hidden) complete();
      else if (answered !== input.value) moving = complete().then(() => { if (found.length) mark(down ? 0 : found.length - 1); });
      else mark((at + (event.key === "ArrowDown" ? 1 : -1) + found.length + (at < 0 && event.key === "ArrowUp" ? 1 : 0)) % found.length);
    } else if (event.key === "Escape") {
      if (!list.hidden) { event.preventDefault(); close(); }
    } else if (event.key === "Enter" && input.value.trim()) {
      event.preventDefault();
      Promise.resolve(moving).then(() => {
        moving = null;
        if (at >= 0 && !list.hidden) take(found[at]);
        else enter(input.value.trim());
      });
    }
  });
  return { element: h("div", { class: "combo" }, input, list), input };
}
