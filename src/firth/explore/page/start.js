// The page without a model: files are dropped, a model is learned from them and opened.

import { bytes, h, percent, plural, problem, refill } from "./dom.js";
import { ask, send, sendPiece, takeToken, Problem } from "./ask.js";

const PIECE = 4 << 20; // bytes of a text in one request
const PAUSE = 1000;
const QUESTIONS = { words: "Words are", sentences: "Sentences", case: "Capitals", tags: "Parts of speech", parts: "Parts of words" };
const main = document.getElementById("main");
const note = document.getElementById("note");
const KEPT = "firth-start";
const chosen = {}; // what was answered, by question
const left = new Set(); // texts that are not to be learned from
let name = ""; // of the model: after a text of the folder, or the first that is dropped, until it is typed
let isNamed = false;
let state = null;
let sending = null; // { name, share }

// What was answered stays when the page is loaded again, for the same folder.
function keep() {
  try { sessionStorage.setItem(KEPT, JSON.stringify({ folder: state.folder, chosen, left: [...left], name: isNamed ? name : "" })); } catch { /* then it is asked again */ }
}

function recall() {
  let kept = null;
  try { kept = JSON.parse(sessionStorage.getItem(KEPT)); } catch { /* then nothing was kept */ }
  if (kept?.folder !== state.folder) return;
  Object.assign(chosen, kept.chosen);
  for (const text of kept.left) left.add(text);
  name = kept.name;
  isNamed = Boolean(name);
}

function say(text) {
  note.textContent = text;
  note.hidden = !text;
}

// Runs what a button does; errors are shown, and nothing that was typed is lost.
async function attempt(work) {
  say("");
  try {
    await work();
  } catch (error) {
    say(told(error));
  }
}

function told(error) {
  if (!(error instanceof Problem)) console.error(error);
  return [error.message, error.hint].filter(Boolean).join(" ");
}

// The name of a file as the server takes it; if it is too long, it keeps its suffixes, which say what the file is.
function cleanName(given) {
  const all = given.replace(/[^\p{L}\p{M}\p{N}_ .-]/gu, "_").replace(/^[^\p{L}\p{N}_]+|[. ]+$/gu, "");
  const [suffix] = all.match(/(\.\w{1,8}){0,2}$/);
  return Array.from(all.slice(0, all.length - suffix.length)).slice(0, 80 - suffix.length).join("") + suffix || "text.txt";
}

async function sendFile(file) {
  const clean = cleanName(file.name);
  if (file.size > state.room) {
    throw new Problem(`${file.name} has ${bytes(file.size)}, and there is room for ${bytes(state.room)}.`, "Learn from large files in a terminal: firth learn --help");
  }
  for (let at = 0, last = false; !last; at += PIECE) {
    const piece = await file.slice(at, at + PIECE).arrayBuffer();
    last = at + PIECE >= file.size;
    await sendPiece("text", { name: clean, at, last }, piece);
    sending = { name: clean, share: file.size ? Math.min(1, (at + PIECE) / file.size) : 1 };
    show();
  }
  nameAfter(clean);
  isNamed = true;
  keep();
}

// Copies files one after the other; one that cannot be copied does not hold up the others.
async function take(files) {
  const wrong = [];
  say("");
  for (const file of files) {
    try { await sendFile(file); } catch (error) { wrong.push(told(error)); }
  }
  sending = null;
  await attempt(look);
  if (wrong.length) say(wrong.join(" "));
}

function dropPlace() {
  const input = h("input", { type: "file", multiple: true, onchange: () => {
    const files = [...input.files];
    input.value = ""; // so that the same file can be chosen again
    take(files);
  } });
  const place = h("label", { class: "drop" }, h("strong", {}, "Drop text files here, or choose them"),
    h("p", { class: "soft" }, "Plain text, CSV, TEI, VRT, Toolbox, ELAN, CoNLL-U and others; nothing leaves this computer."), input);
  // anywhere on the page, or the browser would open a file that is dropped beside the place
  const over = (on) => (event) => { event.preventDefault(); place.classList.toggle("over", on); };
  window.addEventListener("dragover", over(true));
  window.addEventListener("dragleave", over(false));
  window.addEventListener("drop", (event) => { over(false)(event); take([...event.dataTransfer.files]); });
  return place;
}

function textList() {
  const rows = Object.entries(state.texts).map(([text, size]) => {
    const box = h("input", { type: "checkbox", id: `text-${text}`, checked: !left.has(text), onchange: () => { if (box.checked) left.delete(text); else left.add(text); keep(); } });
    return h("li", {}, h("label", {}, box, " ", h("bdi", {}, text)), h("span", { class: "soft figure" }, bytes(size)));
  });
  const now = sending ? h("li", {}, h("span", {}, sending.name), h("progress", { value: sending.share, max: 1, "aria-label": `Copying ${sending.name}` })) : null;
  return rows.length || now ? h("ul", { class: "texts" }, rows, now) : null;
}

function question({ name: asked, answers }) {
  const select = h("select", { class: "field", id: `ask-${asked}`, onchange: () => { chosen[asked] = select.value; keep(); } },
    Object.entries(answers).map(([value, text]) => h("option", { value, selected: chosen[asked] === value }, text)));
  return h("div", { class: "question" }, h("label", { for: `ask-${asked}` }, QUESTIONS[asked] ?? asked), select);
}

