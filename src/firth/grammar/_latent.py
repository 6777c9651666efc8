"""Grammars with hidden states and explicit probabilities (section 4 of the LPCFG paper)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from firth.errors import InputError, check_count
from firth.grammar._tensors import Node, TensorGrammar

__all__ = ["LatentGrammar"]

_DEEPEST = 500
"""A random tree that grows deeper is drawn again."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LatentGrammar:
    """A grammar with hidden states.

    Symbols below ``n_phrases`` have two children; the others are tags and have a word.

    Attributes
    ----------
    root : array of shape (n_phrases, n_states)
        π: the probability of a symbol and a state at the root.
    rules : array of int64, shape (n_rules, 3)
        Symbols: parent, left child, right child.
    of_rules : array of shape (n_rules, n_states)
        q: the probability of a rule, given the symbol and the state of the parent.
    left, right : array of shape (n_rules, n_states, n_states)
        s and t: ``left[r, h, g]`` is the probability of the state g of the left child, given the state
        h of the parent and the rule r.
    of_words : array of shape (n_tags, n_words, n_states)
        q: the probability of a word, given tag and state.
    """

    root: Floats
    rules: npt.NDArray[np.int64]
    of_rules: Floats
    left: Floats
    right: Floats
    of_words: Floats

    def __post_init__(self) -> None:
        sums = np.zeros((self.n_phrases, self.n_states))
        np.add.at(sums, self.rules[:, 0], self.of_rules)
        checks = (
            self.root.sum(),
            self.left.sum(axis=2),
            self.right.sum(axis=2),
            self.of_words.sum(axis=1),
            sums,
        )
        if any(np.abs(total - 1).max(initial=0) > 1e-6 for total in checks):
            raise InputError(
                "The probabilities of a grammar must add up to 1 for each symbol and state."
            )

    @property
    def n_phrases(self) -> int:
        return len(self.root)

    @property
    def n_states(self) -> int:
        return int(self.root.shape[1])

    @property
    def n_tags(self) -> int:
        return len(self.of_words)

    @property
    def n_symbols(self) -> int:
        return self.n_phrases + self.n_tags

    @classmethod
    def random(
        cls, n_phrases: int, n_tags: int, n_words: int, n_states: int, n_rules: int, seed: int,
        concentration: float = 0.5,
    ) -> LatentGrammar:  # fmt: skip
        """A random grammar with finite trees: every phrase has a probable rule with two tags.

        Parameters
        ----------
        n_phrases, n_tags, n_words, n_states : int
        n_rules : int
            For each phrase, in addition to the rule with two tags.
        seed : int
        concentration : float
            Of the Dirichlet distributions of probabilities; smaller values are more uneven.
        """
        for name, value in (
            ("n_phrases", n_phrases),
            ("n_tags", n_tags),
            ("n_words", n_words),
            ("n_states", n_states),
        ):
            check_count("LatentGrammar.random", name, value)
        rng = np.random.default_rng(seed)
        n_symbols = n_phrases + n_tags
        rules = []
        for phrase in range(n_phrases):
            mine = {tuple(int(x) for x in rng.integers(n_phrases, n_symbols, 2))}
            while len(mine) < min(n_rules, n_symbols**2 - 1) + 1:
                mine.add(tuple(int(x) for x in rng.integers(0, n_symbols, 2)))
            rules += [(phrase, *children) for children in sorted(mine)]
        table = np.array(rules, np.int64)
        ends = (table[:, 1:] >= n_phrases).sum(axis=1)

        def draw(*shape: int) -> Floats:
            return rng.dirichlet(np.full(shape[-1], concentration), shape[:-1])

        of_rules = (
            rng.gamma(1.0, size=(len(table), n_states))
            * (0.1 + 3.0 * (ends == 2) + 0.5 * (ends == 1))[:, None]
        )
        for phrase in range(n_phrases):
            here = table[:, 0] == phrase
            of_rules[here] /= of_rules[here].sum(axis=0)
        return cls(
            draw(1, n_phrases * n_states).reshape(n_phrases, n_states), table, of_rules,
            draw(len(table), n_states, n_states), draw(len(table), n_states, n_states),
            draw(n_tags, n_states, n_words).transpose(0, 2, 1),
        )  # fmt: skip

    def tensors(self, change: Floats | None = None) -> TensorGrammar:
        """The tensor form.

        Parameters
        ----------
        change : array of shape (n_symbols, n_states, n_states), optional
            An invertible matrix G for each symbol: the same grammar in another basis (theorem 1).
        """
        plain = (
            self.of_rules[:, :, None, None] * self.left[:, :, :, None] * self.right[:, :, None, :]
        )
        words = self.of_words.transpose(0, 2, 1)
        roots = np.zeros((self.n_symbols, self.n_states))
        roots[: self.n_phrases] = self.root
        if change is not None:
            inverse = np.linalg.inv(change)
            above, left, right = self.rules.T
            # vectors are rows: α of a symbol becomes α G⁻¹, and a root G π
            plain = np.einsum(
                "rhgk,rhi,rjg,rlk->rijl", plain, inverse[above], change[left], change[right]
            )
            words = np.einsum("thw,thi->tiw", words, inverse[self.n_phrases :])
            roots = np.einsum("aij,aj->ai", change, roots)
        lexicon = {
            (self.n_phrases + tag, word): words[tag, :, word]
            for tag in range(self.n_tags)
            for word in range(words.shape[2])
        }
        return TensorGrammar(self.rules, plain, lexicon, roots)

    def sample(self, n: int, seed: int = 0) -> list[Node]:
        """Draw random trees.

        Parameters
        ----------
        n : int
        seed : int
        """
        check_count("LatentGrammar.sample", "n", n)
        rng = np.random.default_rng(seed)
        of = [np.flatnonzero(self.rules[:, 0] == phrase) for phrase in range(self.n_phrases)]
        trees: list[Node] = []
        while len(trees) < n:
            start = int(rng.choice(self.root.size, p=self.root.ravel()))
            tree = self._draw(*divmod(start, self.n_states), of, rng, 0)
            if tree is not None:
                trees.append(tree)
        return trees

    def _draw(
        self, symbol: int, state: int, of: list[npt.NDArray[np.intp]], rng: np.random.Generator, depth: int
    ) -> Node | None:  # fmt: skip
        if symbol >= self.n_phrases:
            p = self.of_words[symbol - self.n_phrases, :, state]
            return Node(symbol, word=int(rng.choice(len(p), p=p)))
        if depth > _DEEPEST:
            return None
        mine = of[symbol]
        rule = int(rng.choice(mine, p=self.of_rules[mine, state]))
        children: list[Node] = []
        for child, p in zip(self.rules[rule, 1:], (self.left, self.right), strict=True):
            below = int(rng.choice(self.n_states, p=p[rule, state]))
            made = self._draw(int(child), below, of, rng, depth + 1)
            if made is None:
                return None
            children.append(made)
        return Node(symbol, children[0], children[1])
