"""The same answer everywhere: what docs/model-folder.md promises, with code for other CPUs.

Digests and values were stored once, on one machine; they hold on all. Arrow files are left out of the
digests, because their layout is that of the installed Arrow.
"""

from __future__ import annotations

import hashlib
import platform
import sys
from pathlib import Path

import numpy as np
import pytest

import firth
from tests import other_cpus
from tests.other_cpus import array_of, files_of

pytestmark = pytest.mark.slow
EXACT = {
    "corpus": "f087395398296c2a4c2bc020e98ddf3e9e105ae20b94067d58abaefe7b159564",
    "index": "a21eda748d26f772043f78162d154eeb029b82791300bec8d00cf504fbf7e8fa",
    "counts": "666edf1556e81e3b90488d43e0f7c6fd96601bf320a247a776c5500c1fa23f5f",
    "classes": "6c511489dc0a39bfa5fe10cd9165473c480a721c34bfeda546d3bfe261dde197",
    "lm": "cc7f20c4d65fc556761d646cf5f290112ddb787e1c61ed7cf9c46fc38e4948a2",
    "ner": "83222132ecc1ca43c215c82e79b7fe932753896955393ef72f027fc708e2c9c5",
}
SINGULAR_VALUES = [
    8.106513,
    3.156507,
    3.098274,
    2.816359,
    1.705635,
    1.643093,
    1.609752,
    1.575702,
    1.556748,
    1.551508,
    1.472424,
    1.455692,
    1.423359,
    1.406879,
    1.376838,
    1.371208,
    1.349844,
    1.338474,
    1.330996,
    1.324126,
]
TRANSITIONS = [
    0.0002607,
    0.0002607,
    0.0001946,
    0.6145358,
    6.65e-05,
    0.3846817,
    0.7445791,
    0.0001723,
    0.0001286,
    0.0001169,
    0.2549592,
    4.38e-05,
    0.0003297,
    0.0003297,
    0.4788453,
    0.5203274,
    8.41e-05,
    8.39e-05,
    0.0003059,
    0.6019906,
    0.3973402,
    0.0002075,
    7.8e-05,
    7.78e-05,
    0.9980217,
    0.0006742,
    0.0005032,
    0.0004574,
    0.000172,
    0.0001715,
    0.000676,
    0.9980164,
    0.0005045,
    0.0004586,
    0.0001724,
    0.000172,
]


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cpus") / "here"
    other_cpus.learn_as("this one", folder)
    return folder


@pytest.fixture(scope="module")
def older(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if sys.platform != "linux" or platform.machine() != "x86_64":
        pytest.skip("other CPUs are simulated for Linux on x86-64 only")
    folder = tmp_path_factory.mktemp("cpus") / "older"
    other_cpus.learn_as("an older one", folder)
    return folder


def test_blas_threads_change_no_byte(here: Path, tmp_path: Path) -> None:
    other_cpus.learn_as("more threads", tmp_path / "m")
    for parts in other_cpus.MODELS.values():
        for part in parts:
            assert files_of(tmp_path / "m", part) == files_of(here, part), part


@pytest.mark.parametrize("part", EXACT)
def test_counts_classes_language_models_and_names_are_the_same_bytes(
    here: Path, older: Path, part: str
) -> None:
    assert files_of(older, part) == files_of(here, part)


@pytest.mark.parametrize("part", EXACT)
def test_they_are_the_bytes_of_every_other_machine(here: Path, part: str) -> None:
    digest = hashlib.sha256()
    for name, content in files_of(here, part).items():
        if not name.endswith(".arrow"):
            digest.update(name.encode() + content)
    assert digest.hexdigest() == EXACT[part]


def cosines(folder: Path) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    unit = firth.load(folder / "text").vectors.unit.astype(np.float64)
    return unit @ unit.T


def test_vectors_have_the_same_cosines(here: Path, older: Path) -> None:
    assert np.abs(cosines(here) - cosines(older)).max() < 1e-3
    for folder in (here, older):
        values = array_of(folder, "vectors", "values.f64")
        np.testing.assert_allclose(values, SINGULAR_VALUES, rtol=1e-5)


def test_tags_have_the_same_probabilities(here: Path, older: Path) -> None:
    for name in ("initial.f64", "transition.f64", "emission.f32", "prior.f64"):
        first, second = (array_of(folder, "tags", name) for folder in (here, older))
        np.testing.assert_allclose(first, second, atol=1e-6)
    found = array_of(here, "tags", "transition.f64")
    np.testing.assert_allclose(found, TRANSITIONS, atol=1e-6)


def test_grammars_have_the_same_numbers(here: Path, older: Path) -> None:
    floats = [name for name in files_of(here, "grammar") if name.endswith((".f32", ".f64"))]
    assert len(floats) > 5
    for name in floats:
        first, second = (array_of(folder, "grammar", name) for folder in (here, older))
        np.testing.assert_allclose(first, second, atol=1e-6)


def test_maps_are_equally_good(here: Path, older: Path) -> None:
    """Rounding moves a word, and then all others: no position is promised, only neighbourhoods."""

    def kept(folder: Path) -> float:
        """The share of the ten nearest words on the map that are among the fifty nearest vectors."""
        positions = array_of(folder, "map", "positions.f32").reshape(-1, 2)
        apart = ((positions[:, None] - positions[None]) ** 2).sum(axis=2)
        near, similar = apart.argsort(axis=1)[:, 1:11], (-cosines(folder)).argsort(axis=1)[:, 1:51]
        return float(np.mean([np.isin(a, b).mean() for a, b in zip(near, similar, strict=True)]))

    assert kept(here) > 0.5
    assert kept(older) == pytest.approx(kept(here), abs=0.05)
