// The map: words as points; words with similar contexts are near each other.

import { h, address, wordLink, number, plural } from "./dom.js";
import { ask } from "./ask.js";
import { searchBox } from "./search.js";
import { table, takeAway } from "./table.js";
import { Points } from "./map-points.js";
import { Camera, followKeys, followPointers } from "./map-camera.js";
import { COLOURINGS, MOST_GROUPS, isDark, longestKnown, mixed } from "./map-colours.js";
import { Picture } from "./map-canvas.js";
import { legend } from "./map-legend.js";
import { Tip } from "./map-tip.js";

const LISTED = 500;
const NEAR = 10; // the zoom for a word that was searched for
const REACH = { mouse: 7, touch: 22 }; // maximum distance between a pointer and a word, in pixels
const PATIENCE = 260; // milliseconds until a click can no longer become a double click
const TAKEN = [{ key: "word" }, { key: "count" }, { key: "class" }, { key: "x" }, { key: "y" }];
const SHOWN = [{ key: "word", title: "word", kind: "word" }, { key: "count", title: "occurrences", kind: "count" }];

export const mapView = {
  names: ["map"], title: "Map", part: "map",
  async show(place, route, { model, signal }) {
    place.dataset.title = "Map";
    const [facts, tree] = await Promise.all([ask("map", {}, signal), model.parts.includes("classes") ? ask("tree", {}, signal) : null]);
    if (facts.words.length === 0) {
      place.append(h("p", { class: "soft" }, "There are no words on this map."));
      return undefined;
    }
    const page = new MapPage(place, facts, tree, route);
    return () => page.leave();
  },
};

function button(label, act, more) {
  return h("button", { type: "button", class: "button", onclick: act, ...more }, label);
}

class MapPage {
  constructor(place, facts, tree, route) {
    this.place = place;
    this.facts = facts;
    this.tree = tree;
    this.gone = new AbortController();
    this.points = new Points(facts);
    this.bright = null; // the highlighted points
    this.lit = null; // the highlighted entry of the legend
    this.selected = []; // points
    this.outline = null; // around them, in coordinates of the map
    this.mark = -1;
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
    clearTimeout(this.writing);
    clearTimeout(this.opening);
    clearTimeout(this.settling);
  }

  // Elements

  build() {
    const known = { facts: this.facts, tree: this.tree };
    const label = "Find a word on the map";
    const box = searchBox({ label, placeholder: label, kinds: ["word"], choose: ({ text }) => this.find(text) });
    this.canvas = h("canvas", { class: "map-canvas", tabindex: 0, role: "application", "aria-describedby": "map-help",
      "aria-label": `A map of ${plural(this.points.n, "word")}. Arrow keys move it, plus and minus zoom, 0 shows all of it.` });
    this.tip = new Tip();
    this.choice = h("select", { onchange: () => { this.colouring = this.choice.value; this.recolour(); } },
      Object.entries(COLOURINGS).filter(([, c]) => c.fits(known)).map(([name, c]) => h("option", { value: name, selected: name === this.colouring }, c.title)));
    this.slider = h("input", { type: "range", min: 2, max: this.mostGroups(), step: 1, value: this.k,
      oninput: () => { this.k = Number(this.slider.value); this.recolour(); } });
    this.told = h("output", { class: "figure" }, this.k);
    this.groups = h("label", { class: "map-choice" }, "Branches", this.slider, this.told);
    this.selecting = button("Select", () => this.setSelecting(!this.isSelecting), { "aria-pressed": "false", title: "Draw a line around words, or hold Shift and drag" });
    this.legend = h("section", { class: "panel map-legend", "aria-label": "Legend" });
    this.selection = h("section", { class: "panel selection", "aria-label": "Selected words", hidden: true });
    this.said = h("span", { role: "status" }, plural(this.points.n, "word"));
    this.place.append(h("h1", { class: "offscreen" }, "Map"),
      h("div", { class: "map-bar" }, box.element,
        h("label", { class: "map-choice" }, "Colours", this.choice), this.groups,
        h("span", { class: "buttons" }, this.selecting, button("Select visible words", () => this.selectSeen()))),
      h("div", { class: "map-body" },
        h("div", { class: "map-stage" }, this.canvas, this.tip.ring, this.tip.element, h("div", { class: "map-zoom" },
          button("+", () => this.camera.zoom(1.6, undefined, undefined, 200), { "aria-label": "Zoom in", title: "Zoom in" }),
          button("−", () => this.camera.zoom(1 / 1.6, undefined, undefined, 200), { "aria-label": "Zoom out", title: "Zoom out" }),
          button("⤢", () => this.camera.go(this.camera.home, 350), { "aria-label": "Show all", title: "Show all" }))),
        h("div", { class: "map-side" }, this.legend, this.selection)),
      h("p", { class: "soft map-help" }, this.said, h("span", { id: "map-help" },
        "Drag or use the arrow keys to move, the wheel or + and − to zoom, 0 to show all. Shift and drag selects, Escape clears. Click a word to open it.")));
  }

