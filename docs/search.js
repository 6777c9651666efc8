// How search results are ordered: pages whose title has what was typed come first, pages that explain before lists,
// and tutorials before all others.
const BONUS = [[/^tutorials\//, 12], [/^(find|documents|tokenising|scale|clustering|serving|start)$/, 10],
  [/^coming\//, 8], [/^how\//, 4], [/^(changes|results|benchmarks|contributing)$/, -8]];
// What a page is about in the words of others, whether or not its title has them.
const ALSO = {
  "tutorials/classes": "brown clusters clustering", "tutorials/vectors": "similar words embeddings nearest neighbours",
  "coming/gensim": "word2vec", "pipeline/scikit-learn": "sklearn", "tutorials/tags": "part of speech pos tagger tagging",
  "documents": "keyness keywords collocations dispersion", "tokenising": "chinese japanese thai tokenizer tokeniser tokens",
  "start": "install pip completion docker container", "formats": "elan flex toolbox tei vrt csv import", "scale": "memory dask",
  "tutorials/morphs": "morphology stems suffixes", "pipeline/notebooks": "jupyter dataframe",
};
const typed = (new URLSearchParams(location.search).get("q") ?? "").toLowerCase().match(/\S+/g) ?? [];
function named(page, title, anchor, description) { // of a page, not of a section or an object
  const words = `${title.toLowerCase()} ${ALSO[page] ?? ""}`;
  if (anchor || description !== null || !typed.length || !typed.every((word) => words.includes(word))) return 0;
  return words.startsWith(typed[0]) ? 18 : 15;
}
var Scorer = { // eslint-disable-line no-var
  score: ([page, title, anchor, description, score]) =>
    score + (BONUS.find(([of]) => of.test(page))?.[1] ?? 0) + named(page, title, anchor, description),
  objNameMatch: 20, objPartialMatch: 6, objPrio: { 0: 15, 1: 5, 2: -5 }, objPrioDefault: 0,
  title: 15, partialTitle: 7, term: 5, partialTerm: 2,
};
