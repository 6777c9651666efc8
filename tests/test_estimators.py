"""What holds for everything that learns: scikit-learn's contract for estimators."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import NotFittedError

import firth
import firth.cluster
from firth.errors import FirthError, ParameterError
from firth.parameters import Parameters

ROOM = [
    value
    for name in firth.cluster.__all__
    if inspect.isclass(value := getattr(firth.cluster, name)) and hasattr(value, "fit")
]
TOP = [
    firth.SpectralEmbedding, firth.GrammarEmbedding, firth.BrownClasses, firth.SpectralClasses, firth.ExchangeRefiner,
    firth.AnchorTagger, firth.MutualInformationTagger, firth.BaumWelchTagger, firth.ClusterTagger,
    firth.FeatureTagger, firth.SupervisedTagger, firth.LatentTagger,
    firth.EntityTagger, firth.SentenceFeatures, firth.LPCFG, firth.LanguageModel, firth.WordSenses, firth.SpectralHMM,
    firth.Morphology, firth.ClassVectorizer, firth.EmbeddingVectorizer,
]  # fmt: skip
ALL: list[Any] = [*TOP, *ROOM]
SENTENCES = [
    "the cat sees a dog", "a dog hears the cat", "the bird sees the dog", "a cat hears a bird",
] * 8  # fmt: skip


def test_all_learners_are_here() -> None:
    """Every public class with a fit method is in the list."""
    learners = {
        value
        for name in firth.__all__
        if inspect.isclass(value := getattr(firth, name)) and hasattr(value, "fit")
    }
    assert learners <= set(ALL)
    assert len(ROOM) == 5


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)
def test_the_contract(kind: Any) -> None:
    made = kind()
    assert issubclass(kind, BaseEstimator)
    assert issubclass(kind, Parameters)
    assert "__init__" not in vars(kind), "the dataclass of its parameters has one"
    values = made.get_params(deep=False)
    assert values == {field.name: field.default for field in kind.fields()}
    assert vars(made) == values, "nothing else happens in __init__"
    twin = clone(made)
    assert twin is not made
    assert twin.get_params(deep=False).keys() == values.keys()
    assert repr(made) == f"{kind.__name__}()"
    assert kind.__name__ in made._repr_html_()
    for name in values:
        assert f"\n{name} : " in kind.__doc__, name
    numbers = [f for f in kind.fields() if f.type is int and f.param.least is not None]
    for field in numbers[:1]:
        high = int(field.param.least or 0) + 5
        made.set_params(**{field.name: high})
        assert made.get_params()[field.name] == high
        assert f"{field.name}={high}" in repr(made)
    with pytest.raises(ValueError, match="Invalid parameter"):
        made.set_params(nonsense=1)


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)
def test_parameters_are_checked_by_fit(kind: Any) -> None:
    for field in kind.fields():
        if (field.param.checked and field.type in (int, float)) or field.choices:
            wrong = kind(**{field.name: "nonsense"})  # nothing is said here
            with pytest.raises(
                ParameterError, match=f"The '{field.name}' parameter of {kind.__name__}"
            ):
                wrong.check()
            with pytest.raises((ParameterError, TypeError)):
                wrong.fit()  # what is missing, or what is wrong


QUESTIONS = {
    firth.AnchorTagger: lambda made: made.tag([["the"]]),
    firth.MutualInformationTagger: lambda made: made.tag([["the"]]),
    firth.BaumWelchTagger: lambda made: made.tag([["the"]]),
    firth.FeatureTagger: lambda made: made.tag([["the"]]),
    firth.ClusterTagger: lambda made: made.tag([["the"]]),
    firth.SupervisedTagger: lambda made: made.score([["the"]]),
    firth.LatentTagger: lambda made: made.tag([["the"]]),
    firth.EntityTagger: lambda made: made.tag([["the"]]),
    firth.LPCFG: lambda made: made.parse(["the"]),
    firth.LanguageModel: lambda made: made.perplexity([["the"]]),
    firth.Morphology: lambda made: made.split("the"),
    firth.ClassVectorizer: lambda made: made.transform(["the"]),
    firth.EmbeddingVectorizer: lambda made: made.transform(["the"]),
}


@pytest.mark.parametrize("kind", QUESTIONS, ids=lambda kind: kind.__name__)
def test_there_is_one_error_for_what_is_not_fitted(kind: Any) -> None:
    for expected in (NotFittedError, FirthError):
        with pytest.raises(expected, match=f"This {kind.__name__} is not fitted yet"):
            QUESTIONS[kind](kind())


WRITERS = [kind for kind in TOP if hasattr(kind, "write")]


@pytest.mark.parametrize("kind", WRITERS, ids=lambda kind: kind.__name__)
def test_nothing_is_written_before_fit(kind: Any, tmp_path: Path) -> None:
    with pytest.raises(NotFittedError, match=f"This {kind.__name__} is not fitted yet"):
        kind().write(tmp_path / "m")
    assert not (tmp_path / "m").exists()


LEARNERS = [
    (lambda: firth.SpectralEmbedding(dim=2), "vectors_"),
    (lambda: firth.BrownClasses(n_classes=3), "hierarchy_"),
    (lambda: firth.SpectralClasses(n_classes=3), "hierarchy_"),
    (lambda: firth.AnchorTagger(n_tags=3), "hmm_"),
    (lambda: firth.MutualInformationTagger(n_tags=3), "hmm_"),
    (lambda: firth.BaumWelchTagger(n_tags=2, rounds=2), "hmm_"),
    (lambda: firth.FeatureTagger(n_tags=2, rounds=2), "hmm_"),
    (lambda: firth.ClusterTagger(n_tags=2), "hmm_"),
    (lambda: firth.LanguageModel(), "facts_"),
    (lambda: firth.Morphology(rounds=2), "words_"),
]  # fmt: skip


@pytest.mark.parametrize(("make", "learned"), LEARNERS, ids=lambda made: "")
def test_fit_takes_what_a_person_has(make: Any, learned: str, tmp_path: Path) -> None:
    file = tmp_path / "text.txt"
    file.write_text("\n".join(SENTENCES) + "\n", encoding="utf-8")
    tokens = [sentence.split() for sentence in SENTENCES]
    for text in (firth.Corpus.from_sentences(tokens), tokens, SENTENCES, str(file), file):
        made = make().fit(text)
        assert hasattr(made, learned)
    for wrong in (3, None, {"a": 1}, [1, 2]):
        with pytest.raises(ParameterError, match="a list of token lists, a list of str"):
            make().fit(wrong)
