// The visible part of the map, and the gestures that change it.

const MOST = 2000; // maximum zoom: the resolution of positions is then some pixels
const LEAST = 0.5;
const EDGE = 40; // pixels kept free around the whole map; less on a phone
const EDGE_SHARE = 0.06; // of the width
const STILL = { mouse: 4, touch: 9 }; // smaller movements of a pointer are ignored
const TWICE = 300; // maximum milliseconds between the clicks of a double click
const PULL = { 0: 1, 1: 16, 2: 400 }; // the units of wheel events, in pixels

export class Camera {
  constructor(box, changed) {
    this.box = box;
    this.changed = changed;
    this.width = this.height = this.unit = 1;
    this.home = { x: (box.seen.left + box.seen.right) / 2, y: (box.seen.low + box.seen.high) / 2, z: 1 };
    this.at = this.home;
    this.flight = null;
  }

  resize(width, height) {
    const box = this.box.seen;
    this.width = width;
    this.height = height;
    const edge = Math.min(EDGE, EDGE_SHARE * width);
    const across = (width - 2 * edge) / (box.right - box.left || 1e-9);
    const along = (height - 2 * edge) / (box.high - box.low || 1e-9);
    this.unit = Math.max(1, Math.min(across, along, Math.max(width, height) * 8)); // pixels per unit at zoom 1
  }

  get scale() { return this.unit * this.at.z; }

  across(x) { return (x - this.at.x) * this.scale + this.width / 2; }

  down(y) { return (this.at.y - y) * this.scale + this.height / 2; }

  mapX(across) { return this.at.x + (across - this.width / 2) / this.scale; }

  mapY(down) { return this.at.y - (down - this.height / 2) / this.scale; }

  // The visible rectangle of the map: left, right, low, high.
  get seen() { return [this.mapX(0), this.mapX(this.width), this.mapY(this.height), this.mapY(0)]; }

  get isHome() { return this.at.x === this.home.x && this.at.y === this.home.y && this.at.z === 1; }

  within({ x, y, z }) {
    const { box } = this;
    return {
      x: Math.max(box.left, Math.min(box.right, x)), y: Math.max(box.low, Math.min(box.high, y)),
      z: Math.max(LEAST, Math.min(MOST, z)),
    };
  }

  // Moves to a view: at once, or animated unless the user prefers reduced motion.
  go(view, milliseconds = 0) {
    const goal = this.within(view);
    const still = milliseconds === 0 || matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.flight = still ? null : { from: this.at, to: goal, begin: null, milliseconds };
    if (still) this.at = goal;
    this.changed();
  }

  // One frame of an animation; returns whether there are more.
  step(now) {
    if (!this.flight) return false;
    const { from, to, milliseconds } = this.flight;
    this.flight.begin ??= now;
    const share = Math.min(1, (now - this.flight.begin) / milliseconds);
    if (share === 1) { this.at = to; this.flight = null; return false; }
    const t = 1 - (1 - share) ** 3;
    const z = from.z * (to.z / from.z) ** t;
    // while zooming, one point of the map keeps its position on the screen
    const left = Math.abs(Math.log(to.z / from.z)) < 1e-3 ? 1 - t : (1 / z - 1 / to.z) / (1 / from.z - 1 / to.z);
    this.at = { x: to.x + (from.x - to.x) * left, y: to.y + (from.y - to.y) * left, z };
    return true;
  }

  // The view with as many digits as can be seen, which is what the address has.
  get told() {
    const z = Number(this.at.z.toPrecision(5));
    const digits = Math.max(0, Math.min(20, Math.ceil(Math.log10(100 * this.unit * z))));
    return { x: Number(this.at.x.toFixed(digits)), y: Number(this.at.y.toFixed(digits)), z };
  }

  // When nothing moves, what is seen is what the address tells.
  rest() {
    if (!this.flight && !this.isHome) this.at = this.told;
  }

  // Zooms around a position on the screen.
  zoom(factor, across = this.width / 2, down = this.height / 2, milliseconds = 0) {
    const base = this.flight ? this.flight.to : this.at;
    const z = this.within({ ...base, z: base.z * factor }).z;
    const shift = 1 / (this.unit * base.z) - 1 / (this.unit * z);
    this.go({ x: base.x + (across - this.width / 2) * shift, y: base.y - (down - this.height / 2) * shift, z }, milliseconds);
  }

  pan(across, down, milliseconds = 0) {
    const base = this.flight ? this.flight.to : this.at;
    const scale = this.unit * base.z;
    this.go({ x: base.x - across / scale, y: base.y + down / scale, z: base.z }, milliseconds);
  }
}

