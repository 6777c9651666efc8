"""A parameter is written once: signature, reference, options, checks and manifest follow."""

from __future__ import annotations

import inspect
import json
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

import firth
from firth.cli._options import command, group
from firth.corpus import Reading
from firth.counts import CountsParameters
from firth.errors import ParameterError
from firth.parameters import (
    MEMORY,
    Memory,
    Methods,
    Param,
    Parameters,
    Resources,
    Seed,
    Threads,
    check_belong,
    documents,
)
from firth.tags import TAG_METHODS


@dataclass(eq=False, repr=False)
class Sample(Parameters):
    """Parameters of every type."""

    estimator: ClassVar[str] = "tests.test_parameters:Sample"

    n_items: Annotated[int, Param("Number of items.", option="--items", least=1)] = 3
    weight: Annotated[float, Param("Weight.", "Of the sample.", least=0, most=1)] = 0.5
    kind: Annotated[Literal["one", "two"], Param("Kind.", panel="Text")] = "one"
    limit: Annotated[int | None, Param("Maximum.", none="no limit", least=1)] = 10
    refine: Annotated[bool, Param("Refine.")] = True
    quick: Annotated[bool, Param("Quick.", renamed_from=("--fast",))] = False
    name: Annotated[str, Param("Name.", metavar="NAME")] = "x"
    hidden: Annotated[float, Param("Not an option.", command=False)] = 2.0
    seed: Seed = 0
    memory: Memory = MEMORY
    threads: Threads = None


class Learner(Sample):
    """A learner.

    Attributes
    ----------
    found_ : int
    """

    def fit(self) -> Learner:
        return self


def run(*arguments: str) -> tuple[int, str, dict[str, Any]]:
    """Runs a command with the options of the sample; returns status, output and what it was given."""
    given: dict[str, Any] = {}

    @command(Sample)
    def learn(
        texts: Annotated[list[str], typer.Argument(metavar="TEXT...")], *, options: dict[str, Any]
    ) -> None:
        """Learn something from
        text.

        Example: learn it
        """
        given.update(options)

    @command()
    def other() -> None:
        """Another."""

    result = CliRunner().invoke(group("All.", learn, other), ["learn", *arguments])
    return result.exit_code, result.output, given


# The dataclass -----------------------------------------------------------------------------------


def test_signature_and_reference_follow() -> None:
    signature = inspect.signature(Learner)
    assert {p.name: p.default for p in signature.parameters.values()} == {
        field.name: field.default for field in Sample.fields()
    }
    doc = str(Learner.__doc__)
    assert doc.startswith("A learner.\n\nParameters\n----------\nn_items : int, default=3\n")
    assert 'kind : {"one", "two"}, default=\'one\'\n    Kind.\n' in doc
    assert "limit : int or None, default=10\n    Maximum; None for no limit.\n" in doc
    assert "    Weight. Of the sample.\n" in doc
    assert doc.index("threads : int") < doc.index("Attributes\n----------\nfound_ : int")


WRONG: dict[str, list[Any]] = {
    "n_items": [0, -1, 1.5, "3", True, None, np.inf],
    "weight": [-0.1, 1.1, np.nan, np.inf, "1", True, None],
    "kind": ["three", "", None, 1],
    "limit": [0, 1.5, "10"],
    "refine": [1, 0, "yes", None],
    "name": [1, None, b"x"],
    "hidden": [np.nan, "2"],
    "seed": [-1, 0.5],
}


@pytest.mark.parametrize(("name", "value"), [(n, v) for n, values in WRONG.items() for v in values])
def test_wrong_values_are_refused(name: str, value: Any) -> None:
    sample = Sample(**{name: value})  # nothing is checked here
    with pytest.raises(ParameterError, match=f"The '{name}' parameter of Sample must be") as error:
        sample.check()
    assert repr(value) in str(error.value)
    assert error.value.name == name


def test_the_manifest_gets_plain_values() -> None:
    kept = Sample(n_items=np.int64(4), weight=1, limit=None).parameters()  # type: ignore[arg-type]
    assert kept == {
        "n_items": 4, "weight": 1.0, "kind": "one", "limit": None, "refine": True, "quick": False,
        "name": "x", "hidden": 2.0, "seed": 0,
    }  # fmt: skip
    assert json.dumps(kept, sort_keys=True).count("1.0") == 1
    with pytest.raises(ParameterError):
        Sample(n_items=0).parameters()


def test_values_are_taken_out_of_a_mixture() -> None:
    options = {"n_items": 1, "tokens": "words", "other": 2}
    assert Sample.take(options) == {"n_items": 1}
    assert Reading.take(options) == {"tokens": "words"}
    assert options == {"other": 2}


def test_a_field_without_help_is_a_mistake() -> None:
    @dataclass
    class Bare(Parameters):
        n: int = 1

    with pytest.raises(TypeError, match=r"Bare\.n has no Param"):
        Bare.fields()


# Methods -----------------------------------------------------------------------------------------


@dataclass(eq=False, repr=False)
class Other(Parameters):
    estimator: ClassVar[str] = "tests.test_parameters:Other"

    rounds: Annotated[int, Param("Rounds.", least=1)] = 7
    weight: Annotated[float, Param("Weight.")] = 0.9


METHODS = Methods("How.", {"sample": Sample, "other": Other})


