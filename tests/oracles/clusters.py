"""A slow, obvious twin of the clustering chapter (Manning and Schütze 1999, chapter 14).

Objects are numbered from 0 on, and a group is the sorted tuple of its objects.  How far apart two
groups are is a function of the two groups alone, computed anew at every step; nothing is updated.
The chapter speaks of similarities and looks for the largest, we of distances and look for the
smallest.  Trees are in SciPy's form: a row (u, v, height, size) for each merge; the merge in row i
makes the group number n + i.

Where the chapter's print leaves something out, what it must mean is here: the cosine (14.3) divides
by the lengths of both vectors, the average (14.6) takes the members' products with themselves off,
and the memberships (14.20) weigh every Gaussian by its prior.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Group = tuple[int, ...]
Apart = Callable[[Group, Group], float]  # how far apart two groups are
Row = tuple[int, int, float, int]  # of a tree

# How far apart two objects are


def cosine(x: Array, y: Array) -> float:
    """One minus (14.3)."""
    return 1 - float(x @ y) / math.sqrt(float(x @ x) * float(y @ y))


def euclidean(x: Array, y: Array) -> float:
    """The length of the difference; not from products, which lose it where x and y are nearly equal."""
    return math.sqrt(sum((a - b) * (a - b) for a, b in zip(x.tolist(), y.tolist(), strict=True)))


def l1(x: Array, y: Array) -> float:
    """The sum of absolute differences, as in 14.2.1."""
    return float(sum(abs(a - b) for a, b in zip(x.tolist(), y.tolist(), strict=True)))


METRICS: dict[str, Callable[[Array, Array], float]] = {
    "cosine": cosine,
    "euclidean": euclidean,
    "l1": l1,
}


def distances(rows: Array, metric: str) -> Array:
    """All of them, as a matrix."""
    d = METRICS[metric]
    table = np.array([[d(x, y) for y in rows] for x in np.asarray(rows, dtype=float)])
    np.fill_diagonal(table, 0.0)  # in floating point the cosine of x and x can be a little off
    return table


# How far apart two groups are: table 14.3, and Ward's


def single(d: Array) -> Apart:
    return lambda a, b: min(float(d[x, y]) for x in a for y in b)


def complete(d: Array) -> Apart:
    return lambda a, b: max(float(d[x, y]) for x in a for y in b)


def average(d: Array) -> Apart:
    """Over the pairs across; this is what most libraries call average."""
    return lambda a, b: sum(float(d[x, y]) for x in a for y in b) / (len(a) * len(b))


def mean_of_pairs(d: Array, c: Group) -> float:
    """(14.4): over all ordered pairs of different objects of one group."""
    total = sum(float(d[x, y]) for x in c for y in c if x != y)
    return total / (len(c) * (len(c) - 1))


def group_average(d: Array) -> Apart:
    """(14.4) of the union: pairs within one part count as those across."""
    return lambda a, b: mean_of_pairs(d, tuple(sorted(a + b)))


def squared_error(rows: Array, c: Group) -> float:
    """The squared distances of the members to their centre (14.1)."""
    members = np.asarray(rows, dtype=float)[list(c)]
    return float(((members - members.mean(axis=0)) ** 2).sum())


def ward(rows: Array) -> Apart:
    """By how much the squared error grows, as a length: that of two objects is their distance."""

    def apart(a: Group, b: Group) -> float:
        growth = squared_error(rows, a + b) - squared_error(rows, a) - squared_error(rows, b)
        return math.sqrt(max(0.0, 2 * growth))

    return apart


LINKS: dict[str, Callable[[Array], Apart]] = {
    "single": single,
    "complete": complete,
    "average": average,
    "group-average": group_average,
}


# Bottom-up: figure 14.2


def bottom_up(n: int, apart: Apart) -> list[Row]:
    """Figure 14.2, line by line; of pairs equally far that with the lowest numbers, lower one first."""
    groups: dict[int, Group] = {i: (i,) for i in range(n)}
    tree: list[Row] = []
    j = n
    while len(groups) > 1:
        pairs = itertools.combinations(sorted(groups), 2)
        height, u, v = min((apart(groups[u], groups[v]), u, v) for u, v in pairs)
        groups[j] = tuple(sorted(groups.pop(u) + groups.pop(v)))
        tree.append((u, v, height, len(groups[j])))
        j += 1
    return tree


def follow(tree: Array, apart: Apart, tolerance: float = 1e-9) -> list[float]:
    """Follow the merges of a tree that another made, and return the true heights.

    Where distances tie there are many right trees.  What is asked of a merge is that it was possible,
    that no other pair was closer at that moment (within the tolerance), and that its size is right.
    """
    n = len(tree) + 1
    groups: dict[int, Group] = {i: (i,) for i in range(n)}
    heights = []
    for j, (first, second, _, size) in enumerate(tree.tolist(), n):
        u, v = int(first), int(second)
        assert u != v, f"merge {j} of {u} with itself"
        all_pairs = {
            p: apart(groups[p[0]], groups[p[1]]) for p in itertools.combinations(groups, 2)
        }
        closest = min(all_pairs.values())
        taken = apart(groups[u], groups[v])
        assert taken <= closest + tolerance, (
            f"merge {j}: {u}, {v} at {taken}, but {closest} was there"
        )
        groups[j] = tuple(sorted(groups.pop(u) + groups.pop(v)))
        assert size == len(groups[j])
        heights.append(taken)
    return heights


def follow_group_average(tree: Array, d: Array, tolerance: float = 1e-9) -> list[float]:
    """``follow`` with the average over all pairs of unions, for hundreds of objects.

    Sums of distances across groups are kept in a matrix, and added up when groups merge (14.5).
    """
    n = len(tree) + 1
    across = d.astype(float).copy()
    within, sizes, slot = np.zeros(n), np.ones(n), list(range(n))
    alive = np.ones(n, dtype=bool)
    heights = []
    for j, (first, second, _, size) in enumerate(tree.tolist(), n):
        u, v = slot[int(first)], slot[int(second)]
        assert alive[u]
        assert alive[v]
        assert u != v
        total = sizes[:, None] + sizes
        means = (within[:, None] + within + 2 * across) / (total * (total - 1))
        means[~alive] = means[:, ~alive] = np.inf
        np.fill_diagonal(means, np.inf)
        closest = means.min()
        assert means[u, v] <= closest + tolerance, (
            f"merge {j}: {means[u, v]}, but {closest} was there"
        )
        heights.append(float(means[u, v]))
        within[u] += within[v] + 2 * across[u, v]
        across[u] += across[v]
        across[:, u] += across[:, v]
        sizes[u] += sizes[v]
        alive[v] = False
        slot.append(u)
        assert size == sizes[u]
    return heights


def group_average_tree(d: Array) -> list[Row]:
    """``bottom_up`` with the average over all pairs of unions, for hundreds of objects.

    Sums as in ``follow_group_average``.  Where they are exact so are ties, and the lowest numbers count.
    """
    n = len(d)
    across = d.astype(float).copy()
    within, sizes, names = np.zeros(n), np.ones(n), np.arange(n)
    tree: list[Row] = []
    for j in range(n, 2 * n - 1):
        total = sizes[:, None] + sizes
        means = (within[:, None] + within + 2 * across) / (total * (total - 1))
        np.fill_diagonal(means, np.inf)
        equal = np.argwhere(means == means.min())
        pairs = np.sort(names[equal], axis=1)
        first = np.lexsort((pairs[:, 1], pairs[:, 0]))[0]
        (a, b), (u, v) = equal[first], pairs[first].tolist()
        tree.append((u, v, float(means[a, b]), int(sizes[a] + sizes[b])))
        within[a] += within[b] + 2 * across[a, b]
        across[a] += across[b]
        across[:, a] = across[a]
        sizes[a] += sizes[b]
        names[a] = j
        keep = np.arange(len(names)) != b
        across = across[np.ix_(keep, keep)]
        within, sizes, names = within[keep], sizes[keep], names[keep]
    return tree


def nearest_neighbour_chain(n: int, apart: Apart) -> list[tuple[Group, float]]:
    """The shortcut by which other linkages are done: merge two groups that are each other's nearest.

    Where merging can bring groups closer it is wrong.  The groups that it makes, with their heights.
    """
    groups: list[Group] = [(i,) for i in range(n)]
    chain: list[Group] = []
    made = []
    while len(groups) > 1:
        if not chain:
            chain.append(groups[0])
        while True:
            here, before = chain[-1], chain[-2] if len(chain) > 1 else None
            # in case of a tie the one we came from, so that the chain ends
            _, _, there = min((apart(here, g), g != before, g) for g in groups if g != here)
            if there == before:
                break
            chain.append(there)
        a, b = chain.pop(), chain.pop()
        groups = [g for g in groups if g not in (a, b)]
        groups.append(tuple(sorted(a + b)))
        made.append((groups[-1], apart(a, b)))
        chain = [g for g in chain if g in groups]
    return sorted(made, key=lambda merge: merge[1])


def groups_of(tree: Sequence[Sequence[float]]) -> list[Group]:
    """The objects in each merge of a tree."""
    n = len(tree) + 1
    groups: list[Group] = [(i,) for i in range(n)]
    for u, v, *_ in tree:
        groups.append(tuple(sorted(groups[int(u)] + groups[int(v)])))
    return groups[n:]


def labels_of(groups: Sequence[Group]) -> list[int]:
    """The number of each object's group, groups numbered in the order of their first objects."""
    numbers = {x: k for k, group in enumerate(sorted(groups, key=min)) for x in group}
    return [numbers[x] for x in range(len(numbers))]


