// CoNLL-U, as firth tags apply and firth morphs apply write it.

const BREAKS = /[\s\u0085]/gu;

// A sentence is { text, comments: [[key, value]], words: [{ word, parts, ...values }] }; upos and xpos are the values of columns.
export function conllu(sentences) {
  return sentences.map(({ text, comments = [], words }) => [
    ...[["text", text], ...comments].map(([key, value]) => `# ${key} = ${value.replace(BREAKS, " ")}`),
    ...words.map(({ word, upos = "_", xpos = "_", parts = [] }, i) => [i + 1, word.replace(BREAKS, " "), "_", upos, xpos, "_", "_", "_", "_", misc(parts)].join("\t")),
    "", ""].join("\n")).join("");
}

// The column MISC with the parts of a word.
function misc(parts) {
  if (parts.length === 0) return "_";
  return `Morphs=${parts.map((part) => part.replaceAll("\\", "\\\\").replaceAll("|", "\\p")).join(" ")}`;
}
