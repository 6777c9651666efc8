// The maps: words as points, by meaning or by grammar; words with similar vectors are near each other.

import { h, address, wordLink, number, plural } from "./dom.js";
import { ask } from "./ask.js";
import { searchBox } from "./search.js";
import { Points } from "./map-points.js";
import { Camera, followKeys, followPointers } from "./map-camera.js";
import { COLOURINGS, MOST_GROUPS, byDocuments, isDark, longestKnown, mixed, usualColouring } from "./map-colours.js";
import { Picture } from "./map-canvas.js";
import { glow } from "./map-glow.js";
import { legend } from "./map-legend.js";
import { Tip } from "./map-tip.js";
import { chosenPanel, selectionPanel } from "./map-selection.js";

const MAPS = {
  meaning: { part: "map", title: "by meaning", about: "Words that occur in the same topics are near each other.", near: "neighbours" },
  grammar: { part: "grammar_map", title: "by grammar", about: "Words that can replace each other are near each other.", near: "replacements" },
};
const ZOOMS = [3, 10, 60]; // the least, the usual and the most for a word that was searched for
const NEIGHBOURS = 12;
const REACH = { mouse: 7, touch: 22 }; // maximum distance between a pointer and a word, in pixels
const PATIENCE = 260; // milliseconds until a click can no longer become a double click

export const mapView = {
  names: ["map"], title: "Map", does: "similar words near each other", part: "map", needs: (parts) => Object.values(MAPS).some(({ part }) => parts.includes(part)),
  async show(place, route, { model, signal }) {
    place.dataset.title = "Map";
    const kinds = Object.keys(MAPS).filter((kind) => model.parts.includes(MAPS[kind].part));
    const kind = kinds.includes(route.query.get("kind")) ? route.query.get("kind") : kinds[0];
    const [facts, tree] = await Promise.all([ask("map", { kind }, signal), model.parts.includes("classes") ? ask("tree", {}, signal) : null]);
    if (facts.words.length === 0) {
      place.append(h("p", { class: "soft" }, "There are no words on this map."));
      return undefined;
    }
    const page = new MapPage(place, facts, tree, route, kinds);
    return () => page.leave();
  },
};

function button(label, act, more) {
  return h("button", { type: "button", class: "button", onclick: act, ...more }, label);
}

class MapPage {
  constructor(place, facts, tree, route, kinds) {
    this.place = place;
    this.facts = facts;
    this.tree = tree;
    this.kinds = kinds;
    this.gone = new AbortController();
    this.points = new Points(facts);
    this.bright = null; // the highlighted points
    this.lit = null; // the highlighted entries of the legend
    this.selected = []; // points
    this.outline = null; // around them, in coordinates of the map
    this.mark = -1; // the chosen word
    this.near = []; // its neighbours on the map
    this.frames = 0;
    this.camera = new Camera(this.points.box, () => this.moved());
    this.readColouring(route.query);
    this.build();
    this.picture = new Picture(this.canvas, this.points, this.camera);
    this.listen();
    this.takeColours();
    this.fromAddress(route);
  }

  leave() {
    this.gone.abort();
    this.watch.disconnect();
    cancelAnimationFrame(this.frame);
    for (const timer of [this.writing, this.choosing, this.settling]) clearTimeout(timer);
  }

  // Elements