def cut(tree: Sequence[Sequence[float]], k: int) -> list[int]:
    """The first n - k merges are done, the others are not."""
    n = len(tree) + 1
    groups: dict[int, Group] = {i: (i,) for i in range(n)}
    for j, (u, v, *_) in enumerate(tree[: n - k], n):
        groups[j] = groups.pop(int(u)) + groups.pop(int(v))
    return labels_of(list(groups.values()))


# Top-down: figure 14.3, with the coherences of 14.1.4 (as incoherences: distances)


def longest_edge(d: Array, c: Group) -> float:
    """The longest edge of the minimum spanning tree, which grows from one object by the shortest edge."""
    inside, outside, longest = {c[0]}, set(c[1:]), 0.0
    while outside:
        length, x = min((float(d[i, o]), o) for i in inside for o in outside)
        longest = max(longest, length)
        inside.add(x)
        outside.remove(x)
    return longest


def farthest_pair(d: Array, c: Group) -> float:
    return max(float(d[x, y]) for x, y in itertools.combinations(c, 2))


INCOHERENCES: dict[str, Callable[[Array, Group], float]] = {
    "single": longest_edge,
    "complete": farthest_pair,
    "group-average": mean_of_pairs,
}


def top_down(
    n: int, incoherence: Callable[[Group], float], split: Callable[[Group], tuple[Group, Group]]
) -> list[tuple[Group, Group, Group, float]]:
    """Figure 14.3: each split as (group, one part, other part, incoherence of the group).

    A group of one object is as coherent as can be.  ``split`` is asked once for each group.
    """
    groups: list[Group] = [tuple(range(n))]
    splits = []
    while any(len(c) > 1 for c in groups):
        worst = max((c for c in groups if len(c) > 1), key=incoherence)
        one, other = (tuple(sorted(part)) for part in split(worst))
        groups.remove(worst)
        groups += [one, other]
        splits.append((worst, one, other, incoherence(worst)))
    return splits