def test_an_option_of_another_method_is_refused() -> None:
    assert isinstance(METHODS.make("other", {"rounds": 2}), Other)
    with pytest.raises(
        ParameterError, match="'rounds' parameter does not apply to method 'sample'"
    ):
        METHODS.make("sample", {"rounds": 2})
    with pytest.raises(ParameterError, match="it is for sample"):
        METHODS.make("other", {"kind": "two"})
    with pytest.raises(ParameterError, match="one of 'sample', 'other'"):
        METHODS.make("third", {})
    with pytest.raises(ParameterError, match="n_items"):
        METHODS.make("sample", {"n_items": 0})
    fields = {field.name: field for field in METHODS.fields()}
    assert fields["rounds"].param.methods == ("other",)
    assert fields["weight"].param.methods == ()
    assert fields["weight"].param.shown_default == "0.5 for sample"


def test_methods_within_one_dataclass() -> None:
    field = Sample.fields()[0]
    with pytest.raises(ParameterError, match="unknown"):
        check_belong([field], "any", ["unknown"])
    check_belong([field], "any", ["n_items"])


# The command line --------------------------------------------------------------------------------


def test_only_what_was_typed_is_passed_on() -> None:
    assert run("a")[2] == {}
    assert run("a", "--items", "3", "--limit", "0", "--no-refine", "--kind", "two")[2] == {
        "n_items": 3, "limit": None, "refine": False, "kind": "two",
    }  # fmt: skip
    assert run("a", "--threads", "2", "--memory", "1G")[2] == {"threads": 2, "memory": "1G"}


def test_a_former_option_is_accepted_with_a_notice() -> None:
    status, output, given = run("a", "--fast")
    assert (status, given) == (0, {"quick": True})
    assert output == "note: --fast is now called --quick.\n"
    assert "--fast" not in run("--help")[1]


def test_help_follows() -> None:
    status, text, _ = run("--help")
    flat = " ".join(re.sub(r"[│╭╮╰╯─]", " ", text).split())
    assert status == 0
    for part in (
        "--items N Number of items. [default: 3]", "--kind one|two Kind. [default: one]",
        "--limit N Maximum; 0 for no limit. [default: 10]", "--refine --no-refine Refine.",
        "--name NAME Name. [default: x]", "--threads N Number of threads, at most 1024; all cores by default.",
        "Learn something from text.",
    ):  # fmt: skip
        assert part in flat, part
    assert "--hidden" not in text
    assert "<" not in text.replace("<-", "")
    order = [text.index(f"─ {panel} ") for panel in ("Text", "Learning", "Output", "Expert")]
    assert order == sorted(order)


@pytest.mark.slow
def test_a_default_is_changed_in_one_place(tmp_path: Path) -> None:
    """In a copy of the source one number is changed; help, estimator and manifest follow."""
    source = Path(firth.__file__).parent
    copy = tmp_path / "firth"
    shutil.copytree(source, copy, ignore=shutil.ignore_patterns("__pycache__"))
    file = copy / "tags" / "_parameters.py"
    text = file.read_text(encoding="utf-8")
    changed = text.replace(
        "n_tags: NumberOfTags = 12\n    reserve", "n_tags: NumberOfTags = 13\n    reserve"
    )
    assert changed != text
    file.write_text(changed, encoding="utf-8")
    script = (
        "import firth, json; t = firth.MutualInformationTagger(); "
        "print(t.n_tags, t.parameters()['n_tags'], 'int, default=13' in t.__doc__)"
    )
    for arguments, expected in (
        (["-c", script], "13 13 True"),
        (["-m", "firth", "tags", "learn", "--help"], "[default: (13 for mutual-information)]"),
    ):
        done = subprocess.run(
            [sys.executable, *arguments],
            capture_output=True, text=True, encoding="utf-8", cwd=tmp_path,
            env={"PYTHONPATH": str(tmp_path), "PATH": "", "TERM": "dumb", "COLUMNS": "200", "HOME": str(tmp_path)},
        )  # fmt: skip
        assert expected in done.stdout, done


# What takes the parameters of a stage by name ----------------------------------------------------


@pytest.mark.parametrize(
    ("function", "stages"),
    [
        (firth.count, [CountsParameters, Resources]),
        (firth.Corpus.from_files, [Reading]),
    ],
)
def test_functions_have_the_defaults_of_their_stage(function: Any, stages: list[Any]) -> None:
    parameters = inspect.signature(function).parameters
    for stage in stages:
        for field in stage.fields():
            assert parameters[field.name].default == field.default, field.name
            assert f"\n{field.name} : " in function.__doc__


def test_options_by_name_are_in_the_signature() -> None:
    names = set(inspect.signature(firth.learn).parameters)
    assert {"texts", "model", "tokens", "min_count", "dim", "classes", "threads"} <= names
    assert "options" not in names

    @documents(Reading, skip=["column"])
    def some(*, tokens: str = "words", **options: Any) -> None:
        """Some."""

    assert "column" not in inspect.signature(some).parameters
    assert next(iter(inspect.signature(some).parameters)) == "tokens"


def test_all_methods_of_tags_have_an_estimator() -> None:
    for method in TAG_METHODS.of:
        made = TAG_METHODS.make(method, {})
        assert isinstance(made, TAG_METHODS.of[method])


@dataclass(eq=False, repr=False)
class Later(Sample):
    """With parameters that models of earlier versions do not have."""

    depth: Annotated[int, Param("Depth.", least=1, added=True)] = 2


def test_a_parameter_that_was_added_leaves_old_models_as_they_are() -> None:
    assert Later().parameters() == Sample().parameters()
    assert Later(depth=3).parameters() == {**Sample().parameters(), "depth": 3}
    with pytest.raises(ParameterError, match="depth"):
        Later(depth=0).parameters()