  build() {
    const { kind } = this.facts;
    const label = "Find a word on the map";
    const box = searchBox({ label, placeholder: label, kinds: ["word"], choose: ({ text }) => this.find(text) });
    this.canvas = h("canvas", { class: "map-canvas", tabindex: 0, role: "application", "aria-describedby": "map-help",
      "aria-label": `A map of ${plural(this.points.n, "word")} ${MAPS[kind].title}. Arrow keys move it, plus and minus zoom, 0 shows all of it.` });
    this.tip = new Tip();
    this.choice = h("select", { onchange: () => { this.colouring = this.choice.value; this.only = []; this.recolour(); } }, this.colourChoices());
    this.slider = h("input", { type: "range", min: 2, max: this.mostGroups(), step: 1, value: this.k,
      oninput: () => { this.k = Number(this.slider.value); this.only = []; this.recolour(); } });
    this.told = h("output", { class: "figure" }, this.k);
    this.groups = h("label", { class: "map-choice" }, "Branches", this.slider, this.told);
    this.selecting = button("Select", () => this.setSelecting(!this.isSelecting), { "aria-pressed": "false", title: "Draw a line around words, or hold Shift and drag" });
    this.legend = h("section", { class: "panel map-legend", "aria-label": "Legend" });
    this.chosen = h("section", { class: "panel map-chosen", "aria-label": "Chosen word", hidden: true });
    this.selection = h("section", { class: "panel selection", "aria-label": "Selected words", hidden: true });
    this.said = h("span", { role: "status" }, plural(this.points.n, "word"));
    this.zoom = h("div", { class: "map-zoom" },
      button("+", () => this.camera.zoom(1.6, undefined, undefined, 200), { "aria-label": "Zoom in", title: "Zoom in" }),
      button("−", () => this.camera.zoom(1 / 1.6, undefined, undefined, 200), { "aria-label": "Zoom out", title: "Zoom out" }),
      button("⤢", () => this.camera.go(this.camera.home, 350), { "aria-label": "Show all", title: "Show all" }));
    this.place.append(h("h1", { class: "offscreen" }, `Map ${MAPS[kind].title}`),
      h("div", { class: "map-bar" }, this.kinds.length > 1 ? h("div", { class: "choice-row", role: "group", "aria-label": "Which map" }, this.kinds.map((one) => this.kindLink(one))) : null,
        box.element, h("label", { class: "map-choice" }, "Colours", this.choice), this.groups,
        h("span", { class: "buttons" }, this.selecting, button("Select visible words", () => this.selectSeen()))),
      h("div", { class: "map-body" },
        h("div", { class: "map-stage" }, this.canvas, this.tip.ring, this.tip.element, this.zoom),
        h("div", { class: "map-side" }, this.chosen, this.legend, this.selection)),
      h("p", { class: "soft map-help" }, this.said, h("span", { id: "map-help" },
        `${MAPS[kind].about} Click one for its neighbours. Arrow keys, +, − and 0 move and zoom; Shift and drag selects; Escape clears.`)));
  }

  // The other map shows the same word.
  kindLink(kind) {
    return h("a", { class: "button", href: address("map"), "aria-current": kind === this.facts.kind ? "true" : undefined,
      onclick: (event) => {
        event.preventDefault();
        const word = this.mark >= 0 ? [this.points.words[this.mark]] : [];
        if (kind !== this.facts.kind) location.hash = `${address("map", ...word)}${kind === this.kinds[0] ? "" : `?kind=${kind}`}`;
      } }, MAPS[kind].title);
  }

  colourChoices() {
    const known = { facts: this.facts, tree: this.tree };
    const option = (value, title) => h("option", { value, selected: value === this.colouring }, title);
    return [
      Object.entries(COLOURINGS).filter(([, c]) => c.fits(known)).map(([name, c]) => option(name, c.title)),
      Object.entries(this.facts.columns).map(([column, values]) => h("optgroup", { label: column }, values.map((value) => option(`${column}=${value}`, `${column}: ${value}`)))),
    ];
  }

  listen() {
    const { signal } = this.gone;
    const everything = () => {
      const { names } = this.picture;
      names.corner = { width: this.canvas.clientWidth - this.zoom.offsetLeft, height: this.zoom.offsetTop + this.zoom.offsetHeight };
      if (this.picture.resize()) this.redraw();
    };
    const colours = () => { this.takeColours(); this.recolour(); };
    followKeys(this.canvas, this.camera, signal);
    this.pointers = followPointers(this.canvas, this.camera, {
      isSelecting: () => this.isSelecting,
      hover: (x, y) => this.hover(x, y),
      leave: () => this.tip.hide(),
      begin: () => { clearTimeout(this.choosing); this.tip.hide(); },
      tap: (x, y, touch) => this.tap(x, y, touch),
      drawing: (outline) => this.drawing(outline),
      drawn: (outline) => this.drawn(outline),
    }, signal);
    this.place.addEventListener("shown", () => { everything(); this.start?.(); }, { signal });
    // so that the back button restores the map
    this.place.addEventListener("click", () => this.writeAddress(), { signal, capture: true });
    window.addEventListener("resize", everything, { signal });
    window.addEventListener("themechange", colours, { signal });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", colours, { signal });
    document.addEventListener("keydown", (event) => { if (event.key === "Escape" && !event.defaultPrevented) this.escape(); }, { signal });
    this.watch = new ResizeObserver(everything);
    this.watch.observe(this.canvas);
  }

