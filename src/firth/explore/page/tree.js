// The class tree as an icicle plot: the root at the left, every box as high as its share of the text.

import { h, address, classLink, wordLink, wordText, number, percent, plural, shortened, COLOURS, wordFlow } from "./dom.js";
import { ask, isExported, Problem } from "./ask.js";
import { table, takeAway } from "./table.js";
import { icicle, columnsIn } from "./tree-boxes.js";
import { above, classesOf, finestCut, graft, grow, inSight, isOpen, isSplit, isUnknown, shareIn, surroundings } from "./tree-layout.js";

const ROWS = 60;
const STEPS = 140;
const CRUMBS = 5;
const LATER = 150; // milliseconds until the table follows the slider

let known = null; // { version, tree }
let last = null; // the previous picture, to zoom from
let next = null; // the active node of the next picture

const TAKEN = ["path", "label", "tokens", "share", "words", "typical"].map((key) => ({ key }));
const COLUMNS = [
  { key: "path", title: "path", show: (row) => [swatch(row.node), classLink(row.path)] },
  { key: "label", title: "label", show: (row) => (row.node.named ? h("b", {}, wordText(row.label, 60)) : wordText(row.label, 60)) },
  { key: "share", title: "of known words", kind: "percent", bar: true },
  { key: "words", title: "words", kind: "count" },
  { key: "typical", title: "typical words", show: (row) => flow(row.node.typical) },
];

export const treeView = {
  names: ["tree"], title: "Tree", does: "the words in classes, and classes of classes", part: "classes",
  async show(place, route, { model, signal }) {
    place.dataset.title = "Tree";
    const tree = await wholeTree(model, signal);
    const target = await find(tree, route.parts[0] ?? "", signal);
    return fill(place, tree, target, chosen(tree, route.query));
  },
};

async function wholeTree(model, signal) {
  if (known?.version !== model.version) known = { version: model.version, tree: grow(await ask("tree", {}, signal)) };
  return known.tree;
}

// The node of a path. Nodes that are not known yet are loaded on the way.
async function find(tree, path, signal) {
  for (;;) {
    const node = tree.byPath.get(path) ?? nearest(tree, path);
    if (!isUnknown(node) || isExported()) return node;
    graft(tree, node, await ask("tree", { below: node.path }, signal));
    if (isUnknown(node)) return node;
  }
}

function nearest(tree, path) {
  for (let end = path.length - 1; end >= 0; end--) {
    const node = tree.byPath.get(path.slice(0, end));
    if (node && isUnknown(node)) return node;
    if (node) break;
  }
  const below = path.length < 10000 && tree.nodes.find((node) => node.path.startsWith(path));
  if (!below) throw new Problem(`There is no class ${shortened(path, 60)}.`, "A path consists of 0 and 1, from the root: choose a class in the tree.", 404);
  return below;
}

// The cut and the size of boxes, from the address.
function chosen(tree, query) {
  const finest = finestCut(tree);
  const k = Number.parseInt(query.get("cut") ?? "", 10);
  return { finest, cut: k >= 1 && k < finest ? k : null, by: query.get("size") === "words" || !tree.total ? "words" : "text" };
}

function addressOf(node, { cut, by }, tree) {
  const query = [cut !== null ? `cut=${cut}` : "", by === "words" && tree.total ? "size=words" : ""].filter(Boolean).join("&");
  return (node === tree.root && !query ? address("tree") : address("tree", node.path)) + (query ? `?${query}` : "");
}

