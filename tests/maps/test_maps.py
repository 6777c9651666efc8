"""Maps of words, against t-SNE as it is written in the paper."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

import firth
from firth.errors import InputError, ModelError, ParameterError, WordError
from firth.maps import (
    MapParameters,
    WordMap,
    _kernels,
    _layout,
    _mds,
    _neighbours,
    affinities,
    divergence,
    layout,
    nearest_neighbours,
    principal_positions,
    scaled_positions,
)
from firth.maps._affinities import conditionals
from tests.loading import load
from tests.oracles import mapping as oracle

pytestmark = pytest.mark.slow


def unit_rows(n: int, dim: int, seed: int = 0) -> Any:
    rows = np.random.default_rng(seed).standard_normal((n, dim))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def clusters(n: int, k: int, dim: int, seed: int = 0) -> tuple[Any, Any]:
    """Rows around some well separated centres, and the centre of each."""
    rng = np.random.default_rng(seed)
    which = np.arange(n) % k
    rows = rng.standard_normal((k, dim))[which] + 0.15 * rng.standard_normal((n, dim))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32), which


def vectors_of(matrix: Any) -> firth.WordVectors:
    return firth.WordVectors.from_arrays([f"w{i}" for i in range(len(matrix))], matrix)


def pairs_of(ids: Any, cosines: Any) -> list[list[tuple[int, float]]]:
    """Neighbours as the oracle writes them."""
    rows = zip(ids.tolist(), cosines.tolist(), strict=True)
    return [list(zip(*row, strict=True)) for row in rows]


# Neighbours --------------------------------------------------------------------------------------


@settings(max_examples=60)
@given(
    st.integers(1, 30), st.integers(1, 4), st.integers(1, 12), st.integers(0, 99), st.integers(1, 9)
)
def test_neighbours_are_those_of_sorting(n: int, dim: int, k: int, seed: int, block: int) -> None:
    rows = np.random.default_rng(seed).integers(-2, 3, (n, dim))  # exact products, many ties
    expected = oracle.nearest(rows.tolist(), k)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_neighbours, "_AT_ONCE", block)
        for threads in (1, 2):
            ids, cosines = nearest_neighbours(rows.astype(np.float32), k, threads)
            assert ids.shape == cosines.shape == (n, min(k, n - 1))
            found = pairs_of(ids, cosines)
            assert found == expected


def test_neighbours_of_many_blocks_and_of_zero_vectors() -> None:
    unit = unit_rows(2500, 8)
    unit[[3, 1700]] = 0
    ids, cosines = nearest_neighbours(unit, 7, threads=2)
    again = nearest_neighbours(unit, 7, threads=1)
    assert ids.tobytes() == again[0].tobytes()
    assert cosines.tobytes() == again[1].tobytes()
    products = unit.astype(np.float64) @ unit.T.astype(np.float64)
    np.fill_diagonal(products, -2)
    np.testing.assert_allclose(cosines, -np.sort(-products, axis=1)[:, :7], atol=1e-6)
    np.testing.assert_allclose(cosines, np.take_along_axis(products, ids, 1), atol=1e-6)
    assert ids[3].tolist() == [0, 1, 2, 4, 5, 6, 7]
    assert not cosines[3].any()
    with pytest.raises(ParameterError, match="'k' parameter"):
        nearest_neighbours(unit, 0)


@given(st.integers(1, 20))
def test_every_pair_of_blocks_meets_once_and_rounds_share_no_block(n: int) -> None:
    rounds = list(_neighbours._disjoint_pairs(n))
    met = [pair for pairs in rounds for pair in pairs]
    assert sorted(met) == [(i, j) for i in range(n) for j in range(i, n)]
    for pairs in rounds[1:]:
        blocks = [block for pair in pairs for block in pair]
        assert len(set(blocks)) == len(blocks)


# Affinities --------------------------------------------------------------------------------------


@settings(max_examples=25)
@given(st.integers(8, 25), st.floats(1.5, 4), st.integers(0, 99))
def test_affinities_are_those_of_the_paper(n: int, perplexity: float, seed: int) -> None:
    unit = unit_rows(n, 4, seed)
    ids, cosines = nearest_neighbours(unit, 6)
    for row in conditionals(cosines, perplexity):
        assert oracle.perplexity(row.tolist()) == pytest.approx(perplexity, rel=1e-5)
    p = affinities(ids, cosines, perplexity)
    np.testing.assert_allclose(
        p.toarray(), oracle.joint(pairs_of(ids, cosines), perplexity), rtol=1e-3, atol=1e-8
    )
    assert p.sum() == pytest.approx(1, abs=1e-12)
    np.testing.assert_array_equal(p.toarray(), p.toarray().T)


def test_affinities_where_neighbours_are_few_or_equally_far() -> None:
    ids = np.array([[1, 2], [0, 2], [0, 1]], np.int32)
    for cosines in (np.ones((3, 2)), np.zeros((3, 2)), np.array([[1, 0.5], [1, 0.5], [0.5, 0.5]])):
        for perplexity in (1, 1.5, 2, 30):
            p = affinities(ids, cosines.astype(np.float32), perplexity).toarray()
            assert p.sum() == pytest.approx(1)
            np.testing.assert_array_equal(p, p.T)
    assert affinities(ids[:1, :0], np.zeros((1, 0), np.float32), 5).nnz == 0
    for wrong in (0.5, math.nan, "many"):
        with pytest.raises(ParameterError, match="'perplexity' parameter"):
            affinities(ids, np.ones((3, 2), np.float32), wrong)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="do not match"):
        affinities(ids, np.ones((3, 1), np.float32), 2)


# Forces ------------------------------------------------------------------------------------------


def configurations() -> dict[str, Any]:
    rng = np.random.default_rng(5)
    disk = rng.standard_normal((2000, 2))
    disk *= 40 * np.sqrt(rng.random((2000, 1))) / np.linalg.norm(disk, axis=1, keepdims=True)
    centres = rng.uniform(-60, 60, (20, 2))[rng.integers(0, 20, 2000)]
    return {
        "spread": disk,
        "clumped": centres + 0.3 * rng.standard_normal((2000, 2)),
        "middling": 3 * rng.standard_normal((2000, 2)),
        "tiny": 1e-4 * rng.standard_normal((2000, 2)),
        "thin": disk * [1, 0],
        "vast": 10 * centres + 0.3 * rng.standard_normal((2000, 2)),
    }


@pytest.mark.parametrize(
    ("name", "of_forces", "of_total"),
    [
        ("spread", 0.03, 2e-3), ("clumped", 0.03, 2e-3), ("middling", 1e-3, 1e-4), ("tiny", 1e-5, 1e-5),
        ("thin", 0.03, 1e-3), ("vast", 0.3, 0.02),
    ],
)  # fmt: skip
def test_repulsion_from_the_grid_is_nearly_exact(
    name: str, of_forces: float, of_total: float
) -> None:
    """The errors of all forces together, relative to all forces, and of the normaliser.

    A map so vast that the number of nodes is at its bound is only roughly right.
    """
    x, y = (np.ascontiguousarray(column, np.float32) for column in configurations()[name].T)
    corners = np.array([x.min(), x.max(), y.min(), y.max()], np.float64)
    repulsion = _layout.Repulsion(lambda work, items: [work(item) for item in items], exact=0)
    grid = repulsion.prepare(x, y, corners)
    assert grid is not None
    assert max(grid.forces.shape) <= 2100
    found, exact = np.zeros((2, 2, len(x)), np.float32)
    repulsion.push(grid, x, y, 0, len(x), found)
    expected = _kernels.repel_exactly(x, y, 0, len(x), *exact)
    assert grid.total == pytest.approx(expected, rel=of_total)
    assert np.linalg.norm(found - exact) < of_forces * np.linalg.norm(exact)


def small_case(n: int = 14, scale: float = 2.0) -> tuple[Any, Any]:
    p = affinities(*nearest_neighbours(unit_rows(n, 5), 6), 3)
    return p, (scale * np.random.default_rng(1).standard_normal((n, 2))).astype(np.float32)


@pytest.mark.parametrize(("scale", "tolerance"), [(0.01, 1e-4), (2, 1e-3), (20, 0.15)])
def test_the_gradient_is_that_of_the_divergence(scale: float, tolerance: float) -> None:
    """From a grid it is rough for a few points far apart, where nearly nothing pushes but themselves."""
    p, positions = small_case(scale=scale)
    table, points = p.toarray().tolist(), positions.astype(np.float64)
    assert divergence(p, positions) == pytest.approx(oracle.divergence(table, points), rel=1e-5)
    numerical = np.empty_like(points)
    for place in np.ndindex(*points.shape):
        step = np.zeros_like(points)
        step[place] = 1e-5
        up, down = (oracle.divergence(table, points + sign * step) for sign in (1, -1))
        numerical[place] = (up - down) / 2e-5
    size = np.linalg.norm(numerical)
    expected = np.array(oracle.gradient(table, points))
    assert np.linalg.norm(expected - numerical) < 1e-6 * size
    assert np.linalg.norm(_layout.gradient(p, positions) - numerical) < 1e-5 * size
    assert np.linalg.norm(_layout.gradient(p, positions, exact=0) - numerical) < tolerance * size


# The layout --------------------------------------------------------------------------------------


def test_the_start_is_two_principal_components() -> None:
    unit = unit_rows(300, 6)
    start = principal_positions(unit)
    centred = unit - unit.mean(axis=0, dtype=np.float64)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    for k in range(2):
        sign = np.sign(axes[k, np.abs(axes[k]).argmax()])
        expected = sign * (centred @ axes[k]) * 1e-4 / (centred @ axes[0]).std()
        np.testing.assert_allclose(start[:, k], expected, atol=1e-8)
    assert not principal_positions(np.ones((5, 3), np.float32)).any()
    assert principal_positions(np.array([[1], [-1]], np.float32)).tolist() == [
        [pytest.approx(1e-4), 0], [pytest.approx(-1e-4), 0]
    ]  # fmt: skip


@pytest.mark.parametrize("n", [400, 3100])
def test_clusters_are_found_again_and_the_divergence_falls(n: int) -> None:
    unit, which = clusters(n, 8, 20)
    p = affinities(*nearest_neighbours(unit, 30), 10)
    start = principal_positions(unit)
    rough, fine = (layout(p, start, 100, n_late) for n_late in (30, 150))
    assert divergence(p, start) > divergence(p, rough) > divergence(p, fine)
    distances = np.square(fine[:, None] - fine[None]).sum(axis=2)
    np.fill_diagonal(distances, np.inf)
    near = np.argsort(distances, axis=1)[:, :5]
    assert np.all(which[near] == which[:, None])


@pytest.mark.parametrize("n", [700, 3500])
def test_maps_are_the_same_bytes_on_any_number_of_threads(n: int) -> None:
    vectors = vectors_of(clusters(n, 10, 12)[0])
    parameters = MapParameters(n_early=40, n_late=40)
    maps = [WordMap.learn(vectors, parameters, threads) for threads in (1, 2, 3, 1)]
    assert len({each.positions.tobytes() for each in maps}) == 1


def test_layouts_check_what_they_are_given() -> None:
    p, positions = small_case()
    with pytest.raises(ParameterError, match="do not match"):
        layout(p, positions[:-1])
    for wrong in ({"n_early": -1}, {"n_late": 1.5}, {"exaggeration": 0}, {"threads": 0}):
        with pytest.raises(ParameterError, match=next(iter(wrong))):
            layout(p, positions, **wrong)
    np.testing.assert_array_equal(layout(p, positions, 0, 0), positions)


# Multidimensional scaling ------------------------------------------------------------------------


@settings(max_examples=20)
@given(st.integers(2, 12), st.integers(0, 99))
def test_steps_of_scaling_are_those_of_the_twin(n: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    rows, points = random.normal(size=(n, 4)), random.normal(size=(n, 2))
    points[0] = points[-1]  # two at the same place
    wanted, near = _mds._distances(rows), _mds._distances(points)
    lists = rows.tolist(), points.tolist()
    assert _mds.stress(wanted, near) == pytest.approx(oracle.stress(*lists))
    moved = _mds._step(wanted, near, points)
    np.testing.assert_allclose(moved, oracle.scaling_step(*lists), atol=1e-9)
    assert oracle.stress(lists[0], moved.tolist()) <= oracle.stress(*lists) + 1e-9


def test_scaling_lowers_the_stress_as_far_as_scikit_learn() -> None:
    from sklearn.manifold import smacof

    unit, _ = clusters(80, 6, 8)
    start = principal_positions(unit)
    wanted = _mds._distances(unit.astype(float))

    def of(positions: Any) -> float:
        return _mds.stress(wanted, _mds._distances(np.asarray(positions, float)))

    found = scaled_positions(unit, start)
    spread = start * 1e4 * (wanted.std() / np.std(start * 1e4))
    _, best = smacof(wanted, init=spread, n_init=1, max_iter=1000, eps=1e-9, normalized_stress=False)  # fmt: skip
    assert of(found) < of(spread)
    assert of(found) == pytest.approx(best, rel=0.01)


def test_points_in_a_plane_stay_as_they_are() -> None:
    turns = np.random.default_rng(0).uniform(0, 2 * np.pi, 40)
    unit = np.zeros((40, 5), np.float32)
    unit[:, 1], unit[:, 3] = np.cos(turns), np.sin(turns)
    found = scaled_positions(unit, np.random.default_rng(1).normal(size=(40, 2)))
    np.testing.assert_allclose(
        _mds._distances(found.astype(float)), _mds._distances(unit.astype(float)), atol=0.05
    )


@pytest.mark.parametrize("method", ["pca", "mds"])
@pytest.mark.parametrize("n", [1, 2, 3, 60])
def test_other_methods_make_maps(method: Any, n: int) -> None:
    vectors = vectors_of(unit_rows(n, 3))
    made = [WordMap.learn(vectors, MapParameters(method=method), threads) for threads in (1, 2)]
    drawn = made[0]
    assert drawn.positions.tobytes() == made[1].positions.tobytes()
    assert np.abs(drawn.positions).max() == (1 if n > 1 else 0)
    assert drawn.method == method
    assert drawn.made == {"words": 100_000, "method": method}
    if method == "pca" and n == 60:
        start = principal_positions(vectors.unit)
        middle = (start.min(axis=0) + start.max(axis=0)) / 2
        expected = (start - middle) / np.abs(start - middle).max()
        np.testing.assert_allclose(drawn.positions, expected, atol=1e-5)


def test_equal_vectors_have_maps_by_all_methods() -> None:
    for method in ("pca", "mds"):
        parameters = MapParameters(method=cast(Any, method))
        assert not WordMap.learn(vectors_of(np.ones((5, 3))), parameters).positions.any()


def test_maps_of_the_usual_method_are_identified_as_before() -> None:
    assert "method" not in MapParameters().parameters()
    assert WordMap.learn(vectors_of(unit_rows(3, 2))).method == "t-sne"
    with pytest.raises(ParameterError, match="'method' parameter"):
        WordMap.learn(vectors_of(unit_rows(3, 2)), MapParameters(method=cast(Any, "umap")))


def test_scaling_has_a_limit() -> None:
    with pytest.raises(InputError, match="5,001 words are too many") as caught:
        scaled_positions(np.zeros((5001, 2), np.float32), np.zeros((5001, 2)))
    assert caught.value.hint == "Use at most 5,000: --top 1000"


# Maps --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [*range(1, 12), 40])
def test_few_words_have_a_map(n: int) -> None:
    drawn = WordMap.learn(vectors_of(unit_rows(n, 3)), threads=1)
    assert drawn.positions.shape == (n, 2)
    assert drawn.positions.dtype == np.float32
    assert np.isfinite(drawn.positions).all()
    assert np.abs(drawn.positions).max() == (1 if n > 1 else 0)
    np.testing.assert_allclose(drawn.positions.min(0) + drawn.positions.max(0), 0, atol=1e-6)
    assert len(np.unique(drawn.positions, axis=0)) == n


@pytest.mark.parametrize("n", [2, 5, 3100])
def test_equal_vectors_have_a_map(n: int) -> None:
    parameters = MapParameters(n_early=50, n_late=50)
    rows = np.ones((n, 4))
    assert np.isfinite(WordMap.learn(vectors_of(rows), parameters).positions).all()
    rows[: n // 2] = [1, 2, 3, 4]
    positions = WordMap.learn(vectors_of(rows), parameters).positions
    assert np.isfinite(positions).all()
    assert np.abs(positions).max() == 1


def test_words_without_a_direction_are_left_out() -> None:
    rows = unit_rows(30, 4) * 3
    rows[[0, 7]] = 0
    vectors = vectors_of(rows)
    drawn = WordMap.learn(vectors, MapParameters(words=20))
    assert list(drawn.vocabulary) == [f"w{i}" for i in range(22) if i not in (0, 7)]
    assert drawn.made == MapParameters(words=20).parameters()
    assert repr(drawn) == "<WordMap of 20 words>"
    assert "w1" in drawn
    assert "w7" not in drawn
    assert drawn["w1"] == tuple(drawn.positions[0].tolist())
    with pytest.raises(WordError, match="'w7' is not on the map"):
        drawn["w7"]
    with pytest.raises(InputError, match="all word vectors are zero"):
        WordMap.learn(vectors_of(np.zeros((3, 2))))


@pytest.mark.parametrize(
    "wrong",
    [
        {"words": 0}, {"words": True}, {"perplexity": 0.9}, {"perplexity": math.nan}, {"perplexity": "15"},
        {"n_early": -1}, {"n_late": 2.5}, {"exaggeration": 0.5}, {"exaggeration": 13},
    ],
)  # fmt: skip
def test_parameters_are_checked(wrong: dict[str, Any]) -> None:
    with pytest.raises(
        ParameterError, match=f"The '{next(iter(wrong))}' parameter of WordMap.learn"
    ):
        WordMap.learn(vectors_of(unit_rows(4, 2)), MapParameters(**wrong))


def test_maps_are_saved_and_damage_is_seen(tmp_path: Path) -> None:
    drawn = WordMap.learn(vectors_of(unit_rows(20, 4)), MapParameters(n_late=20))
    drawn.save(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"positions.f32", "words.arrow"}
    again = load("map", tmp_path, drawn.made)
    np.testing.assert_array_equal(again.positions, drawn.positions)
    assert list(again.vocabulary) == list(drawn.vocabulary)
    assert again.made == drawn.made
    good = np.array(drawn.positions)
    for bad in (good[:-1], good * 1.5, np.where(good == good[3, 0], np.nan, good), good[:0]):
        np.asarray(bad, np.float32).tofile(tmp_path / "positions.f32")
        with pytest.raises(ModelError, match="The word map in .* cannot be used"):
            load("map", tmp_path)
    (tmp_path / "positions.f32").write_bytes(b"12345")
    with pytest.raises(ModelError, match="not a multiple of 4"):
        load("map", tmp_path)
    (tmp_path / "words.arrow").write_bytes(b"nonsense")
    with pytest.raises(ModelError, match="not an Arrow file"):
        load("map", tmp_path)


def test_an_empty_pair_table_leaves_a_single_point_alone() -> None:
    assert layout(csr_array((1, 1)), np.zeros((1, 2), np.float32)).tolist() == [[0, 0]]
    assert divergence(csr_array((1, 1)), np.zeros((1, 2), np.float32)) == 0