  // Drawing: one frame for all changes since the last one

  redraw(onlyOutline = false) {
    this.isSame = onlyOutline && (this.frame === undefined || this.isSame);
    this.frame ??= requestAnimationFrame((now) => {
      this.frame = undefined;
      const flies = this.camera.step(now);
      if (!this.picture.image || !this.colours) return;
      const quick = this.settling !== undefined;
      const { bright, mark, near, outline } = this;
      this.picture.draw({ ...this.colours, bright, mark, near, outline, quick }, this.isSame && this.frames > 0);
      this.frames += 1;
      this.canvas.dataset.drawn = this.frames;
      if (flies) this.moved();
    });
  }

  // The view has changed. When it is at rest, it is drawn in full detail.
  moved() {
    this.tip.hide();
    this.redraw();
    this.keepAddress();
    clearTimeout(this.settling);
    this.settling = setTimeout(() => { this.settling = undefined; this.camera.rest(); this.redraw(); }, 120);
  }

  takeColours() {
    const style = getComputedStyle(document.documentElement);
    // a canvas returns any colour as #rrggbb
    const read = (name) => {
      this.picture.context.fillStyle = style.getPropertyValue(name).trim();
      return this.picture.context.fillStyle;
    };
    const [paper, ink] = [read("--panel"), read("--ink")];
    this.dark = isDark(paper);
    this.picture.ink = { paper, ink, soft: mixed(ink, paper, 0.18), accent: read("--accent"), faint: mixed(paper, read("--soft"), 0.22), fonts: style.getPropertyValue("--sans") };
    this.picture.names.clear();
  }

  // Colours and their legend

  mostGroups() {
    return Math.max(1, Math.min(MOST_GROUPS, this.tree?.n_classes ?? 1));
  }

  readColouring(query) {
    const known = { facts: this.facts, tree: this.tree };
    const names = Object.keys(COLOURINGS).filter((name) => COLOURINGS[name].fits(known));
    for (const [column, values] of Object.entries(this.facts.columns)) names.push(...values.map((value) => `${column}=${value}`));
    const wanted = Math.round(Number(query.get("k")));
    this.usual = usualColouring(known);
    this.colouring = names.includes(query.get("colour")) ? query.get("colour") : this.usual;
    this.k = wanted >= 2 && wanted <= this.mostGroups() ? wanted : this.mostGroups();
    this.only = (query.get("only") ?? "").split(".").filter(Boolean).map(Number); // entries of the legend
  }

  async recolour() {
    const wanted = this.colouring;
    const ofDocuments = byDocuments(wanted);
    const colouring = ofDocuments ?? COLOURINGS[wanted];
    let ratios = null;
    if (ofDocuments) {
      const { column, value } = ofDocuments;
      try {
        ratios = (await ask("map/shares", { kind: this.facts.kind, column, value }, this.gone.signal)).log_ratios;
      } catch (error) {
        if (!this.gone.signal.aborted) this.said.textContent = error.message;
        return;
      }
      if (this.colouring !== wanted) return; // another one was chosen in the meantime
    }
    this.colours = colouring.make({ points: this.points, facts: this.facts, tree: this.tree, k: this.k, ratios }, this.dark);
    this.groups.hidden = !colouring.groups || this.mostGroups() < 3;
    this.told.textContent = this.k;
    this.lit = null;
    this.picture.names.setRegions(this.facts, (group) => (wanted === "regions" ? this.colours.palette[group] : null));
    this.legend.replaceChildren(...legend(colouring.heading, this.colours.entries, (entries) => { this.lit = entries; this.emphasize(); },
      this.only, (only) => { this.only = only; this.keepAddress(); }));
    this.emphasize();
    this.keepAddress();
  }

