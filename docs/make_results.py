"""Writes ``docs/results.md`` from the fragments that the experiments leave in ``docs/results/``."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

DOCS = Path(__file__).parent
ORDER = (
    "recovery", "mutual_information", "speed", "kappa_context", "transforms", "embeddings",
    "skip_gram", "tagger", "ner_classes", "ner_vectors",
    "pos_induction", "anchor_recovery",
    "parsing", "grammar_recovery", "class_lm", "clusterings", "senses",
)  # fmt: skip
INTRODUCTION = """\
# Results

The tables of the papers that Firth's methods come from, worked out again with Firth: Stratos, Kim, Collins and Hsu,
*A spectral algorithm for learning class-based n-gram models of natural language* (UAI 2014), and Stratos, Collins
and Hsu, *Model-based word embeddings from decompositions of count matrices* (ACL 2015). Each section is written by
one script in `experiments/`, which its last line names, with the data, the machine and the day. The papers' corpora
are larger than ours (205 million tokens of newswire, 1.4 billion words of Wikipedia), so what can be compared is
which method is better than which, and by how much; the figures themselves are not meant to be equal.

`FIRTH_DATA=/path/to/data make experiments` runs everything, in hours, and `make experiments QUICK=--quick` tries
everything out on a small text in minutes, and writes nothing here. How fast Firth is, and how much memory it needs,
step by step and against other programs, is in the [benchmarks](benchmarks.md). This page is put together by
`python docs/make_results.py`.
"""
_SUMMARY = re.compile(r"^<!-- summary: (.*) \| (.*) \| (.*) -->\n", re.MULTILINE)


def anchor(title: str) -> str:
    """The name that MkDocs gives to a heading."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode()
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", plain).strip().lower())


def page(fragments: dict[str, str]) -> str:
    """Introduction, summary, sections."""
    rows = ["| claim | paper | here | section |", "|---|---|---|---|"]
    sections = []
    for name, text in fragments.items():
        title = text.splitlines()[0].removeprefix("## ")
        short = title.partition(" (")[0]
        rows += [
            f"| {claim} | {paper} | {ours} | [{short}](#{anchor(title)}) |"
            for claim, paper, ours in _SUMMARY.findall(text)
        ]
        section = _SUMMARY.sub("", text).strip().replace("](../", "](")
        sections.append(section.replace(f"]({name}.svg)", f"](results/{name}.svg)"))
    return "\n".join([INTRODUCTION, "## In short\n", *rows, "", "\n\n".join(sections), ""])


def main() -> None:
    found = {
        name: (DOCS / "results" / f"{name}.md").read_text(encoding="utf-8")
        for name in ORDER
        if (DOCS / "results" / f"{name}.md").exists()
    }
    (DOCS / "results.md").write_text(page(found), encoding="utf-8")
    print(f"docs/results.md: {', '.join(found) or 'nothing'}")
    if missing := [name for name in ORDER if name not in found]:
        print(f"not there yet: {', '.join(missing)}")


if __name__ == "__main__":
    main()
