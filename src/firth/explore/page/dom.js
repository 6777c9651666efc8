// Creating elements. Text is always inserted as text, so no word can become markup.

import { knows } from "./ask.js";

const SVG = "http://www.w3.org/2000/svg";

function make(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "vars") for (const [key, v] of Object.entries(value)) node.style.setProperty(key, v);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...present(children));
  return node;
}

function present(children) {
  return children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);
}

// An element: h("p", { class: "soft", onclick: f, vars: { "--w": "3em" } }, "text", otherElement)
export function h(tag, attributes, ...children) {
  return make(document.createElement(tag), attributes, children);
}

// The same for SVG.
export function svg(tag, attributes, ...children) {
  return make(document.createElementNS(SVG, tag), attributes, children);
}

// Replaces the children of an element; as above, null and false are left out.
export function refill(node, ...children) {
  node.replaceChildren(...present(children));
}

const LONGEST = 48;
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/u;
const JOINERS = "\u200c\u200d";
const BLANK = /^(?! *$)\p{Zs}+$/u; // only spaces, and not only plain ones

// Text with invisible characters spelled out: control characters, direction marks and the like.
export function visible(text) {
  const blank = BLANK.test(text);
  const whole = /^\p{M}/u.test(text) ? `◌${text}` : text; // a combining mark needs a base
  if (!blank && !UNSEEN.test(text)) return whole;
  const spelled = (c) => {
    const code = c.codePointAt(0);
    if (JOINERS.includes(c) || (!blank && !UNSEEN.test(c))) return c;
    return code < 32 ? String.fromCodePoint(0x2400 + code) : `⟨${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
  };
  return Array.from(whole, spelled).join("");
}

// A word, shortened for display.
export function shortened(word, longest = LONGEST) {
  const letters = Array.from(word.length > 4 * longest ? word.slice(0, 4 * longest) : word);
  return visible(letters.length > longest ? letters.slice(0, longest - 1).join("") + "…" : word);
}

// A word as an element with its own text direction.
export function wordText(word, longest) {
  return h("bdi", { class: "word", title: word.length > LONGEST ? `${word.length} characters` : undefined }, shortened(word, longest));
}

export function address(...parts) {
  return "#/" + parts.map((part) => encodeURIComponent(part.toWellFormed?.() ?? part)).join("/");
}

// A word as a link to its view; plain text if an exported page does not contain it.
export function wordLink(word, longest) {
  if (!knows(word)) return wordText(word, longest);
  return h("a", { class: "wordlink", href: address("word", word) }, wordText(word, longest));
}

export function classLink(path, label) {
  return h("a", { class: "classlink", href: address("class", path) }, h("code", {}, path === "" ? "root" : shortened(path, 24)),
    label ? " " : null, label ? wordText(label, 60) : null);
}

export function number(n) {
  return n === null || n === undefined ? "–" : n.toLocaleString("en-US");
}

export function rounded(n, digits = 3) {
  return n === null || n === undefined ? "–" : Number(n.toPrecision(digits)).toLocaleString("en-US");
}

export function percent(share, digits = 1) {
  return share === null || share === undefined ? "–" : `${(100 * share).toFixed(digits)} %`;
}

export function bytes(n) {
  const units = ["bytes", "kB", "MB", "GB", "TB"];
  let i = 0;
  while (n >= 1000 && i < units.length - 1) { n /= 1000; i += 1; }
  return `${Number(n.toPrecision(3))} ${units[i]}`;
}

export function plural(n, what, many = what + "s") {
  return `${number(n)} ${n === 1 ? what : many}`;
}

// Colours that are safe for colour-blind people (Okabe and Ito 2008), for up to eight groups.
export const COLOURS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8c8c00", "#7a6fd0"];

// Whether a text is written from right to left, judged by its first letter.
export function isRightToLeft(text) {
  const letter = text.match(/\p{L}/u)?.[0] ?? "";
  return /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]|[\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u.test(letter);
}

// The direction of a text, for the attribute dir.
export function directionOf(text) {
  return isRightToLeft(text) ? "rtl" : "ltr";
}

// Words one after another, in the direction of their script: dir="auto" does not look into words that are isolated from each other.
export function wordFlow(words, ...children) {
  return h("p", { class: "wordflow", dir: directionOf(words.join(" ")) }, children);
}

// A few words inside other text, in the direction of their script.
export function wordsText(words, longest) {
  return h("bdi", { class: "soft", dir: directionOf(words.join(" ")) }, words.map((word, i) => [i ? " " : "", wordText(word, longest)]));
}

let pencil = null; // measures text

// The width of a text in pixels; the font is given as in CSS: "600 14px sans-serif".
export function widthOf(text, font) {
  pencil ??= document.createElement("canvas").getContext("2d");
  pencil.font = font;
  return pencil.measureText(text).width;
}

// An error message with its hint.
export function problem(error) {
  return h("div", { class: "problem", role: "alert" }, h("p", {}, error.message), error.hint ? h("p", { class: "soft" }, error.hint) : null);
}