  // The highlighted points: those of entries of the legend, or the selected ones, or none.
  emphasize() {
    const { lit, colours: { shade } } = this;
    if (lit) this.bright = shade.map((s) => (lit.some((entry) => s >= entry.first && s <= entry.last) ? 1 : 0));
    else if (this.selected.length > 0) {
      this.bright = new Uint8Array(this.points.n);
      for (const i of this.selected) this.bright[i] = 1;
    } else this.bright = null;
    this.picture.glow = glow(this.points, this.colours, this.bright, this.dark);
    this.redraw();
  }

  // Pointing at a word, and choosing it

  hover(x, y) {
    const i = this.picture.wordAt(x, y, REACH.mouse, this.mark);
    this.canvas.dataset.over = i >= 0 ? "word" : "nothing";
    if (i < 0) this.tip.hide();
    else if (this.points.words[i] !== this.tip.word) this.showTip(i, false);
  }

  tap(x, y, touch) {
    const i = this.picture.wordAt(x, y, touch ? REACH.touch : REACH.mouse, this.mark);
    if (i < 0) { this.tip.hide(); return; }
    this.showTip(i, touch);
    this.choosing = setTimeout(() => { this.choose(i); this.showTip(i, touch); this.enter(); }, PATIENCE);
  }

  className(i) {
    const path = this.facts.paths[this.points.classes[i]];
    if (path === undefined) return null;
    this.nodes ??= new Map((this.tree?.paths ?? []).map((p, at) => [p, at]));
    const node = longestKnown(path, this.nodes);
    return { path, label: node === undefined ? path : this.tree.labels[node] };
  }

  showTip(i, withLink) {
    const { words, counts, x, y } = this.points;
    this.tip.show({ word: words[i], count: counts[i], label: this.className(i)?.label },
      this.camera.across(x[i]), this.camera.down(y[i]), this.camera, withLink);
  }

  // Chooses a word, or none: -1. Its neighbours are asked for, and lines lead to them.
  async choose(i) {
    this.mark = i;
    this.near = [];
    this.chosen.hidden = i < 0;
    this.chosen.replaceChildren();
    this.redraw();
    if (i < 0) return;
    const word = this.points.words[i];
    let found = [];
    try {
      found = await ask(MAPS[this.facts.kind].near, { word, n: NEIGHBOURS }, this.gone.signal);
    } catch { /* then there are no lines */ }
    if (this.mark !== i || this.gone.signal.aborted) return;
    this.near = found.map((one) => this.points.words.indexOf(one.word)).filter((at) => at >= 0);
    const facts = { word, count: this.points.counts[i], label: this.className(i)?.label };
    this.chosen.replaceChildren(...chosenPanel(facts, found, (other) => this.points.words.includes(other), (other) => this.find(other),
      () => { this.choose(-1); this.keepAddress(); this.canvas.focus({ preventScroll: true }); }));
    this.redraw();
  }

  // Finding a word

  find(word) {
    this.lookFor(word);
    if (this.mark < 0) return;
    this.enter();
    this.flyToMark();
  }

  // An entry in the history, without loading the view again.
  enter() {
    const here = this.address();
    try { history.pushState(null, "", here); } catch { location.hash = here; }
  }

  lookFor(word) {
    this.asked = this.choose(this.points.words.indexOf(word));
    const all = plural(this.points.n, "word");
    this.said.replaceChildren(...(this.mark >= 0 ? [all] : [wordLink(word, 30), ` is not one of the ${all} of this map`]));
  }

