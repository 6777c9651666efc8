// A picture of a parse tree. A node under the pointer, or chosen with the arrow keys, highlights its words.

import { h, svg, percent } from "./dom.js";
import { layoutOf, branchesOf, SIZES } from "./parse-layout.js";

const INKS = { ink: "#1d2730", label: "#1f6f8c", line: "#8695a0" }; // for SVG files, which have no style sheet

// look(node) is called with the chosen node or the one under the pointer, or with null.
export function treePicture(look) {
  const frame = h("div", { class: "parse-scroll" });
  let layout = null;
  let parts = null; // the drawn elements: { nodes, branches, words }
  let chosen = null;
  let pointed = null;
  let marked = null; // words that the chart highlights
  let mirrored = false;

  // others is the set of nodes that the best tree does not have.
  function draw(nodes, words, { probability, others, rightToLeft }) {
    mirrored = rightToLeft;
    layout = layoutOf(nodes, words, familyOf(), mirrored);
    chosen = pointed = marked = null;
    parts = {
      branches: branchesOf(layout).map(({ k, kind, d }) => ({ k, made: svg("path", { class: `parse-${kind}`, d }) })),
      words: layout.words.map((word) => wordMark(word)),
      nodes: layout.nodes.map((node, k) => nodeMark(node, k, layout, probability(node), others.has(nodes[k]))),
    };
    frame.replaceChildren(svg("svg", { class: "parse-tree", width: layout.width, height: layout.height, role: "tree", "aria-label": "Parse tree" },
      svg("g", { "aria-hidden": "true" }, parts.branches.map((branch) => branch.made), parts.words),
      parts.nodes));
    parts.nodes[0].setAttribute("tabindex", "0");
    if (mirrored) frame.scrollLeft = frame.scrollWidth;
  }

  function clear() {
    layout = parts = chosen = pointed = null;
    frame.replaceChildren();
  }

  function paint() {
    const k = pointed ?? chosen;
    const node = k === null ? null : layout.nodes[k];
    const span = marked ?? node;
    const within = (i) => node !== null && marked === null && i >= k && i < k + node.size;
    parts.nodes.forEach((made, i) => {
      made.classList.toggle("within", within(i));
      made.classList.toggle("at", i === k && marked === null);
      made.setAttribute("aria-selected", String(i === chosen));
    });
    for (const { k: i, made } of parts.branches) made.classList.toggle("within", within(i) && (i !== k || made.classList.contains("parse-leader")));
    parts.words.forEach((made, i) => made.classList.toggle("within", span !== null && span.start <= i && i < span.end));
  }

  function choose(k) {
    for (const made of parts.nodes) made.setAttribute("tabindex", "-1");
    parts.nodes[k ?? 0].setAttribute("tabindex", "0");
    chosen = k;
    marked = null;
    paint();
    look(k === null ? null : layout.nodes[k]);
  }

  function point(k) {
    if (k === pointed) return;
    pointed = k;
    marked = null;
    paint();
    const shown = pointed ?? chosen;
    look(shown === null ? null : layout.nodes[shown]);
  }

  // The previous or next node on the same level.
  function beside(k, step) {
    const row = layout.nodes.map((_, i) => i).filter((i) => layout.nodes[i].depth === layout.nodes[k].depth);
    return row[row.indexOf(k) + (mirrored ? -step : step)];
  }

  function act(event) {
    const k = placeOf(event);
    if (k === null || event.altKey || event.ctrlKey || event.metaKey) return;
    const moves = {
      ArrowUp: () => layout.nodes[k].parent, ArrowDown: () => layout.nodes[k].children[0],
      ArrowLeft: () => beside(k, -1), ArrowRight: () => beside(k, 1), Home: () => 0, " ": () => k, Enter: () => k, Escape: () => null,
    };
    if (!Object.hasOwn(moves, event.key)) return;
    event.preventDefault();
    const to = moves[event.key]();
    if (to === null) choose(null);
    else if (parts.nodes[to]) { parts.nodes[to].focus(); choose(to); }
  }

  const placeOf = (event) => {
    const found = event.target.closest?.(".parse-node");
    return found ? parts.nodes.indexOf(found) : null;
  };
  frame.addEventListener("pointermove", (event) => { if (parts && event.pointerType === "mouse") point(placeOf(event)); });
  frame.addEventListener("pointerleave", () => { if (parts) point(null); });
  frame.addEventListener("click", (event) => { if (parts) choose(placeOf(event)); });
  frame.addEventListener("focusin", (event) => { const k = placeOf(event); if (k !== null && k !== chosen) choose(k); });
  frame.addEventListener("keydown", act);
  return {
    element: frame, draw, clear,
    // Highlights the words of a phrase; null for none.
    mark(span) { if (parts) { marked = span; paint(); } },
    picture: () => ({ layout, family: familyOf() }),
  };
}

