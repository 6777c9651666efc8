"""A slow, obvious twin of vectors of words and of their evaluation.

The matrix and its decomposition are the template of Stratos, Collins and Hsu (2015), figure 2, with
the pseudocount of Stratos et al. (2014), figure 4; the model of classes is that of the latter,
sections 4 and 5.2; the two ways to solve analogies are from Levy and Goldberg (2014).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]
Vector = Sequence[float] | NDArray[np.float64]
Table = Sequence[Sequence[float]]

# From counts to vectors


def transform(x: float, t: str) -> float:
    """Make a count tamer (step 1 of the template)."""
    if t == "none":
        return x
    if t == "log":
        return math.log1p(x)  # log(1 + x)
    if t == "two-thirds":
        return math.pow(x, 2 / 3)
    if t == "sqrt":
        return math.sqrt(x)
    raise ValueError(t)


def omega(
    counts: Table, t: str, s: str, alpha: float, kappa: float, n_blocks: int = 1
) -> list[list[float]]:
    """The matrix to decompose (steps 1 and 2), from the counts of words (rows) by contexts.

    The margins are summed first, then smoothed, then transformed.  The columns are n_blocks tables
    side by side, one for each position of the context; a word is counted once in each, and so it
    gets the pseudocount once for each.
    """
    n_words = len(counts)
    n_contexts = len(counts[0]) if n_words > 0 else 0

    of_word = [0.0] * n_words
    of_context = [0.0] * n_contexts
    for w in range(n_words):
        for c in range(n_contexts):
            of_word[w] += counts[w][c]
            of_context[c] += counts[w][c]

    for w in range(n_words):
        of_word[w] = transform(of_word[w] + kappa * n_blocks, t)
    for c in range(n_contexts):
        of_context[c] = transform(of_context[c] + kappa, t)

    total_smoothed = 0.0  # N(alpha)
    total = 0.0  # N(1)
    for count in of_context:
        if count > 0:  # 0 to the power of 0 is not to count as 1
            total_smoothed += count**alpha
            total += count

    matrix = [[0.0] * n_contexts for _ in range(n_words)]
    for w in range(n_words):
        for c in range(n_contexts):
            if counts[w][c] == 0:
                continue  # also all there is to say of words and contexts that never occur
            pair = transform(counts[w][c], t)
            word = of_word[w]
            context = of_context[c] ** alpha
            if s == "none":
                matrix[w][c] = pair
            elif s == "reg":
                matrix[w][c] = pair / word
            elif s == "ppmi":
                matrix[w][c] = max(math.log(pair * total_smoothed / (word * context)), 0.0)
            elif s == "cca":
                scale = math.sqrt(total_smoothed / total)
                matrix[w][c] = pair / math.sqrt(word * context) * scale
            else:
                raise ValueError(s)
    return matrix


def vectors(
    counts: Table,
    dim: int,
    t: str,
    s: str,
    alpha: float,
    beta: float,
    kappa: float,
    n_blocks: int = 1,
) -> Matrix:
    """The vectors of the words, one a row (steps 3 and 4).

    Each column is determined but for its sign, and columns of equal singular values but for a
    rotation: compare the products of the rows rather than the rows.
    """
    matrix = np.array(omega(counts, t, s, alpha, kappa, n_blocks), dtype=np.float64)
    if not 1 <= dim <= min(matrix.shape):
        raise ValueError(dim)
    left, sigma, _ = np.linalg.svd(matrix, full_matrices=False)
    rows = np.zeros((len(matrix), dim))
    for w in range(len(matrix)):
        if not matrix[w].any():
            continue  # nothing is known of this word: what the SVD has here is only noise
        for k in range(dim):
            rows[w, k] = left[w, k] * sigma[k] ** beta
        length = math.sqrt(dot(rows[w], rows[w]))
        if length > 0:
            for k in range(dim):
                rows[w, k] /= length
    return rows


# Likeness of vectors


def dot(x: Vector, y: Vector) -> float:
    total = 0.0
    for a, b in zip(x, y, strict=True):
        total += float(a) * float(b)
    return total


def cosine(x: Vector, y: Vector) -> float:
    """The cosine of the angle between two vectors, 0 where one of them is zero."""
    length_x = math.sqrt(dot(x, x))
    length_y = math.sqrt(dot(y, y))
    if length_x == 0 or length_y == 0:
        return 0.0
    return dot(x, y) / (length_x * length_y)


def most_similar(matrix: Matrix, query_row: int, n: int) -> list[int]:
    """The n rows with the highest cosine to one row, that row itself left out."""
    query = matrix[query_row]
    others = [row for row in range(len(matrix)) if row != query_row]
    scored = [(row, cosine(matrix[row], query)) for row in others]
    return [row for row, _ in best_first(scored)[:n]]


def analogy(matrix: Matrix, a: int, b: int, c: int, method: str) -> list[tuple[int, float]]:
    """All d but a, b and c for "a is to b as c is to d", with their scores, best first."""
    scored = []
    for d in range(len(matrix)):
        if d in (a, b, c):
            continue
        to_a = cosine(matrix[d], matrix[a])
        to_b = cosine(matrix[d], matrix[b])
        to_c = cosine(matrix[d], matrix[c])
        if method == "add":  # 3CosAdd
            score = to_b - to_a + to_c
        elif method == "mul":  # 3CosMul: only factors that are not negative make sense
            score = ((1 + to_b) / 2) * ((1 + to_c) / 2) / ((1 + to_a) / 2 + 0.001)
        else:
            raise ValueError(method)
        scored.append((d, score))
    return best_first(scored)


def best_first(scored: list[tuple[int, float]]) -> list[tuple[int, float]]:
    """Sort pairs of index and score by falling score; where the scores tie, by rising index."""
    return sorted(scored, key=lambda pair: (-pair[1], pair[0]))


# Correlation


def pearson(x: Vector, y: Vector) -> float:
    """Pearson's correlation; nan for fewer than two points and where one side is constant.

    The sums are exact, so that a side is constant if and only if its variance is zero.
    """
    if len(x) != len(y):
        raise ValueError((len(x), len(y)))
    n = len(x)
    if n == 0:
        return math.nan
    exact_x = [Fraction(float(value)) for value in x]
    exact_y = [Fraction(float(value)) for value in y]
    mean_x = sum(exact_x, Fraction(0)) / n
    mean_y = sum(exact_y, Fraction(0)) / n

    together = Fraction(0)
    alone_x = Fraction(0)
    alone_y = Fraction(0)
    for a, b in zip(exact_x, exact_y, strict=True):
        together += (a - mean_x) * (b - mean_y)
        alone_x += (a - mean_x) ** 2
        alone_y += (b - mean_y) ** 2
    if alone_x == 0 or alone_y == 0:
        return math.nan
    size = math.sqrt(together**2 / (alone_x * alone_y))
    return size if together >= 0 else -size


def spearman(x: Vector, y: Vector) -> float:
    """Spearman's correlation: Pearson's, of the ranks."""
    return pearson(ranks(x), ranks(y))


def ranks(x: Vector) -> list[float]:
    """The rank of each value, from 1; equal values share the mean of the ranks they take up."""
    result = []
    for value in x:
        n_less = 0
        n_equal = 0  # the value itself included
        for other in x:
            if other < value:
                n_less += 1
            elif other == value:
                n_equal += 1
        first = n_less + 1
        last = n_less + n_equal
        result.append((first + last) / 2)
    return result


# The model of classes: start[c] is the probability that the first class is c, transitions[d][c]
# that class d follows class c, and emissions[w][c] that class c gives word w.


def glove_epoch(
    pairs: Sequence[tuple[int, int, float]], w: Matrix, v: Matrix, s: Matrix, t: Matrix
) -> float:
    """A step of AdaGrad for every pair (Pennington et al. 2014), in place; the last column is the bias.

    Weights are (x / 100) to the power of 0.75, at most 1, and the rate is 0.05. The mean loss.
    """
    total = 0.0
    for i, j, x in pairs:
        weight = min(1.0, (x / 100) ** 0.75)
        off = float(w[i, :-1] @ v[j, :-1]) + w[i, -1] + v[j, -1] - math.log(x)
        total += 0.5 * weight * off**2 / len(pairs)
        of_w = 0.05 * weight * off * np.append(v[j, :-1], 1.0)
        of_v = 0.05 * weight * off * np.append(w[i, :-1], 1.0)
        w[i] -= of_w / np.sqrt(s[i])
        v[j] -= of_v / np.sqrt(t[j])
        s[i] += of_w**2
        t[j] += of_v**2
    return total


def recovery_condition(
    start: Sequence[float], transitions: Table, emissions: Table, length: int
) -> dict[str, float]:
    """Theorem 5.2 and appendix C of Stratos et al. 2014, entry by entry.

    The last singular value is the root of the smallest eigenvalue of A'A for A = diag(v)^-1/2 OT
    diag(pi)^1/2, since the other factor of lemma 5.1 has orthonormal columns (lemma 5.2).
    """
    pairs, u, v = brown_bigrams(start, transitions, emissions, length, 1)
    n, m = len(u), len(start)
    at = [classes_at(start, transitions, i) for i in range(length - 1)]
    pi = [sum(row[c] for row in at) / (length - 1) for c in range(m)]
    a = np.zeros((n, m))
    for x in range(n):
        for c in range(m):
            after = sum(emissions[x][d] * transitions[d][c] for d in range(m))
            a[x, c] = after * math.sqrt(pi[c]) / math.sqrt(v[x])
    least = min(np.linalg.eigvalsh(a.T @ a))
    return {
        "sigma_m": math.sqrt(least),
        "epsilon": 0.07 * min(math.sqrt(max(row)) for row in emissions),
        "n1": max(sum(pairs[x][y] / (u[x] * v[y]) for y in range(n)) for x in range(n)),
        "n2": max(sum(pairs[x][y] / (u[x] * v[y]) for x in range(n)) for y in range(n)),
        "u_min": min(u),
        "v_min": min(v),
    }


def brown_bigrams(
    start: Sequence[float], transitions: Table, emissions: Table, length: int, offset: int
) -> tuple[list[list[float]], list[float], list[float]]:
    """Probabilities of two words a fixed distance apart, at a random place of a random text.

    The text has the given length; the place is equally likely to be any at which the place offset
    further (or, where offset is negative, earlier) is in the text too.  Returned are the table of
    the pairs of words at the two places, and the words at the first and at the second place.
    """
    places = [i for i in range(length) if 0 <= i + offset < length]
    if offset == 0 or not places:
        raise ValueError((length, offset))
    n_words = len(emissions)
    n_classes = len(start)
    pairs = [[0.0] * n_words for _ in range(n_words)]
    here = [0.0] * n_words
    there = [0.0] * n_words
    for i in places:
        j = i + offset
        classes_i = classes_at(start, transitions, i)
        classes_j = classes_at(start, transitions, j)
        for c in range(n_classes):
            for w in range(n_words):
                here[w] += classes_i[c] * emissions[w][c] / len(places)
                there[w] += classes_j[c] * emissions[w][c] / len(places)

        earlier = min(i, j)
        classes = classes_at(start, transitions, earlier)
        for c in range(n_classes):
            only_c = [1.0 if d == c else 0.0 for d in range(n_classes)]
            after_c = classes_at(only_c, transitions, abs(offset))
            for d in range(n_classes):
                both = classes[c] * after_c[d]  # class c at the earlier place, d at the later
                for w in range(n_words):
                    for x in range(n_words):
                        probability = both * emissions[w][c] * emissions[x][d] / len(places)
                        if i == earlier:
                            pairs[w][x] += probability
                        else:
                            pairs[x][w] += probability
    return pairs, here, there


def classes_at(start: Sequence[float], transitions: Table, n_steps: int) -> list[float]:
    """The probabilities of the classes n_steps after a place where they are those in start."""
    now = list(start)
    for _ in range(n_steps):
        after = [0.0] * len(now)
        for c in range(len(now)):
            for d in range(len(now)):
                after[d] += now[c] * transitions[d][c]
        now = after
    return now


def brown_log_prob(
    start: Sequence[float], transitions: Table, emissions: Table, words: Sequence[int]
) -> float:
    """The log probability of a text: try every sequence of classes.  Only for tiny models."""
    total = 0.0
    for classes in itertools.product(range(len(start)), repeat=len(words)):
        probability = 1.0
        for i, (word, c) in enumerate(zip(words, classes, strict=True)):
            probability *= start[c] if i == 0 else transitions[c][classes[i - 1]]
            probability *= emissions[word][c]
        total += probability
    return math.log(total) if total > 0 else -math.inf