function nameAfter(text) {
  if (!isNamed) name = text.replace(/(\.\w+)+$/, "") || "model";
}

function learningForm() {
  const texts = Object.keys(state.texts);
  if (!texts.length) return null;
  if (!name) nameAfter(texts[0]);
  const input = h("input", { class: "field", id: "model-name", value: name, maxlength: 80, oninput: () => { name = input.value; isNamed = true; keep(); } });
  const begin = (event) => {
    event.preventDefault();
    attempt(async () => {
      await send("learn", { model: name.trim(), texts: texts.filter((text) => !left.has(text)), chosen });
      await look();
    });
  };
  const running = state.learning?.state === "running";
  return h("form", { onsubmit: begin }, h("h2", {}, "About the text"), state.questions.map(question),
    h("div", { class: "question" }, h("label", { for: "model-name" }, "Name of the model"), input),
    h("div", { class: "go" }, h("button", { class: "button", disabled: running }, "Learn")));
}

// What is read aloud: which model is learned, and which stages are done.
function learned() {
  const { learning } = state;
  if (!learning) return null;
  const titles = { running: `Learning ${learning.model}`, done: `${learning.model} is learned`, stopped: `${learning.model}: stopped`, failed: `${learning.model}: something went wrong` };
  return [h("h2", {}, titles[learning.state]), h("ul", { class: "stages" }, learning.finished.map((stage) => h("li", {}, stage)))];
}

// A line of the command, without the word that tells in a terminal what it is.
function sentence(line) {
  const [, kind, text] = /^(note|hint|warning|error): (.*)$/s.exec(line) ?? [null, "note", line];
  return h("p", { class: kind === "error" ? "wrong" : "soft" }, text);
}

function learningNow() {
  const { learning } = state;
  if (!learning) return null;
  const running = learning.state === "running";
  const bar = h("progress", { max: 1, "aria-label": learning.stage });
  if (learning.share !== null) bar.value = learning.share;
  const share = learning.share === null ? "" : ` ${percent(learning.share, 0)}`;
  const button = (act, text) => h("button", { class: "button", id: "next", onclick: act }, text); // one id, so that it keeps the focus
  return [running ? [h("p", { class: "now" }, `${learning.stage}${share}`), bar] : null,
    learning.notes.map(sentence),
    h("div", { class: "go" },
      running ? button(() => attempt(async () => { await send("stop", {}); await look(); }), "Stop") : null,
      learning.state === "done" ? button(() => open(learning.model), `Explore ${learning.model}`) : null,
      learning.state === "stopped" ? h("span", { class: "soft" }, "What was finished is kept: learn again, and it continues from there.") : null)];
}

// Opens a model; on the first time its map is computed, which takes a while.
async function open(model) {
  await attempt(async () => {
    for (;;) {
      const { address, problem: wrong } = await send("explore", { model });
      if (wrong) throw new Problem(wrong, "See the output in the terminal.");
      if (address) { location.assign(address); return; }
      say(`${model} is being opened. The first time takes a little longer, because its map is made.`);
      await new Promise((done) => { setTimeout(done, PAUSE); });
    }
  });
}

function modelList() {
  if (!state.models.length) return null;
  return h("section", {}, h("h2", {}, `${plural(state.models.length, "model")} in this folder`),
    h("ul", { class: "models" }, state.models.map((model) => h("li", {}, h("bdi", { class: "name" }, model),
      h("button", { class: "button", id: `explore-${model}`, onclick: () => open(model), "aria-label": `Explore ${model}` }, "Explore")))));
}

const places = { texts: h("div"), form: h("div"), learned: h("div", { "aria-live": "polite" }), now: h("div"), models: h("div") };
const panel = h("section", { class: "panel", hidden: true }, places.learned, places.now);
const shown = {}; // what each place was made from

// Makes a place again if what it shows has changed; so what has the focus keeps it, and what is open stays open.
function renew(name, about, make) {
  const told = JSON.stringify(about);
  if (shown[name] === told) return;
  shown[name] = told;
  const focused = places[name].contains(document.activeElement) ? document.activeElement.id : "";
  refill(places[name], make());
  if (focused) document.getElementById(focused)?.focus();
}

function show() {
  const { texts, models, learning } = state;
  if (!main.contains(panel)) {
    refill(main, h("h1", {}, "Learn the structure of a language from its text"),
      h("p", {}, "Choose texts, answer a few questions, and look at what Firth has learned."),
      dropPlace(), places.texts, places.form, panel, places.models);
  }
  renew("texts", [texts, sending], textList);
  renew("form", [texts, learning?.state === "running"], learningForm);
  panel.hidden = !learning;
  renew("learned", [learning?.model, learning?.state, learning?.finished], learned);
  renew("now", learning, learningNow);
  renew("models", models, modelList);
}

async function look() {
  const isFirst = state === null;
  state = await ask("workshop");
  if (isFirst) recall();
  document.getElementById("title").textContent = state.folder;
  show();
}

async function follow() {
  for (;;) {
    try {
      await look();
      if (note.dataset.lost) { say(""); delete note.dataset.lost; }
    } catch (error) {
      if (state === null) refill(main, problem(error));
      else { say(`${error.message} ${error.hint ?? ""}`); note.dataset.lost = "true"; }
      if (error.status === 403) return;
    }
    await new Promise((done) => { setTimeout(done, PAUSE); });
  }
}

takeToken();
follow();
