// The tree of classes as nodes, and where their boxes stand. Nothing here touches the page.

import { COLOURS } from "./dom.js";
import { branches } from "./branches.js";

const THINNEST = 2; // thinner boxes are not drawn
const TINY = 1e-6; // so that what never occurs in the text still has a place

// The nodes of an answer, with their parents taken from it: a tree { nodes, byPath, root, nClasses }.
export function grow(answer) {
  const tree = { nodes: [], byPath: new Map(), root: null, nClasses: answer.n_classes, total: 0, totalWords: 0 };
  tree.root = add(tree, answer, 0, null);
  attach(tree, answer, tree.root);
  tree.total = tree.root.tokens;
  tree.totalWords = tree.root.words;
  colour(tree, answer);
  return tree;
}

// What another answer tells is below a node that came without its children.
export function graft(tree, node, answer) {
  if (node.children.length === 0) attach(tree, answer, node);
}

function add(tree, answer, i, parent) {
  const node = {
    path: answer.paths[i], label: answer.labels[i], named: answer.named[i], tokens: answer.tokens[i], words: answer.n_words[i], rare: answer.rare[i],
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

// The branches that get a colour each are those of a cut into eight; what is above them has none.
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

// Whether a node has more below it that has not been asked for.
export function isUnknown(node) {
  return node.rank > 0 && node.children.length === 0;
}

// Whether a cut (null: none) leaves what is below a node in sight.
export function isSplit(node, cut) {
  return node.children.length > 0 && (cut === null || node.rank < cut);
}

// Whether one can go further into a node: it is split, or would be once its children are known.
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

// The finest cut that can be shown with the nodes that are known.
export function finestCut(tree) {
  return tree.nodes.reduce((least, node) => (isUnknown(node) ? Math.min(least, node.rank) : least), tree.nClasses);
}

// The nodes above one, the root first.
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

// Where a node stands inside another one above it: the shares of the height above it, and of its own.
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

// The share of its parent that comes before a node, and its own.
function shareOf(node, by) {
  const sizes = node.parent.children.map((child) => sizeOf(child, by));
  const all = sizes.reduce((a, b) => a + b, 0);
  const before = sizes.slice(0, node.place).reduce((a, b) => a + b, 0);
  return [before / all, sizes[node.place] / all];
}

// How many levels a node and what is in sight below it have, at most so many.
export function levels(top, cut, most) {
  let row = [top];
  let n = 0;
  while (row.length && n < most) {
    n += 1;
    row = row.flatMap((node) => (isSplit(node, cut) ? node.children : []));
  }
  return n;
}

// A node above a class from which one sees it in its surroundings: high enough to be read, some levels up.
export function surroundings(node, { by, height, columns }) {
  let top = node;
  while (top.parent && node.depth - top.depth < columns - 1) {
    const up = top.parent;
    if (top !== node && extent(node, up, by).size * height < 18) break;
    top = up;
  }
  return top;
}

// The boxes of what is below a node, parents before children: { node, column, span, y, height, last, partly }.
// Boxes that end their branch, in sight (last), reach to the right edge; of some only a part is wide enough to be
// drawn (partly). The way to one node is kept, however thin.
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