function fill(place, tree, target, choice) {
  const crumbs = h("nav", { class: "crumbs", "aria-label": "Ancestors in the tree" });
  const details = h("aside", { class: "panel details", "aria-label": "Details" });
  const below = h("section", { class: "panel tree-cut", hidden: true });
  const taking = h("span", { class: "tree-take" });
  let focus = tree.root;
  let later = 0;

  const goTo = (node, active) => { next = active ?? null; location.hash = addressOf(node, choice, tree); };
  const up = () => { if (focus.parent) goTo(focus.parent, focus); };
  const picture = icicle({
    enter: goTo, up, open: (node) => { location.hash = address("class", node.path); },
    look: (node) => details.replaceChildren(...facts(node, tree, choice, focus)),
  });

  // Draws target, cut and size into the space there is.
  function draw(wanted) {
    const marked = inSight(target, choice.cut);
    const room = { by: choice.by, height: picture.element.clientHeight, columns: columnsIn(picture.element.clientWidth) };
    focus = isSplit(marked, choice.cut) ? marked : surroundings(marked, room);
    const beside = details.offsetLeft > picture.element.offsetLeft;
    picture.draw({ tree, focus, cut: choice.cut, by: choice.by, marked: marked === focus ? null : marked, beside }, wanted ?? (marked === focus ? undefined : marked));
    crumbs.replaceChildren(...trail(focus, choice, tree));
  }

  // The table and the buttons, updated when the slider has been at rest for a moment.
  function follow() {
    below.replaceChildren(...(choice.cut === null ? [] : cutTable(tree, focus, choice.cut)));
    below.hidden = choice.cut === null;
    taking.replaceChildren(choice.cut === null ? takeAway("tree", TAKEN, () => picture.shown().map((node) => row(node, tree))) : "");
  }

  function choose(change) {
    Object.assign(choice, change);
    draw();
    clearTimeout(later);
    later = setTimeout(() => { remember(addressOf(target, choice, tree)); follow(); }, LATER);
  }

  place.append(
    h("div", { class: "tree-head" }, controls(tree, choice, choose), taking), crumbs,
    h("div", { class: "tree-main" }, picture.element, details), help(), below);

  const watch = new ResizeObserver(() => {
    const { clientWidth, clientHeight } = picture.element;
    if (clientWidth && !picture.isDrawnFor(clientWidth, clientHeight)) draw();
  });
  place.addEventListener("shown", () => {
    const before = last?.tree === tree ? last : null;
    const wanted = next ?? (isSplit(target, choice.cut) && before?.focused ? before.active : null);
    draw(wanted ?? target);
    follow();
    if (before?.focused && (document.activeElement ?? document.body) === document.body) picture.focusActive();
    if (before && before.shape.height === picture.picture().shape.height) picture.moveFrom(before);
    last = next = null;
    watch.observe(picture.element);
  }, { once: true });
  const keys = (event) => {
    const free = [document.body, document.getElementById("main"), null].includes(document.activeElement);
    if (free && (event.key === "Escape" || event.key === "Backspace") && !event.defaultPrevented) up();
  };
  document.addEventListener("keydown", keys);
  return () => {
    document.removeEventListener("keydown", keys);
    watch.disconnect();
    clearTimeout(later);
    picture.end();
    if (picture.picture().shape) last = picture.picture();
  };
}

// Updates the address without loading the view again.
function remember(hash) {
  try {
    history.replaceState(history.state, "", hash);
  } catch { /* some browsers do not allow this in a file; the view is still right */ }
}

function trail(focus, choice, tree) {
  const steps = above(focus);
  const shown = steps.length > CRUMBS ? [steps[0], null, ...steps.slice(1 - CRUMBS)] : steps;
  const sep = () => h("span", { class: "sep" }, "›");
  return [
    ...shown.flatMap((node) => (node === null ? [h("span", { class: "sep" }, "…"), sep()]
      : [h("a", { href: addressOf(node, choice, tree) }, name(node, 28)), sep()])),
    h("b", { "aria-current": "true" }, name(focus, 40)),
  ];
}

function name(node, longest) {
  return node.parent ? wordText(node.label, longest) : "all words";
}

// The numbers of classes at which the slider stops, on a logarithmic scale.
function stops(finest) {
  const all = Array.from({ length: STEPS + 1 }, (_, i) => Math.round(finest ** (i / STEPS)));
  return [...new Set(all)];
}

function controls(tree, choice, choose) {
  const { finest } = choice;
  const values = stops(finest);
  const at = (k) => values.reduce((best, v, i) => (Math.abs(v - k) < Math.abs(values[best] - k) ? i : best), 0);
  const slider = h("input", { type: "range", "aria-label": "Cut into classes", min: 0, max: values.length - 1, step: 1 });
  const exact = h("input", { type: "number", class: "field", "aria-label": "Number of classes", min: 1, max: finest, step: 1 });
  const said = h("span", { class: "soft tree-said" });
  const tell = (from) => {
    const k = choice.cut ?? finest;
    if (from !== slider) slider.value = at(k);
    if (from !== exact) exact.value = k;
    slider.setAttribute("aria-valuetext", choice.cut === null ? "not cut" : plural(k, "class", "classes"));
    said.textContent = choice.cut === null ? "classes (all)" : k === 1 ? "class" : "classes";
  };
  const set = (k, from) => { choose({ cut: k >= 1 && k < finest ? k : null }); tell(from); };
  slider.addEventListener("input", () => set(values[Number(slider.value)], slider));
  exact.addEventListener("input", () => { if (exact.value.trim()) set(Math.round(Number(exact.value)), exact); });
  exact.addEventListener("change", () => tell(null));
  tell(null);
  const size = h("select", { "aria-label": "Size of boxes", onchange: () => choose({ by: size.value }) },
    [["text", "share of the text"], ["words", "number of words"]].map(([value, title]) => h("option", { value, selected: value === choice.by }, title)));
  return h("div", { class: "tree-controls" },
    finest > 1 ? h("span", { class: "tree-slide" }, h("span", { class: "soft" }, "Cut into"), slider, exact, said) : null,
    tree.total ? h("label", { class: "soft" }, "Size by ", size) : null);
}

