"""Part-of-speech induction by clustering and mutual information, in seven languages.

    FIRTH_DATA=... python -m experiments.induction

The data and the measures are those of ``experiments.pos_induction``.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import numpy.typing as npt
from experiments.common import COLOURS, NONE, Run, graph_objects, number, plain_layout, start, table
from experiments.pos_induction import TREEBANKS, anchors, by, texts

import firth

SEEDS = {12: range(3), 45: range(2)}
"""For each number of tags."""
METHODS: dict[str, dict[str, Any]] = {
    "mutual information": {},
    "mutual information, reserved tags": {"reserve": True},
}
OLD = "anchors, sharing, refined"
FIRST: dict[str, Any] = {
    "dim": 12, "sharing": 10.0, "clusters": 50, "cluster_rounds": 5, "steps": 50,
}  # fmt: skip
"""The settings that others are compared with."""
SETTINGS: tuple[dict[str, Any], ...] = (
    {"dim": 8}, {}, {"sharing": 5.0}, {"sharing": 20.0}, {"clusters": 30}, {"clusters": 80},
    {"cluster_rounds": 3}, {"steps": 25}, {"steps": 100},
    {"dim": 20}, {"dim": 20, "sharing": 20.0, "steps": 100}, {"dim": 30}, {"dim": 40},
)  # fmt: skip
"""What differs from them; the fewest dimensions first."""

Floats = npt.NDArray[np.float64]


def cell(run: Run, language: str, m: int, seed: int, how: dict[str, Any]) -> list[float]:
    """The three figures and the seconds."""
    how = {**{name: getattr(firth.MutualInformationTagger(), name) for name in FIRST}, **how}

    def found() -> list[float]:
        corpus, text = texts(language)
        begun = time.perf_counter()
        tagger = firth.MutualInformationTagger(m, seed=seed, **how).fit(corpus)
        seconds = time.perf_counter() - begun
        return [*by(tagger, text), seconds]

    return list(run.remember(f"{how} {language} {m} {seed}", found))


def figure(cells: dict[str, Floats], languages: list[str]) -> Any:
    """Many-to-one accuracy by language; the lines reach from the lowest to the highest seed."""
    graph = graph_objects()
    bars = []
    for (name, found), colour in zip(cells.items(), COLOURS, strict=False):
        mean, least, most = (f(found[:, :, 0], axis=0) for f in (np.mean, np.min, np.max))
        bars.append(
            graph.Bar(x=languages, y=mean, name=name, marker={"color": colour},
                      error_y={"array": most - mean, "arrayminus": mean - least, "thickness": 1})
        )  # fmt: skip
    layout = plain_layout("Many-to-one accuracy with 12 tags", "", "%", bargroupgap=0.08)
    layout["legend"] |= {"entrywidth": 225}
    layout["yaxis"] |= {"range": [0, 95]}
    return graph.Figure(bars, layout)


def main_table(
    run: Run, languages: list[str], m: int
) -> tuple[str, dict[str, Floats], dict[str, Floats]]:
    """Many-to-one accuracy by language, the means over languages for each seed, and all figures."""
    old = [[run.remember(f"{OLD} {x} {m}", anchors, *texts(x), m) for x in languages]]
    cells = {OLD: np.array(old)}
    for name, how in METHODS.items():
        new = [[cell(run, x, m, seed, how)[:3] for x in languages] for seed in SEEDS[m]]
        cells[name] = np.array(new)
    rows, means = [], {}
    for name, found in cells.items():
        means[name] = np.mean(found, axis=1)
        mean, least, most = (f(means[name], axis=0).tolist() for f in (np.mean, np.min, np.max))
        spread = f"{least[0]:.1f}–{most[0]:.1f}, {least[2]:.1f}–{most[2]:.1f}"
        shown = map(number, np.mean(found, axis=0)[:, 0].tolist())
        rows.append([name, *shown, f"**{mean[0]:.1f}**", *map(number, mean[1:]),
                     spread if len(found) > 1 else NONE])  # fmt: skip
    head = [f"{m} tags", *languages, "mean", "one-to-one", "V-measure", "seeds"]
    return table(head, rows), means, cells


def chosen(sums: Floats) -> int:
    """The first setting that is within one standard error of the best; ``sums`` are settings by languages."""
    behind = sums[sums.mean(axis=1).argmax()] - sums
    errors = behind.std(axis=1, ddof=1) / np.sqrt(sums.shape[1])
    return int(np.argmax(behind.mean(axis=1) <= errors))


def settings_table(run: Run, languages: list[str]) -> tuple[str, list[float], str]:
    """The means of several settings, and those where each language has the setting chosen for the others."""
    cells = np.array(
        [[cell(run, x, 12, 0, FIRST | how)[:3] for x in languages] for how in SETTINGS]
    )
    names = [", ".join(f"`--{key.replace('_', '-')} {value:g}`" for key, value in (FIRST | how).items()
                       if how.get(key) or (key == "dim")) for how in SETTINGS]  # fmt: skip
    rows = [
        [name, number(float(found[0])), number(float(found[2]))]
        for name, found in zip(names, cells.mean(axis=1), strict=True)
    ]
    sums = cells[:, :, 0] + cells[:, :, 2]
    choices = [chosen(np.delete(sums, k, axis=1)) for k in range(len(languages))]
    left_out = np.mean([cells[choice, k] for k, choice in enumerate(choices)], axis=0).tolist()
    rows.append(["chosen for the other languages", number(left_out[0]), number(left_out[2])])
    said = "; ".join(
        f"{names[choice]} for {', '.join(x for x, c in zip(languages, choices, strict=True) if c == choice)}"
        for choice in sorted(set(choices))
    )
    return table(["settings", "many-to-one", "V-measure"], rows), left_out, said


def main() -> None:
    run = start("induction", __doc__)
    languages = ["it", "ja"] if run.quick else list(TREEBANKS)
    first, means, cells = main_table(run, languages, 12)
    settings, left_out, said = settings_table(run, languages)
    second, _, _ = main_table(run, languages, 45)
    plain, reserved = (means[name].mean(axis=0) for name in METHODS)
    run.write(
        "Parts of speech by clustering and mutual information (Stratos 2019)",
        f"""The default of `firth tags learn`, beside the anchor method as it was the default before. Data
