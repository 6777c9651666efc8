// How search results are ordered: pages that explain come before lists, and tutorials before all others.
const BONUS = [[/^tutorials\//, 12], [/^(find|documents|tokenising|scale|clustering|serving|start)$/, 10],
  [/^coming\//, 8], [/^how\//, 4], [/^(changes|results|benchmarks|contributing)$/, -8]];
var Scorer = { // eslint-disable-line no-var
  score: ([page, , , , score]) => score + (BONUS.find(([of]) => of.test(page))?.[1] ?? 0),
  objNameMatch: 20, objPartialMatch: 6, objPrio: { 0: 15, 1: 5, 2: -5 }, objPrioDefault: 0,
  title: 15, partialTitle: 7, term: 5, partialTerm: 2,
};
