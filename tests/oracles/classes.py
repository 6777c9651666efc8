"""A slow, obvious twin of the learning of word classes and of their evaluation.

Brown clustering is figure 1 of Stratos et al. (2014) with the mutual information of their equation
(3), Ward's method is their figure 5 with their equation (2).  Manning and Schütze (1999), section
14.1.3, show why mutual information stands for likelihood, and mention the moves of single words.

Words are numbered from 0 by falling frequency; bigrams[x, y] says how often y follows x, and
counts[x] how often x occurs.  That is not the sum of a row: the last word of a sentence has no
successor.  A cluster goes by the name of its smallest word.  Nothing is updated, all is recomputed.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[Any]  # whole numbers, of any type
Merge = tuple[int, int] | tuple[int, int, float]  # names of the two clusters, perhaps the loss
Labels = Sequence[Hashable]

TIE = 1e-9  # losses of Brown clustering (in nats, over the whole corpus) as near as this are equal
GAIN = 1e-12  # the same for the exchange of words, relative to 1 + |mutual information|

# Mutual information


def mutual_information(
    bigrams: Counts, counts: Counts, class_of: Sequence[int], words: Iterable[int] | None = None
) -> float:
    """Equation (3), in nats, as if the words that are not listed did not exist (None: list all).

    But N, the number of pairs, is that of all words.  As the counts of the classes are not the sums
    of the rows and columns of their table, the result can be negative.
    """
    total = int(bigrams.sum())  # N
    if total == 0:
        return 0.0
    listed = list(range(len(counts))) if words is None else list(words)
    classes = sorted({class_of[x] for x in listed})

    mi = 0.0
    for c in classes:
        for d in classes:
            of_c = [x for x in listed if class_of[x] == c]
            of_d = [y for y in listed if class_of[y] == d]
            count_c = sum(int(counts[x]) for x in of_c)
            count_d = sum(int(counts[y]) for y in of_d)
            count_cd = sum(int(bigrams[x, y]) for x in of_c for y in of_d)
            if count_cd > 0:
                mi += count_cd / total * math.log(count_cd * total / (count_c * count_d))
    return mi


# Brown clustering


def merge_losses(
    bigrams: Counts, counts: Counts, clusters: dict[int, set[int]]
) -> dict[tuple[int, int], float]:
    """N times the mutual information lost by merging, for each pair of clusters.

    The words in no cluster have not been looked at yet, and count for nothing.
    """
    total = int(bigrams.sum())
    active = sorted(x for members in clusters.values() for x in members)
    before = [-1] * len(counts)
    for name, members in clusters.items():
        for x in members:
            before[x] = name
    mi_before = mutual_information(bigrams, counts, before, active)

    losses = {}
    for a, b in itertools.combinations(sorted(clusters), 2):
        after = [a if name == b else name for name in before]
        mi_after = mutual_information(bigrams, counts, after, active)
        losses[a, b] = total * (mi_before - mi_after)
    return losses


def brown(bigrams: Counts, counts: Counts, m: int) -> list[tuple[int, int, float]]:
    """Figure 1: the merges as (a, b, loss), each of which makes b a part of a, with a < b.

    Of equal losses that of the smallest a counts, then that of the smallest b.
    """
    n = len(counts)
    check_m(n, m)
    clusters = {x: {x} for x in range(m)}
    merges = []
    for i in range(m + 1, n + m):  # i is as in the figure, where the words are numbered from 1
        if i <= n:
            clusters[i - 1] = {i - 1}
        losses = merge_losses(bigrams, counts, clusters)
        least = min(losses.values())
        a, b = min(pair for pair in losses if losses[pair] <= least + TIE)
        merges.append((a, b, losses[a, b]))
        clusters[a] |= clusters.pop(b)
    return merges


def check_brown(
    bigrams: Counts, counts: Counts, m: int, merges: Sequence[Merge], tolerance: float
) -> list[float]:
    """Follow merges that another made by figure 1, and return their true losses.

    Where losses tie there are many right answers: what is asked of a merge is only that it was
    possible and that its loss is within tolerance of the least at that step.
    """
    n = len(counts)
    check_m(n, m)
    assert len(merges) == n - 1, f"{len(merges)} merges of {n} words"
    clusters = {x: {x} for x in range(m)}
    true_losses: list[float] = []
    for i, (a, b, *_) in zip(range(m + 1, n + m), merges, strict=True):
        if i <= n:
            clusters[i - 1] = {i - 1}
        losses = merge_losses(bigrams, counts, clusters)
        assert (a, b) in losses, f"merge {len(true_losses)}: no clusters {a} < {b}"
        loss = losses[a, b]
        best = min(losses, key=lambda pair: (losses[pair], pair))
        assert loss <= losses[best] + tolerance, (
            f"merge {len(true_losses)}: {(a, b)} loses {loss}, {best} only {losses[best]}"
        )
        true_losses.append(loss)
        clusters[a] |= clusters.pop(b)
    return true_losses


def check_m(n: int, m: int) -> None:
    if not 1 <= m <= n:
        raise ValueError((n, m))


# From merges to classes


def classes_after(n: int, merges: Sequence[Merge], n_merges: int) -> list[int]:
    """For each word the name of its cluster after the first n_merges merges."""
    names = list(range(n))
    for a, b, *_ in merges[:n_merges]:
        names = [a if name == b else name for name in names]
    return names


def paths(n: int, m: int, merges: Sequence[Merge]) -> list[str]:
    """For each word the way to its class from the root of the tree (the bit strings of figure 2).

    The first n - m merges make the m classes: by then all words have come in, one before each
    merge.  The other m - 1 join the classes to a tree, in which the child that has the smaller name
    is at 0 and the other at 1.
    """
    check_m(n, m)
    if len(merges) != n - 1:
        raise ValueError((n, len(merges)))
    names = classes_after(n, merges, n - m)
    bits = [""] * n
    for a, b, *_ in merges[n - m :]:  # from the leaves to the root: the last bit first
        for x in range(n):
            if names[x] == a:
                bits[x] = "0" + bits[x]
            elif names[x] == b:
                bits[x] = "1" + bits[x]
                names[x] = a
    return bits


# Exchange


def exchange(
    bigrams: Counts, counts: Counts, class_of: Sequence[int], batch: int, passes: int
) -> list[int]:
    """Move single words between classes 0 to m - 1 for as long as mutual information rises.

    The words of a batch are first looked at as if each were the only one to move; then these
    proposals are tried in order, and those that still help once the moves before them are made are
    carried out.  No class is emptied.
    """
    n = len(counts)
    classes = [int(c) for c in class_of]
    m = max(classes) + 1 if classes else 0
    for _ in range(passes):
        moved = False
        for first in range(0, n, batch):
            words = range(first, min(first + batch, n))

            proposals = {}
            for x in words:
                if classes.count(classes[x]) > 1:
                    proposals[x] = best_class(bigrams, counts, classes, x, m)

            for x, c in proposals.items():
                if c == classes[x] or classes.count(classes[x]) == 1:
                    continue
                now = mutual_information(bigrams, counts, classes)
                then = mutual_information(bigrams, counts, with_move(classes, x, c))
                if then - now > GAIN * (1 + abs(now)):
                    classes = with_move(classes, x, c)
                    moved = True
        if not moved:
            break
    return classes


def best_class(bigrams: Counts, counts: Counts, classes: list[int], x: int, m: int) -> int:
    """The class in which one word is best: of equals its own, or else that of the lowest number."""
    values = [mutual_information(bigrams, counts, with_move(classes, x, c)) for c in range(m)]
    best = max(values)
    tied = [c for c in range(m) if values[c] >= best - GAIN * (1 + abs(best))]
    return classes[x] if classes[x] in tied else tied[0]


def with_move(classes: list[int], x: int, c: int) -> list[int]:
    """The classes, if word x were in class c."""
    return [c if y == x else classes[y] for y in range(len(classes))]


# Ward's method


def ward_cost(vectors: NDArray[Any], c: set[int], d: set[int]) -> float:
    """Equation (2): the cost of merging two clusters."""
    mean_c = np.mean([vectors[x] for x in sorted(c)], axis=0, dtype=np.float64)
    mean_d = np.mean([vectors[x] for x in sorted(d)], axis=0, dtype=np.float64)
    distance = float(((mean_c - mean_d) ** 2).sum())
    return len(c) * len(d) / (len(c) + len(d)) * distance


def ward(vectors: NDArray[Any], m: int) -> tuple[list[tuple[int, int, float]], float]:
    """Figure 5: the merges as (a, b, cost) with a < b, and gamma.

    Gamma is how many times on average c* is looked for to find one merge: once, and again after
    each time a bound is tightened in step 2(c).  It is 0 where there is nothing to merge.

    The figure does not say what is known of a merged cluster.  Here it takes over what was known
    of c*, and so step 2(e) makes it loose, like all clusters that had one of the two as nearest.
    The old bounds still hold: the union of the two nearest clusters is no nearer to any third than
    the nearer one of them was, and no third was nearer to one of them than they to each other.
    Of equals, the cluster of the smallest name is taken.
    """
    n = len(vectors)
    check_m(n, m)
    clusters = {x: {x} for x in range(m)}
    nearest: dict[int, int | None] = {}
    lowerbound: dict[int, float] = {}
    tight: dict[int, bool] = {}

    def tighten(c: int, members: set[int]) -> None:
        nearest[c], lowerbound[c] = None, math.inf  # if there is no other cluster (m is 1)
        for d in sorted(clusters):
            if d != c and ward_cost(vectors, members, clusters[d]) < lowerbound[c]:
                nearest[c] = d
                lowerbound[c] = ward_cost(vectors, members, clusters[d])
        tight[c] = True

    def find() -> int:
        return min(sorted(clusters), key=lambda c: lowerbound[c])

    for c in clusters:  # step 1
        tighten(c, clusters[c])

    merges = []
    n_searches = 0
    for i in range(m + 1, n + m):  # step 2
        if i <= n:  # (a)
            new = i - 1
            tighten(new, {new})  # the older clusters do not learn of it
            clusters[new] = {new}

        star = find()  # (b)
        n_searches += 1

        while not tight[star]:  # (c)
            tighten(star, clusters[star])
            star = find()
            n_searches += 1

        other = nearest[star]  # (d)
        assert other is not None
        a, b = min(star, other), max(star, other)
        merges.append((a, b, lowerbound[star]))
        clusters[a] |= clusters.pop(b)
        nearest[a], lowerbound[a] = nearest[star], lowerbound[star]
        del nearest[b], lowerbound[b], tight[b]

        for c in clusters:  # (e)
            if nearest[c] in (a, b):
                tight[c] = False
    return merges, n_searches / (n - 1) if n > 1 else 0.0


# Comparison with known classes


def many_to_one(gold: Labels, found: Labels) -> float:
    """The part of the items labelled right if each class found stands for its commonest label."""
    check_labels(gold, found)
    right = 0
    for k in set(found):
        right += max(together(gold, found, g, k) for g in set(gold))
    return right / len(gold)


def one_to_one(gold: Labels, found: Labels) -> float:
    """The same, if no two classes may stand for the same label: try all ways to pair them."""
    check_labels(gold, found)
    labels = sorted(set(gold), key=repr)
    classes = sorted(set(found), key=repr)
    most_right = 0
    if len(classes) <= len(labels):
        for chosen in itertools.permutations(labels, len(classes)):
            pairs = zip(chosen, classes, strict=True)
            most_right = max(most_right, sum(together(gold, found, g, k) for g, k in pairs))
    else:  # some classes have to stand for nothing
        for picked in itertools.permutations(classes, len(labels)):
            pairs = zip(labels, picked, strict=True)
            most_right = max(most_right, sum(together(gold, found, g, k) for g, k in pairs))
    return most_right / len(gold)


def v_measure(gold: Labels, found: Labels) -> tuple[float, float, float]:
    """Homogeneity, completeness and their harmonic mean.

    Homogeneity is the part of the entropy of the labels that goes away once the class is known,
    completeness the same with the roles changed, and each is 1 where there is no entropy.
    """
    check_labels(gold, found)
    homogeneity = explained(gold, found)
    completeness = explained(found, gold)
    if homogeneity + completeness == 0:
        return homogeneity, completeness, 0.0
    v = 2 * homogeneity * completeness / (homogeneity + completeness)
    return homogeneity, completeness, v


def explained(x: Labels, y: Labels) -> float:
    """1 - H(x | y) / H(x), or 1 where all x are the same."""
    if len(set(x)) == 1:
        return 1.0
    n = len(x)
    entropy = 0.0
    for a in set(x):
        p = x.count(a) / n
        entropy -= p * math.log(p)
    conditional = 0.0
    for a in set(x):
        for b in set(y):
            both = together(x, y, a, b)
            if both > 0:
                conditional -= both / n * math.log(both / y.count(b))
    return max(1 - conditional / entropy, 0.0)  # below zero only by rounding


def together(gold: Labels, found: Labels, g: Hashable, k: Hashable) -> int:
    """How many items have label g and are in class k."""
    return sum(1 for pair in zip(gold, found, strict=True) if pair == (g, k))


def check_labels(gold: Labels, found: Labels) -> None:
    if len(gold) != len(found) or len(gold) == 0:
        raise ValueError((len(gold), len(found)))


# The language model of classes


def class_bigram_log_prob(
    bigrams: Counts,
    counts: Counts,
    class_of: Sequence[int],
    sentences: Iterable[Sequence[int]],
    discount: float,
) -> tuple[float, int]:
    """The log probability of sentences under p(c2 | c1) p(w2 | c2), and their number of tokens.

    This is the model of equation (14.10) of Manning and Schütze.  The discount is taken off each
    pair of classes that was seen, and what it frees is shared out by how frequent the classes are.
    The first word of a sentence has nothing before it, and gets p(c) p(w | c).
    """
    log_prob = 0.0
    n_tokens = 0
    for sentence in sentences:
        for i, w in enumerate(sentence):
            c = class_of[w]
            if i == 0:
                p_class = class_prob(counts, class_of, c)
            else:
                before = class_of[sentence[i - 1]]
                p_class = next_class_prob(bigrams, counts, class_of, before, c, discount)
            p = p_class * word_prob(counts, class_of, w)
            log_prob += math.log(p) if p > 0 else -math.inf
            n_tokens += 1
    return log_prob, n_tokens


def class_prob(counts: Counts, class_of: Sequence[int], c: int) -> float:
    """p(c) = count(c) / sum of all counts."""
    count_c = sum(int(counts[x]) for x in range(len(counts)) if class_of[x] == c)
    return count_c / int(counts.sum())


def word_prob(counts: Counts, class_of: Sequence[int], w: int) -> float:
    """p(w | c) = count(w) / count(c), c being the class of w."""
    count_c = sum(int(counts[x]) for x in range(len(counts)) if class_of[x] == class_of[w])
    return int(counts[w]) / count_c if count_c > 0 else 0.0


def next_class_prob(
    bigrams: Counts, counts: Counts, class_of: Sequence[int], c1: int, c2: int, discount: float
) -> float:
    """p(c2 | c1) = (max(C(c1, c2) - discount, 0) + discount T(c1) p(c2)) / R(c1).

    C counts pairs, R is the sum of the row of C and T the number of its cells that are not zero.
    Where nothing was seen after c1, the probability is p(c2).
    """
    n = len(counts)
    row = dict.fromkeys(set(class_of), 0)  # C(c1, .)
    for x in range(n):
        for y in range(n):
            if class_of[x] == c1:
                row[class_of[y]] += int(bigrams[x, y])
    row_sum = sum(row.values())
    n_seen = sum(1 for count in row.values() if count > 0)
    if row_sum == 0:
        return class_prob(counts, class_of, c2)
    shared = discount * n_seen * class_prob(counts, class_of, c2)
    return (max(row[c2] - discount, 0.0) + shared) / row_sum