and measures are those of the previous section: many-to-one accuracy in % by language, and means over
the languages. Figures of the new method are means over seeds ({len(SEEDS[12])} for 12 tags,
{len(SEEDS[45])} for 45); the last column has the lowest and the highest mean of a seed, for many-to-one
accuracy and V-measure. With *reserved tags* (`--reserve`),
tokens without letters and digits have a tag of their own, and so have numbers. The labels of the treebanks
follow nearly the same rule, so these rows say less about what can be learned from text. The steps of the
method were found on the gold tags of these languages, mostly of the smaller treebanks, in about 25 runs of
prototypes and several of the program, so the figures are too good by an unknown amount.""",
        first,
        figure(cells, languages),
        "data: `tags/*.conllu`",
        [
            (
                "Many-to-one accuracy and V-measure, 12 tags, mean of 7 languages: `tags learn`, and with `--reserve`",
                NONE,
                f"{plain[0]:.1f} and {plain[2]:.1f}, {reserved[0]:.1f} and {reserved[2]:.1f}",
            )
        ],
        f"""With 45 tags:

{second}

Settings, with one seed and 12 tags, means over the languages. Parameters that are not named are
{", ".join(f"`--{key.replace('_', '-')} {value:g}`" for key, value in FIRST.items() if key != "dim")}. For
each language, a setting is chosen on the other languages: of those whose sum of both measures is within one
standard error of the best, the first of the table, which has the fewest dimensions. These are {said}. The
means with these settings are {left_out[0]:.1f} and {left_out[2]:.1f}.

{settings}

""",
    )


if __name__ == "__main__":
    main()