function facts(node, tree, choice, focus) {
  const fact = (title, value) => (value === null ? null : [h("dt", {}, title), h("dd", {}, value)]);
  const isClass = node.rank === 0;
  return [
    h("p", { class: "details-path" }, swatch(node), h("code", {}, node.parent ? shortened(node.path, 60) : "root"),
      h("span", { class: "soft" }, isClass ? "a class" : node.parent ? "an inner node" : "all words")),
    h("h2", { class: node.named ? "named" : undefined }, wordText(node.label, 90)),
    h("p", { class: "details-links" },
      h("a", { href: address("class", node.path) }, "open this class"),
      isOpen(node, choice.cut) && node !== focus ? h("a", { href: addressOf(node, choice, tree) }, "zoom in") : null,
      node.parent && !isExported() ? h("a", { href: address("compare", "classes", node.path) }, "compare") : null),
    h("dl", { class: "facts-list" },
      tree.total && node.parent && !node.tooRare ? fact("of known words", percent(shareIn(tree, node), 2)) : null,
      tree.total && node.rare ? fact("too rare to be learned", `${percent(node.rare / tree.total, 2)} of the text`) : null,
      fact("words", number(node.words)),
      isClass ? null : fact("classes", node.classes === null ? null : number(node.classes)),
      isClass ? null : fact("split by", `a cut into ${number(node.rank + 1)}`)),
    wordFlow(node.typical, flow(node.typical)),
    node.children.length ? h("div", {}, h("p", { class: "soft" }, "Its two subclasses"), node.children.map((child) => half(child, choice, tree))) : "",
  ];
}

function half(node, choice, tree) {
  return h("p", {}, h("a", { href: addressOf(node, choice, tree) }, wordText(node.label, 40)),
    tree.total ? h("span", { class: "soft figure" }, ` ${node.tooRare ? "" : percent(shareIn(tree, node))}`) : null);
}

function flow(words) {
  return words.flatMap((word) => [h("span", { class: "one" }, wordLink(word, 30)), " "]);
}

function swatch(node) {
  return h("span", { class: "swatch", vars: node.branch === null || node.tooRare ? undefined : { "--tint": COLOURS[node.branch % COLOURS.length] } });
}

function row(node, tree) {
  return { node, path: node.path, label: node.label, tokens: node.tokens, share: tree.total && !node.tooRare ? shareIn(tree, node) : null, words: node.words, typical: node.typical.join(" ") };
}

// The classes of the cut below the focus.
function cutTable(tree, focus, cut) {
  const rows = classesOf(focus, cut).map((node) => row(node, tree));
  const columns = COLUMNS.filter((c) => c.key !== "share" || tree.total);
  const title = focus.parent ? [number(rows.length), " of the ", plural(cut, "class", "classes"), " of the cut, below ", h("code", {}, shortened(focus.path, 24))]
    : [plural(rows.length, "class", "classes"), " of the cut"];
  const body = h("div", { class: "tree-table" }, table(columns, rows.slice(0, ROWS)));
  const rest = h("p", { class: "buttons" }, h("span", { class: "soft" }, `${number(ROWS)} of ${number(rows.length)}`),
    h("button", { type: "button", class: "button", onclick: () => { body.replaceChildren(table(columns, rows)); rest.remove(); } }, "Show all"));
  return [h("div", { class: "panel-head" }, h("h2", {}, title), takeAway(`cut into ${cut}`, TAKEN, rows)), body, rows.length > ROWS ? rest : ""];
}

function help() {
  const key = (text) => h("kbd", {}, text);
  return h("p", { class: "soft tree-help" }, "Click a box to zoom in, the leftmost box to zoom out, or a class to open it. Thin boxes appear when you zoom in. ",
    h("span", { class: "tree-keys" }, ["←", "→", "↑", "↓"].map(key), " move, ", key("Enter"), " zooms in or opens a class, ", key("o"), " opens a node, ", key("Esc"), " goes up."));
}