  // To the chosen word, so near that most of its neighbours can be seen.
  async flyToMark() {
    const { points: { x, y }, camera } = this;
    const { mark } = this;
    await this.asked;
    if (this.mark !== mark || this.gone.signal.aborted) return;
    const away = this.near.map((i) => Math.hypot(x[i] - x[mark], y[i] - y[mark])).sort((a, b) => a - b);
    const furthest = away[Math.floor(0.7 * away.length)];
    const [least, usual, most] = ZOOMS;
    const z = furthest ? Math.max(least, Math.min(most, (0.3 * Math.min(camera.width, camera.height)) / (furthest * camera.unit))) : usual;
    camera.go({ x: x[mark], y: y[mark], z }, 800);
  }

  // Selecting

  get isSelecting() {
    return this.selecting.getAttribute("aria-pressed") === "true";
  }

  setSelecting(on) {
    this.selecting.setAttribute("aria-pressed", String(on));
    this.canvas.dataset.mode = on ? "select" : "move";
  }

  onMap(outline) {
    return outline.map(([x, y]) => [this.camera.mapX(x), this.camera.mapY(y)]);
  }

  drawing(outline) {
    this.outline = outline ? this.onMap(outline) : null;
    this.redraw(true);
  }

  drawn(outline) {
    this.outline = this.onMap(outline);
    this.select(this.points.enclosed(this.outline));
  }

  selectSeen() {
    this.outline = null;
    this.select(this.points.inside(...this.camera.seen));
  }

  select(chosen) {
    this.selected = chosen;
    const { words, counts } = this.points;
    const rows = () => chosen.map((i) => ({ word: words[i], count: counts[i], class: this.className(i)?.path ?? null,
      x: this.facts.x[i] / this.facts.scale, y: this.facts.y[i] / this.facts.scale }));
    this.selection.replaceChildren(...selectionPanel(rows, () => { this.clear(); this.canvas.focus({ preventScroll: true }); }));
    this.selection.hidden = false;
    this.said.textContent = `${number(chosen.length)} of ${plural(this.points.n, "word")} selected`;
    this.emphasize();
  }

  clear() {
    this.selected = [];
    this.outline = null;
    this.selection.hidden = true;
    this.selection.replaceChildren();
    this.said.textContent = plural(this.points.n, "word");
    this.emphasize();
  }

  // Cancels one thing after the other: the outline, the selection, selecting, the chosen word.
  escape() {
    const drawing = this.outline !== null && this.selection.hidden;
    this.pointers.giveUp();
    this.tip.hide();
    if (!this.selection.hidden || drawing) this.clear();
    else if (this.isSelecting) this.setSelecting(false);
    else if (this.mark >= 0) { this.choose(-1); this.keepAddress(); }
  }

  // The address: it contains the view, so that a link shows the same

  fromAddress({ parts, query }) {
    const value = (name) => (query.get(name) === null ? NaN : Number(query.get(name)));
    const view = { x: value("x"), y: value("y"), z: value("z") };
    this.recolour();
    if (parts[0]) this.lookFor(parts[0]);
    if (Object.values(view).every(Number.isFinite)) this.camera.go(view);
    else if (this.mark >= 0) this.start = () => this.flyToMark();
  }

  address() {
    const query = new URLSearchParams();
    if (this.facts.kind !== this.kinds[0]) query.set("kind", this.facts.kind);
    if (!this.camera.isHome) for (const [name, value] of Object.entries(this.camera.told)) query.set(name, value);
    if (this.colouring !== this.usual) query.set("colour", this.colouring);
    if (COLOURINGS[this.colouring]?.groups && this.k !== this.mostGroups()) query.set("k", this.k);
    if (this.only.length) query.set("only", this.only.join("."));
    const path = this.mark >= 0 ? address("map", this.points.words[this.mark]) : address("map");
    return query.size > 0 ? `${path}?${query}` : path;
  }

  keepAddress() {
    clearTimeout(this.writing);
    this.writing = setTimeout(() => this.writeAddress(), 300);
  }

  writeAddress() {
    clearTimeout(this.writing);
    if (this.gone.signal.aborted || this.camera.flight || !/^#\/map([/?]|$)/.test(location.hash)) return;
    const here = this.address();
    if (here === location.hash) return;
    try { history.replaceState(history.state, "", here); } catch { /* too often: next time */ }
  }
}