def last_merge(method: str, metric: str, rows: Array) -> Callable[[Group], tuple[Group, Group]]:
    """A way to split: what a bottom-up method merges last."""

    def split(c: Group) -> tuple[Group, Group]:
        members = np.asarray(rows, dtype=float)[list(c)]
        link = ward(members) if method == "ward" else LINKS[method](distances(members, metric))
        tree = bottom_up(len(c), link)
        one, other = (
            tuple(c[i] for i, k in enumerate(cut(tree, 2)) if k == part) for part in (0, 1)
        )
        return one, other

    return split


# Flat: figure 14.8


def nearest(rows: Array, centres: Array, metric: str) -> list[int]:
    """The nearest centre of every object, of those equally near the first."""
    d, numbers = METRICS[metric], range(len(centres))
    rows = np.asarray(rows, dtype=float)
    return [min(numbers, key=lambda j: (d(x, centres[j]), j)) for x in rows]


def mean(members: Array) -> Array:
    """(14.1)."""
    centre: Array = np.sum(members, axis=0) / len(members)
    return centre


def medoid(members: Array) -> Array:
    """The member with the smallest sum of L1 distances to all others, of those equal the first."""
    best = min(range(len(members)), key=lambda i: (sum(l1(members[i], y) for y in members), i))
    centre: Array = members[best]
    return centre


