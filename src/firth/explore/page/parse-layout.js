// The layout of a parse tree: words in a row at the bottom, every node above the middle of its children.
//
// Each subtree has a vertical strip of the picture to itself, which is at least as wide as the label of its root. So
// nothing overlaps, however long words and labels are.

import { shortened, widthOf } from "./dom.js";

const LONGEST_LABEL = 20;
const LONGEST_WORD = 24;
const LEVEL = 40; // pixels between levels
const GAP = 14; // between two words
const EDGE = 14; // around the picture
const ROOM = 7; // on each side of a label
export const SIZES = { label: 14, word: 15, part: 12, below: 24, high: 24 }; // font sizes, where the parts of a word are, and the height of clickable boxes

// nodes in preorder, as in the answer of the server; mirrored: the first word is at the right.
export function layoutOf(nodes, words, family, mirrored = false) {
  const placed = nodes.map((node) => ({ ...node, text: shortened(node.label, LONGEST_LABEL), depth: 0, size: 1, children: [] }));
  const shown = words.map(({ word, known, parts }) => ({ word, known, text: shortened(word, LONGEST_WORD), below: shortened(parts.join(" · "), LONGEST_WORD + 8) }));
  placed.forEach((node, k) => {
    node.half = widthOf(node.text, `600 ${SIZES.label}px ${family}`) / 2 + ROOM;
    if (node.parent < 0) return;
    node.depth = placed[node.parent].depth + 1;
    placed[node.parent].children.push(k);
  });
  for (let k = placed.length - 1; k >= 0; k--) {
    const node = placed[k];
    if (node.parent >= 0) placed[node.parent].size += node.size;
    if (node.children.length) spread(node, placed);
    else node.left = node.right = Math.max(node.half, wordWidth(shown[node.start], family) / 2 + GAP / 2);
  }
  const width = placed[0].left + placed[0].right + 2 * EDGE;
  const deepest = placed.reduce((most, node) => Math.max(most, node.depth), 0);
  for (const node of placed) {
    node.x = node.parent < 0 ? EDGE + node.left : placed[node.parent].x + node.off;
    node.y = EDGE + SIZES.high / 2 + node.depth * LEVEL;
  }
  const bottom = EDGE + SIZES.high / 2 + (deepest + 1) * LEVEL;
  for (const node of placed) {
    if (mirrored) node.x = width - node.x; // all nodes have positions by now
    if (!node.children.length) Object.assign(shown[node.start], { x: node.x, y: bottom, half: node.left });
  }
  return { nodes: placed, words: shown, width: Math.ceil(width), height: Math.ceil(bottom + SIZES.high / 2 + EDGE + (shown.some(({ below }) => below) ? SIZES.part : 0)) };
}

function wordWidth({ text, below }, family) {
  return Math.max(widthOf(text, `${SIZES.word}px ${family}`), widthOf(below, `${SIZES.part}px ${family}`));
}

// Places the children of a node side by side: the offset of each from the middle, and the reach of the strip to each side.
function spread(node, placed) {
  const children = node.children.map((k) => placed[k]);
  let at = 0;
  children.forEach((child, i) => {
    if (i > 0) at += children[i - 1].right + child.left;
    child.off = at;
  });
  const [first, last] = [children[0], children.at(-1)];
  for (const child of children) child.off -= at / 2;
  node.left = Math.max(at / 2 + first.left, node.half);
  node.right = Math.max(at / 2 + last.right, node.half);
}

// The lines of the picture, { k, kind, d }: k is the node at the lower end, or the tag above a word.
export function branchesOf({ nodes, words }) {
  const half = SIZES.high / 2;
  const found = [];
  nodes.forEach((node, k) => {
    const above = nodes[node.parent];
    if (above) found.push({ k, kind: "branch", d: bent(above.x, above.y + half - 3, node.x, node.y - half + 3) });
    if (!node.children.length) found.push({ k, kind: "leader", d: bent(node.x, node.y + half - 3, node.x, words[node.start].y - half + 2) });
  });
  return found;
}

// A line that goes down, across and down again, with round corners: slanted lines are hard to follow in a wide tree.
function bent(x, y, toX, toY) {
  const across = (y + toY) / 2;
  const round = Math.min(6, Math.abs(toX - x) / 2, (toY - y) / 2);
  const side = Math.sign(toX - x) * round;
  const points = side === 0 ? `V${toY}`
    : `V${across - round}Q${x} ${across} ${x + side} ${across}H${toX - side}Q${toX} ${across} ${toX} ${across + round}V${toY}`;
  return `M${x} ${y}${points}`;
}
