// Draws the boxes of the tree; keyboard navigation and zooming.

import { h, shortened, percent, plural, widthOf, COLOURS } from "./dom.js";
import { boxesOf, extent, isBelow, isOpen, levels, shareIn } from "./tree-layout.js";

const ROOM_FOR_TEXT = 16; // less would cut letters of Arabic and Devanagari
const ROOM_FOR_FACTS = 42;
const DURATION = 260;
const PADDING = 14;

// As many words of a label as fit.
function fitting(label, room, font) {
  const whole = shortened(label, 80);
  if (widthOf(whole, font) <= room) return whole;
  const words = wordsOf(label.slice(0, 300));
  for (let n = words.length; n > 0; n--) {
    const text = `${shortened(words.slice(0, n).join(", "), 80)} …`;
    if (widthOf(text, font) <= room) return text;
  }
  return shortened(words[0], 80); // the style sheet cuts it off
}

// The words of a label, without the remark in parentheses.
function wordsOf(label) {
  return label.replace(/ \([^()]*\)$/, "").split(", ");
}

// The strength of a box's colour: weaker further down, and different for siblings.
function strength(node) {
  if (node.tooRare) return 30;
  if (node.branch === null) return node.place % 2 ? 9 : 13;
  return Math.max(13, 44 * 0.9 ** node.below) + (node.place % 2 ? -2.5 : 2.5);
}

function contents(box, width, { tree, by }, family) {
  const { node } = box;
  if (box.height < ROOM_FOR_TEXT) return [];
  const font = `${node.named ? 700 : 400} 12.5px ${family}`;
  const label = fitting(node.label, width - PADDING, font);
  const line = [h("bdi", { class: "box-label" }, label)];
  const known = new Set(wordsOf(node.label.slice(0, 300)));
  const others = node.tooRare ? [] : node.typical.filter((word) => !known.has(word));
  if (box.last && others.length && width - PADDING - widthOf(label, font) > 70) {
    line.push(h("span", { class: "box-others" }, others.flatMap((word) => [h("bdi", {}, shortened(word, 24)), " "])));
  }
  const small = (text) => widthOf(text, `11px ${family}`) <= width - PADDING;
  const fact = box.height >= ROOM_FOR_FACTS ? whatFits(told(node, tree, by), small) : null;
  const facts = fact ? h("span", { class: "box-facts" }, fact) : h("span", { class: "offscreen" }, told(node, tree, by).join(", "));
  return [h("span", { class: "box-line" }, line), facts];
}

// Size and share of the known words; what the height of the box stands for comes first.
function told(node, tree, by) {
  const words = plural(node.words, "word");
  if (node.tooRare) return [`${percent(node.rare / tree.total)} of the text`];
  const share = percent(shareIn(tree, node));
  return !tree.total ? [words] : by === "words" ? [words, share] : [share, words];
}

function whatFits(facts, small) {
  return [facts.join(" · "), facts[0]].find(small);
}