def median(members: Array) -> Array:
    """In every column the value in the middle, or the mean of the two in the middle."""
    columns = [sorted(column) for column in np.transpose(members).tolist()]
    n = len(members)
    return np.array([(column[(n - 1) // 2] + column[n // 2]) / 2 for column in columns])


def error(rows: Array, labels: Sequence[int], centres: Array, metric: str) -> float:
    """The goodness of exercise 14.7: what is lost when every object is replaced by its centre."""
    d, power = METRICS[metric], 2 if metric == "euclidean" else 1
    rows = np.asarray(rows, dtype=float)
    return sum(d(x, centres[j]) ** power for x, j in zip(rows, labels, strict=True))


def k_means(
    rows: Array,
    centres: Array,
    metric: str = "euclidean",
    centre_of: Callable[[Array], Array] = mean,
) -> tuple[list[int], Array, list[float], int]:
    """Figure 14.8 until nothing moves.

    Labels, centres, the error after every half of a round, and the rounds that changed something.
    A centre that no object is nearest to stays where it is.
    """
    rows, centres = np.asarray(rows, dtype=float), np.array(centres, dtype=float)
    labels: list[int] = []
    errors: list[float] = []
    rounds = 0
    while True:
        again = nearest(rows, centres, metric)
        errors.append(error(rows, again, centres, metric))
        if again == labels:
            return labels, centres, errors, rounds
        labels = again
        rounds += 1
        for j in range(len(centres)):
            members = rows[[i for i, label in enumerate(labels) if label == j]]
            if len(members):
                centres[j] = centre_of(members)
        errors.append(error(rows, labels, centres, metric))


def medoid_loss(d: Array, medoids: Sequence[int]) -> float:
    """The sum of the distances of all objects to their nearest medoids."""
    return float(sum(min(row[m] for m in medoids) for row in np.asarray(d)))


def swap_medoids(d: Array, medoids: Sequence[int], max_iter: int) -> tuple[list[int], float, int]:
    """Eager swaps (Schubert and Rousseeuw 2021) with every loss computed anew.

    Objects are tried in their order, again and again, each in the place of the medoid where the loss is
    smallest (of those equal the first), until all have been tried in vain since the last swap. Medoids,
    loss, and how often the order was begun.
    """
    medoids, loss = list(medoids), medoid_loss(d, medoids)
    n, last = len(d), None
    for rounds in range(1, max_iter + 1):
        for c in range(n):
            if c == last:
                return medoids, loss, rounds
            if c in medoids:
                continue
            swapped = [[*medoids[:k], c, *medoids[k + 1 :]] for k in range(len(medoids))]
            best = min(swapped, key=lambda other: medoid_loss(d, other))
            if medoid_loss(d, best) < loss:
                medoids, loss, last = best, medoid_loss(d, best), c
        if last is None:
            break
    return medoids, loss, rounds


# Soft: EM for mixtures of Gaussians


def density(x: Array, mu: Array, sigma: Array) -> float:
    """(14.17)."""
    m, off = len(x), x - mu
    exponent = -0.5 * float(off @ np.linalg.inv(sigma) @ off)
    return math.exp(exponent) / math.sqrt((2 * math.pi) ** m * float(np.linalg.det(sigma)))


def log_likelihood(rows: Array, weights: Array, means: Array, sigmas: Array) -> float:
    """(14.19), in nats."""
    parts = list(zip(weights, means, sigmas, strict=True))
    return sum(math.log(sum(pi * density(x, mu, s) for pi, mu, s in parts)) for x in rows)


def expectation(rows: Array, weights: Array, means: Array, sigmas: Array) -> Array:
    """(14.20): h[i, j], how probable it is that Gaussian j made object i."""
    parts = list(zip(weights, means, sigmas, strict=True))
    h = np.array([[pi * density(x, mu, s) for pi, mu, s in parts] for x in rows])
    memberships: Array = h / h.sum(axis=1, keepdims=True)
    return memberships


def maximisation(rows: Array, h: Array, covariance: str, plus: float) -> tuple[Array, Array, Array]:
    """(14.21) to (14.23); ``plus`` is added to all variances.  Weights, means, whole matrices."""
    n, m = rows.shape
    k = h.shape[1]
    weights = np.array([h[:, j].sum() / n for j in range(k)])
    means = np.array([sum(h[i, j] * rows[i] for i in range(n)) / h[:, j].sum() for j in range(k)])
    sigmas = np.array([
        sum(h[i, j] * np.outer(rows[i] - means[j], rows[i] - means[j]) for i in range(n)) / h[:, j].sum()
        for j in range(k)
    ])  # fmt: skip
    if covariance == "diagonal":
        sigmas = np.array([np.diag(np.diag(s)) for s in sigmas])
    elif covariance == "spherical":  # one variance for all directions
        sigmas = np.array([np.eye(m) * np.trace(s) / m for s in sigmas])
    elif covariance == "tied":  # one matrix for all groups
        sigmas = np.array([sum(w * s for w, s in zip(weights, sigmas, strict=True))] * k)
    return weights, means, sigmas + plus * np.eye(m)


def em(
    rows: Array, h: Array, covariance: str, plus: float, rounds: int
) -> tuple[list[float], Array]:
    """From memberships on: the log likelihood after every maximisation, and the last memberships."""
    likelihoods = []
    for _ in range(rounds):
        model = maximisation(rows, h, covariance, plus)
        likelihoods.append(log_likelihood(rows, *model))
        h = expectation(rows, *model)
    return likelihoods, h


# How many?


def adjusted_rand(a: Sequence[int], b: Sequence[int]) -> float:
    """How many pairs two clusterings agree on, less what chance gives, over the most there can be."""
    pairs = list(itertools.combinations(range(len(a)), 2))
    in_a = sum(a[i] == a[j] for i, j in pairs)
    in_b = sum(b[i] == b[j] for i, j in pairs)
    both = sum(a[i] == a[j] and b[i] == b[j] for i, j in pairs)
    by_chance = in_a * in_b / len(pairs)
    most = (in_a + in_b) / 2
    return 1.0 if most == by_chance else (both - by_chance) / (most - by_chance)


def pairs_together(runs: Sequence[Sequence[int]]) -> list[float]:
    """Exercise 14.4: the shares of pairs that are in the same group in no run, in one, ..., in all."""
    pairs = list(itertools.combinations(range(len(runs[0])), 2))
    times = [sum(run[i] == run[j] for run in runs) for i, j in pairs]
    return [times.count(t) / len(pairs) for t in range(len(runs) + 1)]


SHARE = 2.0**-20  # values are written down to this share of the spread of all of them


def _spread(values: list[float]) -> float:
    """The standard deviation."""
    return math.sqrt(sum(v * v for v in values) / len(values))


def _model(rows: Array, labels: Sequence[int]) -> tuple[dict[int, Group], dict[int, Array], float, float]:  # fmt: skip
    """Groups, centres, the deviation of all coordinates from them, and the smallest step."""
    rows = np.asarray(rows, dtype=float)
    groups = {k: tuple(i for i, label in enumerate(labels) if label == k) for k in set(labels)}
    centres = {k: rows[list(c)].mean(axis=0) for k, c in groups.items()}
    step = SHARE * _spread([v for x in rows for v in x - rows.mean(axis=0)])
    off = _spread([v for x, k in zip(rows, labels, strict=True) for v in x - centres[k]])
    return groups, centres, max(off, step), step


def description_length(rows: Array, labels: Sequence[int]) -> float:
    """Bits for the groups, then bits for the objects given the groups (14.2).

    What happens with probability p takes -log2 p bits; a number within a span, down to a precision,
    takes as many bits as there are steps in the span.
    """
    groups, _, sigma, step = _model(rows, labels)
    (n, dim), k = np.shape(rows), len(groups)
    bits = 1 + 2 * math.log2(k)  # their number
    bits += (k - 1) * math.log2(n)  # their sizes; the last follows from the others
    for (
        c
    ) in groups.values():  # their centres; the mean of s values is known down to sigma / sqrt(s)
        for column in np.transpose(rows):
            steps = (max(column) - min(column)) / (sigma / math.sqrt(len(c)))
            bits += max(0.0, math.log2(steps)) if steps > 0 else 0.0
    for c in groups.values():
        bits += len(c) * -math.log2(len(c) / n)  # which group each object is in
    # differences under a Gaussian with just this deviation: on average its entropy, less the step
    bits += n * dim * (0.5 * math.log2(2 * math.pi * math.e * sigma**2) - math.log2(step))
    return float(bits)


def bayesian_information(rows: Array, labels: Sequence[int]) -> float:
    """Minus log2 of the likelihood of steps, plus half a log2 n for every parameter."""
    groups, centres, sigma, step = _model(rows, labels)
    (n, dim), k = np.shape(rows), len(groups)
    matrix = np.eye(dim) * sigma**2
    bits = 0.0
    for x in np.asarray(rows, dtype=float):
        p = sum(len(c) / n * density(x, centres[j], matrix) for j, c in groups.items())
        bits -= math.log2(p) + dim * math.log2(step)
    parameters = k * dim + (k - 1) + 1  # centres, weights, the deviation
    return float(bits + parameters / 2 * math.log2(n))


def mixture_length(
    rows: Array, weights: Array, means: Array, sigmas: Array, covariance: str
) -> float:
    """Bits for a mixture with whole matrices, then bits for the objects given the mixture (14.19)."""
    rows, k = np.asarray(rows, dtype=float), len(weights)
    n, dim = rows.shape
    step = SHARE * _spread([v for x in rows for v in x - rows.mean(axis=0)])
    spans = [max(column) - min(column) for column in rows.T]
    bits = 1 + 2 * math.log2(k) + (k - 1) * math.log2(n)

    def of(steps: float) -> float:
        return max(0.0, math.log2(steps))

    for j in range(k):
        m = max(1.0, n * float(weights[j]))
        for c in range(dim):
            bits += of(spans[c] / (math.sqrt(sigmas[j][c][c]) / math.sqrt(m)))
    for j in range(1 if covariance == "tied" else k):
        m = n if covariance == "tied" else max(1.0, n * float(weights[j]))
        for c in range(dim):
            if covariance != "spherical" or c == 0:
                bits += of(math.log(max(spans) / step) / (1 / math.sqrt(2 * m)))
            if covariance in ("full", "tied"):
                bits += c * of(2 / (1 / math.sqrt(m)))  # with each column before
    bits -= log_likelihood(rows, weights, means, sigmas) / math.log(2)
    return float(bits - n * dim * math.log2(step))
