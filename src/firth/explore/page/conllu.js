// CoNLL-U, as firth tags apply and firth morphs apply write it.

const plain = (text) => text.replace(/[\s\u0085]/gu, " ");

// A sentence is { text, comments: [[key, value]], words: [{ word, parts, ...values }] }; upos and xpos are the values of columns.
export function conllu(sentences) {
  return sentences.map(({ text, comments = [], words }) => [
    ...[["text", text], ...comments].map(([key, value]) => `# ${key} = ${plain(value)}`),
    ...words.map(({ word, upos = "_", xpos = "_", parts = [] }, i) => [i + 1, plain(word), "_", plain(upos), plain(xpos), "_", "_", "_", "_", plain(misc(parts))].join("\t")),
    "", ""].join("\n")).join("");
}

// The column MISC with the parts of a word.
function misc(parts) {
  if (parts.length === 0) return "_";
  return `Morphs=${parts.map((part) => part.replaceAll("\\", "\\\\").replaceAll("|", "\\p")).join(" ")}`;
}