function familyOf() {
  return getComputedStyle(document.body).fontFamily;
}

function nodeMark(node, k, { nodes, words }, p, isNew) {
  const beside = node.parent < 0 ? [k] : nodes[node.parent].children;
  const told = words.slice(node.start, node.end).map((word) => word.text).join(" ");
  return svg("g", {
    class: `parse-node${isNew ? " new" : ""}`, role: "treeitem", tabindex: "-1", "aria-level": node.depth + 1, "aria-selected": "false",
    "aria-setsize": beside.length, "aria-posinset": beside.indexOf(k) + 1, "aria-expanded": node.children.length ? "true" : undefined,
    "aria-label": `${node.text}: ${told}${p === null ? "" : `, ${percent(p)}`}`,
  },
  svg("rect", { x: node.x - node.half, y: node.y - SIZES.high / 2, width: 2 * node.half, height: SIZES.high, rx: 5 }),
  svg("text", { x: node.x, y: node.y + 5 }, node.text));
}

function wordMark(word) {
  return svg("g", { class: `parse-word${word.known ? "" : " unseen"}` },
    word.text === word.word ? null : svg("title", {}, word.word.length > 200 ? `${word.word.length} characters` : word.text),
    svg("rect", { x: word.x - word.half + 2, y: word.y - SIZES.high / 2, width: 2 * word.half - 4, height: SIZES.high, rx: 4 }),
    svg("text", { x: word.x, y: word.y + 5 }, word.text),
    word.below ? svg("text", { class: "parse-parts", x: word.x, y: word.y + SIZES.below }, word.below) : null);
}

// Pictures below each other as an SVG file, for a light background.
export function stacked(pictures) {
  const width = Math.max(...pictures.map(({ layout }) => layout.width));
  let high = 0;
  const drawn = pictures.map(({ layout }) => {
    high += layout.height;
    return svg("g", { transform: `translate(${(width - layout.width) / 2} ${high - layout.height})` }, inks(layout));
  });
  const made = svg("svg", { viewBox: `0 0 ${width} ${high}`, width, height: high, "font-family": pictures[0].family, "text-anchor": "middle" },
    svg("title", {}, pictures.map(({ layout }) => layout.words.map((word) => word.text).join(" ")).join(" ")), drawn);
  return new XMLSerializer().serializeToString(made);
}

function inks(layout) {
  return [
    branchesOf(layout).map(({ kind, d }) => svg("path", { d, fill: "none", stroke: INKS.line, "stroke-dasharray": kind === "leader" ? "2 3" : undefined })),
    layout.nodes.map((node) => svg("text", { x: node.x, y: node.y + 5, "font-size": SIZES.label, "font-weight": 600, fill: INKS.label }, node.text)),
    layout.words.map((word) => [
      svg("text", { x: word.x, y: word.y + 5, "font-size": SIZES.word, fill: INKS.ink, "font-style": word.known ? undefined : "italic" }, word.text),
      word.below ? svg("text", { x: word.x, y: word.y + SIZES.below, "font-size": SIZES.part, fill: INKS.line }, word.below) : null,
    ]),
  ];
}