  listen() {
    const { signal } = this.gone;
    const everything = () => { if (this.picture.resize()) this.redraw(); };
    const colours = () => { this.takeColours(); this.recolour(); };
    followKeys(this.canvas, this.camera, signal);
    this.pointers = followPointers(this.canvas, this.camera, {
      isSelecting: () => this.isSelecting,
      hover: (x, y) => this.hover(x, y),
      leave: () => this.tip.hide(),
      begin: () => { clearTimeout(this.opening); this.tip.hide(); },
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
      if (!this.picture.image) return;
      const quick = this.settling !== undefined;
      this.picture.draw({ ...this.colours, bright: this.bright, mark: this.mark, outline: this.outline, quick }, this.isSame && this.frames > 0);
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
    this.settling = setTimeout(() => { this.settling = undefined; this.redraw(); }, 120);
  }

  takeColours() {
    const style = getComputedStyle(document.documentElement);
    // a canvas returns any colour as #rrggbb
    const read = (name) => {
      this.picture.context.fillStyle = style.getPropertyValue(name).trim();
      return this.picture.context.fillStyle;
    };
    const paper = read("--panel");
    this.dark = isDark(paper);
    this.picture.ink = { paper, ink: read("--ink"), accent: read("--accent"), faint: mixed(paper, read("--soft"), 0.22), fonts: style.getPropertyValue("--sans") };
    this.picture.names.clear();
  }

  // Colours and their legend

  mostGroups() {
    return Math.max(1, Math.min(MOST_GROUPS, this.tree?.n_classes ?? 1));
  }

  readColouring(query) {
    const known = { facts: this.facts, tree: this.tree };
    const names = Object.keys(COLOURINGS).filter((name) => COLOURINGS[name].fits(known));
    const wanted = Math.round(Number(query.get("k")));
    [this.usual] = names;
    this.colouring = names.includes(query.get("colour")) ? query.get("colour") : this.usual;
    this.k = wanted >= 2 && wanted <= this.mostGroups() ? wanted : this.mostGroups();
  }

  recolour() {
    const colouring = COLOURINGS[this.colouring];
    this.colours = colouring.make({ points: this.points, facts: this.facts, tree: this.tree, k: this.k }, this.dark);
    this.groups.hidden = !colouring.groups || this.mostGroups() < 3;
    this.told.textContent = this.k;
    this.lit = null;
    this.legend.replaceChildren(...legend(colouring.heading, this.colours.entries, (entry) => { this.lit = entry; this.emphasize(); }));
    this.emphasize();
    this.keepAddress();
  }

  // The highlighted points: those of an entry of the legend, or the selected ones, or none.
  emphasize() {
    const { lit: entry, colours: { shade } } = this;
    if (entry) this.bright = shade.map((s) => (s >= entry.first && s <= entry.last ? 1 : 0));
    else if (this.selected.length > 0) {
      this.bright = new Uint8Array(this.points.n);
      for (const i of this.selected) this.bright[i] = 1;
    } else this.bright = null;
    this.redraw();
  }

  // Pointing at a word

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
    if (touch) return;
    this.opening = setTimeout(() => { this.writeAddress(); location.hash = address("word", this.points.words[i]); }, PATIENCE);
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

  // Finding a word

  find(word) {
    this.lookFor(word);
    if (this.mark < 0) return;
    // an entry in the history, without loading the view again
    const here = this.address();
    try { history.pushState(null, "", here); } catch { location.hash = here; }
    this.flyToMark();
  }

  lookFor(word) {
    this.mark = this.points.words.indexOf(word);
    const all = plural(this.points.n, "word");
    this.said.replaceChildren(...(this.mark >= 0 ? [all] : [wordLink(word, 30), ` is not one of the ${all} of this map`]));
    this.redraw();
  }

  flyToMark() {
    const { x, y } = this.points;
    this.camera.go({ x: x[this.mark], y: y[this.mark], z: Math.max(NEAR, this.camera.at.z) }, 800);
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
    this.selection.replaceChildren(
      h("div", { class: "panel-head" }, h("h2", {}, `${plural(chosen.length, "word")} selected`),
        chosen.length > 0 ? takeAway("selected words", TAKEN, rows) : null),
      h("div", { class: "buttons" }, button("Clear", () => { this.clear(); this.canvas.focus({ preventScroll: true }); }),
        chosen.length > LISTED ? h("span", { class: "soft" }, `The ${number(LISTED)} most frequent:`) : null),
      chosen.length > 0 ? h("div", { class: "map-list" }, table(SHOWN, chosen.slice(0, LISTED).map((i) => ({ word: words[i], count: counts[i] }))))
        : h("p", { class: "soft" }, "There are no words there."));
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

  // Cancels one thing after the other: the outline, the selection, selecting.
  escape() {
    const drawing = this.outline !== null && this.selection.hidden;
    this.pointers.giveUp();
    this.tip.hide();
    if (!this.selection.hidden || drawing) this.clear();
    else this.setSelecting(false);
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
    const digits = (n) => Number(n.toPrecision(5));
    if (!this.camera.isHome) for (const name of ["x", "y", "z"]) query.set(name, digits(this.camera.at[name]));
    if (this.colouring !== this.usual) query.set("colour", this.colouring);
    if (COLOURINGS[this.colouring].groups && this.k !== this.mostGroups()) query.set("k", this.k);
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
