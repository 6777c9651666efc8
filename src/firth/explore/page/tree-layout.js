// The class tree as nodes, and the positions of their boxes. Nothing here touches the document.

import { COLOURS } from "./dom.js";
import { branches } from "./branches.js";

const THINNEST = 2; // thinner boxes are not drawn
const TINY = 1e-6; // so that nodes without tokens have a size, too

// The tree of an answer: { nodes, byPath, root, nClasses, total, known, totalWords }; known: tokens without those that are too rare.
export function grow(answer) {
  const tree = { nodes: [], byPath: new Map(), root: null, nClasses: answer.n_classes, total: 0, known: 0, totalWords: 0 };
  tree.root = add(tree, answer, 0, null);
  attach(tree, answer, tree.root);
  tree.total = tree.root.tokens;
  tree.known = tree.root.tokens - tree.root.rare;
  tree.totalWords = tree.root.words;
  colour(tree, answer);
  return tree;
}

// Adds the children of a node from another answer.
export function graft(tree, node, answer) {
  if (node.children.length === 0) attach(tree, answer, node);
}

function add(tree, answer, i, parent) {
  const node = {
    path: answer.paths[i], label: answer.labels[i], named: answer.named[i], tokens: answer.tokens[i], words: answer.n_words[i], rare: answer.rare[i], tooRare: answer.too_rare[i],
   
    rank: answer.ranks[i], typical: answer.typical[i], parent, children: [], depth: parent ? parent.depth + 1 : 0,
    place: parent ? parent.children.length : 0, branch: parent ? parent.branch : null, below: parent ? parent.below + 1 : 0, classes: null,
  };
  parent?.children.push(node);
  tree.nodes.push(node);
  tree.byPath.set(node.path, node);
  return node;
}

function attach(tree, answer, top) {
  const made = [top];
  for (let i = 1; i < answer.paths.length; i++) made.push(add(tree, answer, i, made[answer.parents[i]]));
  for (const node of [...tree.nodes].reverse()) { // children come after their parents
    if (node.rank === 0) node.classes = 1;
    else node.classes = node.children.length && node.children.every((c) => c.classes !== null) ? node.children.reduce((n, c) => n + c.classes, 0) : null;
  }
  tree.root.classes = tree.nClasses;
}

// The branches with colours are those of a cut into eight; the nodes above them have none.
function colour(tree, answer) {
  for (const group of branches(answer, COLOURS.length)) {
    const top = tree.byPath.get(answer.paths[group.node]);
    for (const node of under(top)) { node.branch = group.colour; node.below = node.depth - top.depth; }
  }
}

function under(top) {
  const found = [];
  const waiting = [top];
  while (waiting.length) {
    const node = waiting.pop();
    found.push(node);
    waiting.push(...[...node.children].reverse());
  }
  return found;
}

// The share of a node in the tokens of known words.
export function shareIn(tree, node) {
  return tree.known ? (node.tokens - node.rare) / tree.known : 0;
}

// Whether the children of a node have not been loaded yet.
export function isUnknown(node) {
  return node.rank > 0 && node.children.length === 0;
}

// Whether the children of a node are visible with a cut (null: no cut).
export function isSplit(node, cut) {
  return node.children.length > 0 && (cut === null || node.rank < cut);
}

// Whether a node can be zoomed into: it is split, or will be once its children are loaded.
export function isOpen(node, cut) {
  return node.rank > 0 && (cut === null || node.rank < cut);
}

// The classes of a cut below a node, from left to right; without a cut, all classes.
export function classesOf(top, cut) {
  const found = [];
  const waiting = [top];
  while (waiting.length) {
    const node = waiting.pop();
    if (isSplit(node, cut)) waiting.push(...[...node.children].reverse());
    else found.push(node);
  }
  return found;
}

// The finest cut of the nodes that have been loaded.
export function finestCut(tree) {
  return tree.nodes.reduce((least, node) => (isUnknown(node) ? Math.min(least, node.rank) : least), tree.nClasses);
}

// The ancestors of a node, the root first.
export function above(node) {
  const found = [];
  for (let up = node.parent; up; up = up.parent) found.unshift(up);
  return found;
}

// The node itself, or the class of the cut that it is in.
export function inSight(node, cut) {
  return above(node).find((up) => !isSplit(up, cut)) ?? node;
}

export function isBelow(node, top) {
  let up = node;
  while (up && up.depth > top.depth) up = up.parent;
  return up === top;
}

function sizeOf(node, by) {
  return (by === "words" ? node.words : node.tokens) + TINY * (node.words + 1);
}

// The position of a node inside an ancestor: its offset and its height, as shares of the ancestor's height.
export function extent(node, top, by) {
  let y = 0;
  let size = 1;
  for (let n = node; n !== top; n = n.parent) {
    const [before, own] = shareOf(n, by);
    y = before + y * own;
    size *= own;
  }
  return { y, size };
}

// The share of its parent before a node, and its own share.
function shareOf(node, by) {
  const sizes = node.parent.children.map((child) => sizeOf(child, by));
  const all = sizes.reduce((a, b) => a + b, 0);
  const before = sizes.slice(0, node.place).reduce((a, b) => a + b, 0);
  return [before / all, sizes[node.place] / all];
}

// The number of visible levels of a subtree, up to a maximum.
export function levels(top, cut, most) {
  let row = [top];
  let n = 0;
  while (row.length && n < most) {
    n += 1;
    row = row.flatMap((node) => (isSplit(node, cut) ? node.children : []));
  }
  return n;
}

// The ancestor to zoom to, so that a class is shown with its surroundings: some levels up, if the class stays readable.
export function surroundings(node, { by, height, columns }) {
  let top = node;
  while (top.parent && node.depth - top.depth < columns - 1) {
    const up = top.parent;
    if (top !== node && extent(node, up, by).size * height < 18) break;
    top = up;
  }
  return top;
}

// The boxes of a subtree, parents before children: { node, column, span, y, height, last, partly }.
// A box without visible children (last) extends to the right edge. partly: some of its children are too thin to be
// drawn. The path to the node keep is drawn even if it is thin.
export function boxesOf(top, { cut, by, height, columns, keep }) {
  const kept = new Set(keep ? [keep, ...above(keep)] : []);
  const found = [];
  const waiting = [{ node: top, column: 0, y: 0, height }];
  while (waiting.length) {
    const box = waiting.pop();
    found.push(box);
    const inner = isSplit(box.node, cut) && box.column + 1 < columns ? placed(box, by) : [];
    const drawn = inner.filter((b) => b.height >= THINNEST || kept.has(b.node));
    box.last = drawn.length === 0;
    box.span = box.last ? columns - box.column : 1;
    box.partly = drawn.length > 0 && drawn.length < inner.length;
    waiting.push(...drawn.reverse());
  }
  return found;
}

function placed(box, by) {
  const sizes = box.node.children.map((child) => sizeOf(child, by));
  const all = sizes.reduce((a, b) => a + b, 0);
  let y = box.y;
  return box.node.children.map((node, i) => {
    const own = { node, column: box.column + 1, y, height: box.height * sizes[i] / all };
    y += own.height;
    return own;
  });
}