function element(box, shape, state, family) {
  const { node } = box;
  const { tree, cut, by, marked, focus } = state;
  const left = Math.round(box.column * shape.column);
  const width = (box.last ? shape.width : Math.round((box.column + 1) * shape.column)) - left;
  const least = node === marked ? 4 : 1;
  const top = Math.min(Math.round(box.y), shape.height - least);
  const height = Math.max(least, Math.round(box.y + box.height) - top);
  const kind = ["box", node.named && "named", node.tooRare && "too-rare", node === marked && "marked", node === focus && "left", node === focus && node.parent && "under", height < 5 && "thin",
    isOpen(node, cut) ? "inner" : "end", box.last && isOpen(node, cut) && "more"].filter(Boolean).join(" ");
  const shown = contents(box, width, state, family);
  return h("div", {
    class: kind, role: "treeitem", tabindex: "-1", "data-path": node.path, "aria-level": box.column + 1,
    "aria-expanded": isOpen(node, cut) ? String(!box.last) : undefined, "aria-current": node === marked ? "true" : undefined,
    "aria-setsize": node === focus ? 1 : node.parent.children.length, "aria-posinset": node === focus ? 1 : node.place + 1,
    "aria-label": shown.length ? undefined : `${shortened(node.label, 80)}, ${told(node, tree, by).join(", ")}`,
    vars: { left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px`, ...colours(node) },
  }, shown);
}

function colours(node) {
  return { "--tint": node.branch === null || node.tooRare ? "var(--soft)" : COLOURS[node.branch % COLOURS.length], "--much": `${strength(node)}%` };
}

// Fills the place of boxes that are too thin to be drawn.
function rest(box, shape) {
  const left = Math.round((box.column + 1) * shape.column);
  return h("div", { class: "rest", role: "presentation", vars: { left: `${left}px`, top: `${Math.round(box.y)}px`,
    width: `${shape.width - left}px`, height: `${Math.round(box.y + box.height) - Math.round(box.y)}px`, ...colours(box.node) } });
}

// The number of readable columns in a width.
export function columnsIn(width) {
  return Math.max(2, Math.round(width / (width < 500 ? 112 : 158)));
}

// The columns of the picture. With a cut, columns become narrower if all classes of the cut can then be seen, and the
// classes extend to the right edge.
function shapeFor({ focus, cut }, width, height) {
  const usual = columnsIn(width);
  const most = Math.round(1.5 * usual);
  const all = levels(focus, cut, most + 1);
  const fits = cut !== null && all > 1 && all <= most;
  const columns = fits ? all : Math.min(all, usual);
  return { width, height, columns, column: (width - (fits ? Math.min(200, 0.22 * width) : 0)) / columns };
}

// The icicle plot. Callbacks: enter(node) zooms in, open(node) opens a class, up() zooms out, look(node) shows details.
export function icicle({ enter, open, up, look }) {
  const frame = h("div", { class: "icicle", role: "tree", "aria-label": "Tree of word classes" });
  let state = null; // what is shown: { tree, focus, cut, by, marked, beside }
  let shape = null; // { width, height, columns, column }
  let stage = h("div");
  let drawn = new Map(); // from nodes to { box, made }
  let active = null;
  let lane = 0; // the column in which the up and down keys move
  let waiting = 0;

  function draw(next, wanted) {
    const width = frame.clientWidth;
    const height = frame.clientHeight;
    const family = getComputedStyle(frame).fontFamily;
    state = next;
    shape = shapeFor(next, width, height);
    const boxes = boxesOf(next.focus, { cut: next.cut, by: next.by, height, columns: shape.columns, keep: next.marked });
    drawn = new Map(boxes.map((box) => [box.node, { box, made: element(box, shape, next, family) }]));
    stage = h("div", { class: "stage", role: "presentation" }, boxes.filter((box) => box.partly).map((box) => rest(box, shape)), [...drawn.values()].map((d) => d.made));
    frame.replaceChildren(stage);
    activate(nearestDrawn(wanted ?? active) ?? next.focus);
  }

  function nearestDrawn(node) {
    while (node && !drawn.has(node)) node = node.parent;
    return node;
  }

  function activate(node) {
    if (drawn.has(active)) drawn.get(active).made.tabIndex = -1;
    active = node;
    lane = drawn.get(node).box.column;
    drawn.get(node).made.tabIndex = 0;
    look(node);
  }

  function move(node) {
    if (!node || !drawn.has(node)) return;
    drawn.get(node).made.focus({ preventScroll: true }); // the focus makes it active
  }

  // The previous or next box in a column; boxes that extend across the column are in it, too.
  function beside(step) {
    const column = lane;
    const list = [...drawn.values()].map((d) => d.box).filter((b) => b.column <= column && column < b.column + b.span);
    const next = list[list.findIndex((b) => b.node === active) + step];
    if (!next) return;
    move(next.node);
    lane = column;
  }

  function right() {
    const child = active.children.find((c) => drawn.has(c));
    if (child) move(child);
    else if (isOpen(active, state.cut) && active !== state.focus) {
      // its children are not visible: move the picture by one column
      let next = active;
      while (next.parent !== state.focus) next = next.parent;
      enter(next, active.children[0] ?? active);
    }
  }

  function go(node) {
    if (node === state.focus) up();
    else if (isOpen(node, state.cut)) enter(node, node);
    else open(node);
  }

  function act(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || !active) return;
    const acts = {
      ArrowRight: right, ArrowDown: () => beside(1), ArrowUp: () => beside(-1), Enter: () => go(active), " ": () => go(active),
      ArrowLeft: () => (active === state.focus ? up() : move(active.parent)), o: () => open(active), Escape: up, Backspace: up, Home: () => move(state.focus),
    };
    if (!Object.hasOwn(acts, event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    acts[event.key]();
  }

  const nodeAt = (event) => {
    const path = event.target.closest?.(".box")?.dataset.path;
    return path === undefined ? null : state.tree.byPath.get(path);
  };
  // On its way to the details, the pointer crosses other boxes: these count only if it rests on them.
  let from = null;
  let looked = null;
  const hover = (event) => {
    const node = event.pointerType === "touch" ? null : nodeAt(event);
    const [x, y] = from ? [event.clientX - from.clientX, event.clientY - from.clientY] : [0, 0];
    const leaving = Math.max(x, y) > 0 && (state.beside ? x > Math.abs(y) : y > Math.abs(x));
    from = event;
    if (!node || (node === looked && !leaving)) return;
    clearTimeout(waiting);
    looked = node;
    waiting = setTimeout(() => look(node), leaving ? 150 : 40);
  };
  frame.addEventListener("pointermove", hover);
  frame.addEventListener("pointerleave", () => { clearTimeout(waiting); from = looked = null; });
  frame.addEventListener("click", (event) => { const node = nodeAt(event); if (node) go(node); });
  frame.addEventListener("focusin", (event) => { const node = nodeAt(event); if (node && node !== active) activate(node); });
  frame.addEventListener("keydown", act);

  return {
    element: frame, draw,
    shown: () => [...drawn.keys()],
    focusActive: () => move(active),
    isDrawnFor: (width, height) => shape !== null && shape.height === height && shape.width === width,
    picture: () => ({ stage, shape, focus: state?.focus, tree: state?.tree, active, focused: frame.contains(document.activeElement) }),
    moveFrom: (before) => zoomed(frame, before, { stage, shape, focus: state.focus, by: state.by }),
    end: () => clearTimeout(waiting),
  };
}

// Animates the zoom between two pictures: each is moved as one layer, which is fast for any number of boxes.
function zoomed(frame, before, now) {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches || before.focus === now.focus || !frame.animate) return;
  const inward = isBelow(now.focus, before.focus);
  if (!inward && !isBelow(before.focus, now.focus)) return;
  const [outer, inner] = inward ? [before, now] : [now, before];
  const { y, size } = extent(inner.focus, outer.focus, now.by);
  if (size * outer.shape.height < 1) return;
  const right = (inner.focus.depth - outer.focus.depth) * outer.shape.column;
  const wide = outer.shape.column / inner.shape.column;
  const down = y * outer.shape.height;
  const still = "translate(0px, 0px) scale(1, 1)";
  const small = `translate(${right}px, ${down}px) scale(${wide}, ${size})`; // the inner picture at its position in the outer one
  const large = `translate(${-right / wide}px, ${-down / size}px) scale(${1 / wide}, ${1 / size})`; // the outer one around the inner
  const timing = { duration: DURATION, easing: "cubic-bezier(0.4, 0, 0.2, 1)", fill: "both" };
  before.stage.classList.add("leaving");
  before.stage.setAttribute("aria-hidden", "true");
  for (const box of before.stage.querySelectorAll(".box")) box.tabIndex = -1;
  if (inward) frame.prepend(before.stage);
  else frame.append(before.stage);
  frame.classList.add("zooming");
  const moves = inward
    ? [before.stage.animate({ transform: [still, large] }, timing), now.stage.animate({ transform: [small, still] }, timing)]
    : [before.stage.animate({ transform: [still, small], opacity: [1, 1, 0] }, timing), now.stage.animate({ transform: [large, still] }, timing)];
  const done = () => {
    before.stage.remove();
    frame.classList.remove("zooming");
    for (const m of moves) m.cancel();
  };
  Promise.all(moves.map((m) => m.finished)).then(done, done);
}
