// A tagged text as an SVG file: the tag of each word below it, line by line, in the direction of the script.

import { svg, shortened, widthOf } from "./dom.js";
import { tagLook } from "./tags-marks.js";
import { sentenceDirection } from "./typed-text.js";

const WIDE = 900;
const EDGE = 16;
const WORD = 17;
const TAG = 12;
const GAP = 8;
const HIGH = 52; // of a line
const BETWEEN = 14; // sentences
const INK = "#1d2730"; // on the light background of a file

// sentences of { word, tag }; labels are those of all tags.
export function tagsPicture(sentences, labels) {
  const family = getComputedStyle(document.body).fontFamily;
  const drawn = [];
  let y = EDGE;
  for (const sentence of sentences) {
    const rightToLeft = sentenceDirection(sentence) === "rtl";
    let x = EDGE;
    for (const token of sentence) {
      const word = shortened(token.word, 30);
      const label = shortened(labels[token.tag], 12);
      const wide = Math.max(28, widthOf(word, `${WORD}px ${family}`), widthOf(label, `${TAG}px ${family}`)) + 6;
      if (x > EDGE && x + wide > WIDE - EDGE) { x = EDGE; y += HIGH; }
      drawn.push(mark({ word, label, wide, left: rightToLeft ? WIDE - x - wide : x, y }, tagLook(token.tag)["--tint"]));
      x += wide + GAP;
    }
    y += HIGH + BETWEEN;
  }
  const high = y + EDGE - BETWEEN;
  const made = svg("svg", { viewBox: `0 0 ${WIDE} ${high}`, width: WIDE, height: high, "font-family": family, "text-anchor": "middle", fill: INK }, drawn);
  return new XMLSerializer().serializeToString(made);
}

function mark({ word, label, wide, left, y }, tint) {
  const middle = left + wide / 2;
  return svg("g", {},
    svg("text", { x: middle, y: y + 18, "font-size": WORD }, word),
    svg("rect", { x: left, y: y + 25, width: wide, height: 3, fill: tint }),
    svg("text", { x: middle, y: y + 41, "font-size": TAG }, label));
}
