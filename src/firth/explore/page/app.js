// The frame of the page: routing, views, the search box, light and dark theme.

import { h, address, problem, refill } from "./dom.js";
import { ask, askTabs, isExported, onChange, ownChange, setVersion, takeToken, useToken, Problem } from "./ask.js";
import { searchBox } from "./search.js";
import { VIEWS } from "./views.js";
import { home } from "./home.js";

const main = document.getElementById("main");
const note = document.getElementById("note");
let model = null;
let leave = null; // cleans up the current view
let showing = null; // aborts the requests of the current view
let renewing = false;

// The route is the part of the address after the #: /view/part/part?key=value
function route() {
  const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
  const decode = (text) => { try { return decodeURIComponent(text); } catch { return text; } };
  const parts = path === "" ? [] : path.split("/").map(decode);
  return { name: parts[0] ?? "", parts: parts.slice(1), query: new URLSearchParams(query ?? "") };
}

function say(text) {
  note.textContent = text;
  note.hidden = !text;
}

function canShow(view) {
  return view.needs ? view.needs(model.parts) : model.parts.includes(view.part);
}

function available() {
  return VIEWS.filter((view) => !view.under && canShow(view) && !(view.server && isExported()));
}

// The view of an empty route: the home view, or the first view of a model without words.
function first() {
  return model.n_words ? home : available()[0];
}

// keep() tells what was typed into the view that is replaced, and is to be typed into the new one.
async function show(keep = () => []) {
  if (typeof leave === "function") leave();
  leave = null;
  showing?.abort();
  showing = new AbortController();
  const mine = showing;
  const asked = route();
  const view = asked.name === "" ? first() : VIEWS.find((v) => v.names.includes(asked.name));
  for (const link of document.querySelectorAll("#views a")) {
    if (view && link.dataset.view === (view.under ?? view.names[0])) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  const place = h("div", { class: `view view-${view ? view.names[0] : "none"}` });
  if (!view) place.append(problem(new Problem("There is no such view.", "Choose one above.")));
  else if (view !== home && !canShow(view)) {
    const { error, hint } = model.missing[view.part];
    place.append(problem(new Problem(error, hint)));
  } else if (view.server && isExported()) {
    place.append(problem(new Problem("This view needs the server.", "Start it: firth explore MODEL")));
  } else {
    place.setAttribute("aria-busy", "true");
    try {
      const left = await view.show(place, asked, { model, views: available(), signal: mine.signal });
      if (mine.signal.aborted) { if (typeof left === "function") left(); return; }
      leave = left;
    } catch (error) {
      if (mine.signal.aborted) return;
      if (!(error instanceof Problem)) console.error(error);
      refill(place, problem(error instanceof Problem ? error : new Problem("Internal error of the page.", String(error))), error.status === 0 ? tryAgain() : null);
    }
    place.removeAttribute("aria-busy");
  }
  if (!place.querySelector("h1")) place.prepend(h("h1", { class: "offscreen" }, view?.title ?? "Error"));
  const had = main.contains(document.activeElement);
  const typed = keep();
  main.replaceChildren(place);
  place.dispatchEvent(new Event("shown")); // from now on, elements have sizes
  if (had && document.activeElement === document.body) main.focus({ preventScroll: true }); // the next Tab starts here
  document.title = `${place.dataset.title ? place.dataset.title + " · " : ""}${model.title} · Firth`;
  window.scrollTo(0, 0);
  typeAgain(typed);
}

function tryAgain() {
  return h("p", { class: "buttons again" }, h("button", { type: "button", class: "button", onclick: () => show() }, "Try again"));
}

async function start() {
  model = await ask("model");
  setVersion(model.version);
  document.getElementById("title").textContent = model.title;
  document.getElementById("search").hidden = model.n_words === 0; // nothing to search for
  document.getElementById("views").replaceChildren(...available().map((view) =>
    h("a", { href: address(view.names[0]), "data-view": view.names[0] }, view.title)));
}

// What was typed into the current view: [{ label, value, focused, start, end }].
function typedNow() {
  return [...main.querySelectorAll("[data-typed]")].map((field) => ({ label: field.getAttribute("aria-label"), value: field.value,
    focused: field === document.activeElement, start: field.selectionStart, end: field.selectionEnd }));
}

// Types it again into the fields of the same names.
function typeAgain(typed) {
  for (const { label, value, focused, start, end } of typed) {
    const field = [...main.querySelectorAll("input, textarea")].find((one) => one.getAttribute("aria-label") === label);
    if (!field) continue;
    if (focused) field.focus({ preventScroll: true });
    if (field.value === value) { field.dataset.typed = ""; } else { field.value = value; field.dispatchEvent(new Event("input", { bubbles: true })); }
    if (focused) field.setSelectionRange(start, end);
  }
}

// Loads the facts about the model again, and shows the current view; meanwhile all versions are accepted. What was typed is kept.
async function renew() {
  if (renewing) return;
  renewing = true;
  setVersion(null);
  try {
    await start();
  } catch (error) {
    main.replaceChildren(problem(error));
    return;
  } finally {
    renewing = false;
  }
  say(ownChange() ?? "The model has changed. This is the new version.");
  setTimeout(() => say(""), 6000);
  await show(typedNow);
}

// Starts the page; if the server did not answer, this is tried again when the route changes.
async function begin() {
  try {
    await start();
  } catch (error) {
    const unknown = error.status === 403;
    if (unknown && await askTabs()) return begin();
    refill(main, problem(error), unknown ? tokenForm() : null);
    return undefined;
  }
  return show();
}

// A form for the token, if the address that was opened has none.
function tokenForm() {
  const input = h("input", { class: "field", type: "password", "aria-label": "Token", autocomplete: "off" });
  const use = (event) => { event.preventDefault(); useToken(input.value.replace(/[^\w~.-]/g, "")); begin(); };
  return h("form", { class: "edit", onsubmit: use }, h("label", { class: "soft" }, "Token ", input), h("button", { class: "button" }, "Open"));
}

function theme() {
  const root = document.documentElement;
  const store = { get: () => { try { return localStorage.getItem("firth-theme"); } catch { return null; } },
    set: (value) => { try { localStorage.setItem("firth-theme", value); } catch { /* then it is not remembered */ } } };
  if (store.get()) root.dataset.theme = store.get();
  document.getElementById("theme").addEventListener("click", () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    store.set(root.dataset.theme);
    window.dispatchEvent(new Event("themechange"));
  });
}

const box = searchBox({
  label: "Search for a word", placeholder: isExported() ? "Search for a word" : "A word, a phrase, econom*, a class",
  kinds: ["word", "class", "find"],
  choose: (entry) => { location.hash = address(entry.kind, entry.text); box.input.value = ""; main.focus({ preventScroll: true }); },
});
document.getElementById("search").append(box.element);
document.addEventListener("keydown", (event) => {
  const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName ?? "");
  if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey) { event.preventDefault(); box.input.focus(); box.input.select(); }
});
main.addEventListener("input", ({ target }) => { if (target.matches("textarea, input[type=text], input[type=search]")) target.dataset.typed = ""; });
theme();
if (!isExported()) takeToken();
onChange(renew);
window.addEventListener("hashchange", () => (model ? show() : begin()));
begin();
