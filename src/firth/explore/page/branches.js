// The branches of the class tree that have colours, the same in all views.

function childrenOf(tree) {
  const below = tree.paths.map(() => []);
  tree.parents.forEach((parent, i) => { if (parent >= 0) below[parent].push(i); });
  return below;
}

// The tree cut into k branches, [{ node, colour }]. When a branch is split, its larger half keeps the colour, so that
// colours change as little as possible with k.
export function branches(tree, k) {
  const below = childrenOf(tree);
  let groups = [{ node: 0, colour: 0 }];
  for (let rank = 1; rank < k; rank++) {
    const split = groups.find((group) => tree.ranks[group.node] === rank);
    if (!split || below[split.node].length === 0) break;
    const halves = below[split.node].toSorted((a, b) => tree.n_words[b] - tree.n_words[a]);
    groups = groups.filter((group) => group !== split);
    halves.forEach((node, i) => groups.push({ node, colour: i === 0 ? split.colour : rank }));
  }
  return groups.sort((a, b) => a.node - b.node);
}