// Keyboard: arrow keys, + and -, 0.
export function followKeys(canvas, camera, signal) {
  const step = () => 0.2 * Math.min(camera.width, camera.height);
  const acts = {
    ArrowLeft: () => camera.pan(step(), 0, 150), ArrowRight: () => camera.pan(-step(), 0, 150),
    ArrowUp: () => camera.pan(0, step(), 150), ArrowDown: () => camera.pan(0, -step(), 150),
    "+": () => camera.zoom(1.6, undefined, undefined, 200), "-": () => camera.zoom(1 / 1.6, undefined, undefined, 200),
    0: () => camera.go(camera.home, 350),
  };
  const same = { "=": "+", _: "-", Home: "0" };
  canvas.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const act = acts[same[event.key] ?? event.key];
    if (act) { event.preventDefault(); act(); }
  }, { signal });
}

// Mouse, pen and touch. told has the callbacks isSelecting(), hover(x, y), leave(), begin(), tap(x, y, touch),
// drawing(outline) while an outline is drawn, drawn(outline) when it is finished, and drawing(null) when it is cancelled.
export function followPointers(canvas, camera, told, signal) {
  const pointers = new Map();
  let gesture = null; // { kind: "pan" | "outline", x, y, moved, touch, outline }
  let tapped = { when: -Infinity, x: 0, y: 0 };
  const on = (name, act, more) => canvas.addEventListener(name, act, { signal, ...more });

  function giveUp() {
    if (gesture?.kind === "outline") told.drawing(null);
    gesture = null;
  }

  function pinch(event) {
    const [one, other] = pointers.values();
    const before = { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2, wide: Math.hypot(one.x - other.x, one.y - other.y) };
    pointers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
    const [a, b] = pointers.values();
    const now = { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, wide: Math.hypot(a.x - b.x, a.y - b.y) };
    camera.pan(now.x - before.x, now.y - before.y);
    camera.zoom(now.wide / Math.max(1, before.wide), now.x, now.y);
  }

  function drag(event, was) {
    const { offsetX: x, offsetY: y } = event;
    if (!gesture.moved && Math.hypot(x - gesture.x, y - gesture.y) < STILL[gesture.touch ? "touch" : "mouse"]) return;
    if (!gesture.moved) { gesture.moved = true; was = gesture; canvas.dataset.dragging = gesture.kind; }
    pointers.set(event.pointerId, { x, y });
    if (gesture.kind === "pan") { camera.pan(x - was.x, y - was.y); return; }
    const last = gesture.outline.at(-1);
    if (Math.hypot(x - last[0], y - last[1]) >= 3) gesture.outline.push([x, y]);
    told.drawing(gesture.outline);
  }

  function tap(event) {
    const { offsetX: x, offsetY: y } = event;
    const twice = event.timeStamp - tapped.when < TWICE && Math.hypot(x - tapped.x, y - tapped.y) < 24;
    tapped = { when: twice ? -Infinity : event.timeStamp, x, y };
    if (twice) camera.zoom(2.2, x, y, 250);
    else told.tap(x, y, gesture.touch);
  }

  on("pointerdown", (event) => {
    if (event.button !== 0 || pointers.size >= 2) return;
    const { offsetX: x, offsetY: y } = event;
    try { canvas.setPointerCapture(event.pointerId); } catch { /* the pointer has gone already */ }
    pointers.set(event.pointerId, { x, y });
    camera.go(camera.at); // stops an animation
    told.begin();
    if (pointers.size === 2) { giveUp(); return; }
    const kind = told.isSelecting() || event.shiftKey ? "outline" : "pan";
    gesture = { kind, x, y, moved: false, touch: event.pointerType !== "mouse", outline: [[x, y]] };
  });
  on("pointermove", (event) => {
    const was = pointers.get(event.pointerId);
    if (!was) { if (event.pointerType === "mouse") told.hover(event.offsetX, event.offsetY); return; }
    if (pointers.size === 2) pinch(event);
    else if (gesture) drag(event, was);
  });
  const lift = (event) => {
    if (!pointers.delete(event.pointerId)) return;
    delete canvas.dataset.dragging;
    // one of two fingers is left, and continues to drag
    if (pointers.size === 1) { gesture = { kind: "pan", moved: true, touch: true, outline: [] }; return; }
    const done = gesture;
    if (event.type !== "pointerup" || !done) { giveUp(); return; }
    if (!done.moved) tap(event);
    else if (done.kind === "outline") told.drawn(done.outline);
    gesture = null;
  };
  for (const name of ["pointerup", "pointercancel", "lostpointercapture"]) on(name, lift);
  on("pointerleave", (event) => { if (event.pointerType === "mouse" && pointers.size === 0) told.leave(); }); // a finger also leaves when it is lifted
  on("wheel", (event) => {
    event.preventDefault();
    const turned = Math.max(-240, Math.min(240, event.deltaY * (PULL[event.deltaMode] ?? 1)));
    camera.go(camera.at);
    camera.zoom(Math.exp(-turned * (event.ctrlKey ? 0.01 : 0.0022)), event.offsetX, event.offsetY);
    told.begin();
  }, { passive: false });
  return { giveUp };
}
