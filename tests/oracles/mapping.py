"""A slow, obvious twin of maps of words: t-SNE straight from van der Maaten and Hinton (2008)."""

from __future__ import annotations

import math
from collections.abc import Sequence

Points = Sequence[Sequence[float]]
Table = list[list[float]]


def nearest(rows: Points, k: int) -> list[list[tuple[int, float]]]:
    """For every row the k others of largest inner product, of equals the first, with the product."""
    found = []
    for i, row in enumerate(rows):
        products = [
            (j, sum(a * b for a, b in zip(row, other, strict=True)))
            for j, other in enumerate(rows)
            if j != i
        ]
        found.append(sorted(products, key=lambda pair: (-pair[1], pair[0]))[:k])
    return found


def perplexity(probabilities: Sequence[float]) -> float:
    """Two to the power of the entropy in bits (their section 2)."""
    return float(2 ** -sum(p * math.log2(p) for p in probabilities if p > 0))


def gaussian(distances: Sequence[float], beta: float) -> list[float]:
    """The weights of squared distances (their equation 1), with beta for 1 / (2 sigma^2)."""
    nearest = min(distances)  # the same factor everywhere, so that not all of them vanish
    weights = [math.exp(-beta * (d - nearest)) for d in distances]
    return [w / sum(weights) for w in weights]


def conditional(distances: Sequence[float], wanted: float) -> list[float]:
    """The Gaussian weights that have a perplexity, by bisection on the logarithm of beta."""
    low, high = -50.0, 50.0
    for _ in range(200):
        middle = (low + high) / 2
        if perplexity(gaussian(distances, math.exp(middle))) > wanted:
            low = middle
        else:
            high = middle
    return gaussian(distances, math.exp(low))


def joint(neighbours: list[list[tuple[int, float]]], wanted: float) -> Table:
    """The probabilities of pairs: the mean of both directions (their section 3.1)."""
    n = len(neighbours)
    one_way = [[0.0] * n for _ in range(n)]
    for i, near in enumerate(neighbours):
        weights = conditional([2 - 2 * cosine for _, cosine in near], wanted)
        for (j, _), weight in zip(near, weights, strict=True):
            one_way[i][j] = weight
    return [[(one_way[i][j] + one_way[j][i]) / (2 * n) for j in range(n)] for i in range(n)]


def closeness(a: Sequence[float], b: Sequence[float]) -> float:
    """Student's t with one degree of freedom, not normalised."""
    return 1 / (1 + (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2)


def normaliser(points: Points) -> float:
    """The sum of closeness over all pairs, in both directions."""
    return sum(
        closeness(a, b) for i, a in enumerate(points) for j, b in enumerate(points) if i != j
    )


def divergence(p: Table, points: Points) -> float:
    """The Kullback-Leibler divergence (their equations 2 and 4)."""
    z = normaliser(points)
    total = 0.0
    for i, a in enumerate(points):
        for j, b in enumerate(points):
            if i != j and p[i][j] > 0:
                total += p[i][j] * math.log(p[i][j] / (closeness(a, b) / z))
    return total


def gradient(p: Table, points: Points) -> list[list[float]]:
    """Its gradient (their equation 5)."""
    z = normaliser(points)
    result = []
    for i, a in enumerate(points):
        slope = [0.0, 0.0]
        for j, b in enumerate(points):
            if i != j:
                near = closeness(a, b)
                for k in range(2):
                    slope[k] += 4 * (p[i][j] - near / z) * (a[k] - b[k]) * near
        result.append(slope)
    return result


# Multidimensional scaling


def apart(a: list[float], b: list[float]) -> float:
    """The Euclidean distance."""
    return math.sqrt(sum((x - y) ** 2 for x, y in zip(a, b, strict=True)))


def stress(rows: list[list[float]], points: list[list[float]]) -> float:
    """The sum over pairs of the squared difference of their distances before and after."""
    n = len(rows)
    pairs = [(i, j) for i in range(n) for j in range(i)]
    return sum((apart(rows[i], rows[j]) - apart(points[i], points[j])) ** 2 for i, j in pairs)


def scaling_step(rows: list[list[float]], points: list[list[float]]) -> list[list[float]]:
    """Each point goes to the mean of where the others want it: at the right distance, in its direction."""
    n, moved = len(points), []
    for i in range(n):
        wanted = [0.0] * len(points[i])
        for j in range(n):
            d = apart(points[i], points[j])
            pull = apart(rows[i], rows[j]) / d if d > 0 else 0.0
            wanted = [w + pull * (x - y) for w, x, y in zip(wanted, points[i], points[j], strict=True)]  # fmt: skip
        moved.append([w / n for w in wanted])
    return moved
