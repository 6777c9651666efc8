"""Parameters, each written down once.

The parameters of a stage are the fields of one dataclass. A field has a type, a default and a
``Param`` with its help text and limits::

    @dataclass(eq=False, repr=False)
    class AnchorParameters(Parameters):
        n_tags: Annotated[int, Param("Number of tags.", option="--tags", least=1)] = 12

Everything else is derived from the fields: the signature of the estimator (which inherits from the
dataclass), its ``Parameters`` section in the reference, the options of the command, the checks, and
what the manifest of a model stores. This module imports nothing heavy, so that ``firth --help`` is
quick.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
import inspect
import math
import numbers
import re
import textwrap
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self, TypeVar

from firth.compute import Engine
from firth.errors import not_for, wrong_parameter

__all__ = [
    "DeviceName",
    "DeviceOption",
    "Field",
    "JobParameters",
    "MEMORY",
    "Memory",
    "Methods",
    "Param",
    "Parameters",
    "Replacing",
    "Resources",
    "Remote",
    "Seed",
    "Threads",
    "check_known",
    "documents",
    "parse_memory",
    "parse_size",
    "share_of",
]

Panel = Literal["Text", "Learning", "Output", "Expert"]
_TINY = 1e-6
"""A least value below this means: anything above 0."""
Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class Param:
    """What a type and a default do not say about a parameter.

    Attributes
    ----------
    help : str
        One or two sentences, for ``--help`` and the reference.
    details : str
        More sentences, for the reference only.
    metavar : str
        What ``--help`` shows for the value; by default ``N`` for numbers, the choices, or ``TEXT``.
    option : str
        The option of the command line, if it is not the name of the parameter with hyphens.
    panel : str
        The panel of ``--help`` that lists the option.
    least, most : float, optional
        The smallest and the largest value.
    below : float, optional
        What the value must be smaller than.
    methods : tuple of str
        The methods that have the parameter; all of them if empty.
    stored : bool
        Whether the manifest of a model stores it. What cannot change a result is not stored.
    added : bool
        Whether models were made before it existed. It is stored only if it is not the default, so that
        these models need not be learned again.
    earlier : float, optional
        The value of models that were made before it existed, if that is not the default.
    command : bool
        Whether commands offer it.
    checked : bool
        Whether ``Parameters.check`` checks it; False where another function does.
    none : str
        What None stands for, such as "no limit". On the command line it is written as 0.
    negative : str
        The option that turns off a flag, if it is not ``--no-...``.
    shown_default : str
        What ``--help`` shows as the default instead of the value.
    renamed_from : tuple of str
        Former options, still accepted, but not shown.
    """

    help: str
    details: str = ""
    metavar: str = ""
    option: str = ""
    panel: Panel = "Learning"
    least: float | None = None
    most: float | None = None
    below: float | None = None
    methods: tuple[str, ...] = ()
    stored: bool = True
    added: bool = False
    earlier: float | None = None
    command: bool = True
    checked: bool = True
    none: str = ""
    negative: str = ""
    shown_default: str = ""
    renamed_from: tuple[str, ...] = ()


Threads = Annotated[
    int | Engine | None,
    Param(
        "Number of threads, at most 1024; all cores by default.",
        "The result does not depend on it.",
        panel="Expert",
        stored=False,
        checked=False,
    ),
]
DeviceName = Annotated[
    str,
    Param(
        "Where to compute: cpu, or a GPU: cuda, or cuda:1 for the second one.",
        "A GPU needs the extra ``gpu``. The result is the same up to rounding.",
        metavar="DEVICE",
        panel="Expert",
        stored=False,
        checked=False,
    ),
]
MEMORY = "4G"
_LEAST_MEMORY = 64 << 20
"""The default memory limit."""
Memory = Annotated[
    int | str,
    Param(
        "Approximate memory limit, such as 500M or 4G.",
        "The result does not depend on it.",
        metavar="SIZE",
        panel="Expert",
        stored=False,
        checked=False,
    ),
]
Seed = Annotated[int, Param("Random seed.", panel="Expert", least=0)]
Remote = Annotated[
    bool,
    Param(
        "Open the network addresses that the model names, to show lines of its text.",
        panel="Output",
        stored=False,
    ),
]


def share_of(value: float | str) -> float:
    """A share, as a number or as people write it; not a number if it cannot be read.

    >>> share_of("5%"), share_of("0.05"), share_of(0.05), share_of("half")
    (0.05, 0.05, 0.05, nan)
    """
    if not isinstance(value, str):
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return float(value) if is_number else math.nan
    try:
        return float(value.removesuffix("%")) / (100 if value.endswith("%") else 1)
    except ValueError:
        return math.nan


def parse_size(owner: str, name: str, value: int | str, least: int = 1) -> int:
    """A number of bytes from ``"4G"``, ``"500M"``, ``"1.5 GB"`` or an int.

    >>> parse_size("count", "memory", "1.5 kB")
    1536
    """
    if isinstance(value, str):
        found = re.fullmatch(
            r"\s*([0-9]{1,15}(?:\.[0-9]+)?)\s*([kmgt]?)i?b?\s*", value, re.IGNORECASE
        )
        if not found:
            raise wrong_parameter(owner, name, "a size such as 500M or 4G", value)
        value = int(float(found[1]) * 1024 ** " kmgt".index(found[2].lower() or " "))
    if value < least:
        shown = f"{least >> 20}M" if least >= 1 << 20 else f"{least}"
        raise wrong_parameter(owner, name, f"at least {shown}", value)
    return value


def parse_memory(memory: int | str) -> int:
    """A number of bytes from ``"4G"``, ``"500M"``, ``"1.5 GB"`` or an int."""
    return parse_size("count", "memory", memory, _LEAST_MEMORY)


@dataclass(frozen=True)
class Field:
    """A parameter, as a stage declares it."""

    name: str
    type: Any
    """``int``, ``float``, ``bool``, ``str``, a ``Literal``, or something else; without None."""
    optional: bool
    default: Any
    param: Param

    @property
    def option(self) -> str:
        return self.param.option or "--" + self.name.replace("_", "-")

    def help(self, none: str) -> str:
        """The help text; ``none`` is how None is written."""
        text = self.param.help
        return f"{text[:-1]}; {none} for {self.param.none}." if self.param.none else text

    @property
    def choices(self) -> tuple[str, ...]:
        return typing.get_args(self.type) if typing.get_origin(self.type) is Literal else ()

    @property
    def described_type(self) -> str:
        """The type as numpydoc writes it."""
        if self.choices:
            name = "{" + ", ".join(f'"{choice}"' for choice in self.choices) + "}"
        else:
            name = (
                "int"
                if self.name == "threads"
                else ""
                if self.type is Any
                else str(self.type.__name__)
            )
        return f"{name} or None" if self.optional and name else name

    def expected(self) -> str:
        """What a value must be, in words."""
        least, most = self.param.least, self.param.most
        if self.choices:
            words = "one of " + ", ".join(map(repr, self.choices))
        elif self.type is bool:
            words = "True or False"
        elif self.type in (int, float):
            words = "an int" if self.type is int else "a number"
            if least is not None and most is not None:
                words += f" from {least:g} to {most:g}"
            elif least is not None and self.param.below is not None:
                words += f" from {least:g} to below {self.param.below:g}"
            elif least is not None:
                words += " above 0" if 0 < least < _TINY else f" of at least {least:g}"
        else:
            words = "a str"
        return f"{words} or None" if self.optional else words

    def accepts(self, value: Any) -> bool:
        if value is None:
            return self.optional
        if self.choices:
            return value in self.choices
        if self.type in (int, float):
            kind = numbers.Integral if self.type is int else numbers.Real
            if isinstance(value, bool) or not isinstance(value, kind):
                return False
            least = -math.inf if self.param.least is None else self.param.least
            most = math.inf if self.param.most is None else self.param.most
            below = math.inf if self.param.below is None else self.param.below
            return math.isfinite(value) and least <= float(value) <= most and value < below
        return isinstance(value, self.type) if self.type in (bool, str) else True

    def plain(self, value: Any) -> Any:
        """A checked value as JSON has it."""
        return self.type(value) if self.type in (int, float) and value is not None else value


class Parameters:
    """Base class of the dataclasses that hold the parameters of a stage."""

    owner: ClassVar[str] = ""
    """What error messages call the stage; the name of the class by default."""
    estimator: ClassVar[str] = ""
    """The module and class of the estimator that has the parameters."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if dataclasses.is_dataclass(cls) and hasattr(cls, "fit"):
            cls.__doc__ = with_parameters(cls.__doc__, cls.fields())

    @classmethod
    def fields(cls) -> tuple[Field, ...]:
        """The parameters, in their order."""
        return _fields(cls, dataclasses.fields(cls))  # type: ignore[arg-type]

    @classmethod
    def take(cls, values: dict[str, Any]) -> dict[str, Any]:
        """Remove the values that are parameters of this stage, and return them."""
        names = [field.name for field in cls.fields() if field.name in values]
        return {name: values.pop(name) for name in names}

    @classmethod
    def earlier(cls) -> dict[str, Any]:
        """The parameters whose value in older models, which do not store them, is not the default."""
        fields = (field for field in cls.fields() if field.param.earlier is not None)
        return {field.name: field.param.earlier for field in fields}

    @classmethod
    def restored(cls, stored: Mapping[str, Any]) -> Self:
        """The parameters that a manifest stores, checked; the others have their defaults."""
        names = [field.name for field in cls.fields() if field.param.stored]
        known = {**cls.earlier(), **stored}
        made = cls(**{name: known[name] for name in names if name in known})
        made.check()
        return made

    def check(self) -> None:
        """Raise ParameterError unless every parameter has a value that it can have."""
        for field in self.fields():
            value = getattr(self, field.name)
            if field.param.checked and not field.accepts(value):
                owner = self.owner or type(self).__name__
                raise wrong_parameter(owner, field.name, field.expected(), value)

    def parameters(self) -> dict[str, Any]:
        """The parameters that decide the result, as the manifest of a model stores them."""
        self.check()
        method = getattr(self, "method", None)
        return {
            field.name: field.plain(getattr(self, field.name))
            for field in self.fields()
            if field.param.stored
            and (not field.param.methods or method in field.param.methods)
            and not self.is_left_out(field)
        }

    def is_left_out(self, field: Field) -> bool:
        """Whether a manifest has no need of a parameter: it was added later, and is as it was before."""
        before = field.default if field.param.earlier is None else field.param.earlier
        return field.param.added and bool(getattr(self, field.name) == before)


@functools.cache
def _fields(cls: Any, declared: tuple[dataclasses.Field[Any], ...]) -> tuple[Field, ...]:
    hints = typing.get_type_hints(cls, include_extras=True)
    found = []
    for field in declared:
        kind, param = hints[field.name], None
        if typing.get_origin(kind) is Annotated:
            kind, *extras = typing.get_args(kind)
            param = next((extra for extra in extras if isinstance(extra, Param)), None)
        if param is None:
            raise TypeError(f"{cls.__name__}.{field.name} has no Param")
        optional = False
        if typing.get_origin(kind) in (typing.Union, types.UnionType):
            options = [option for option in typing.get_args(kind) if option is not types.NoneType]
            optional = len(options) < len(typing.get_args(kind))
            # of ``int | Any``, an int is what commands take; of ``int | str``, either
            kind = options[0] if len(options) == 1 or Any in options else Any
        default = field.default if field.default_factory is MISSING else field.default_factory()
        found.append(Field(field.name, kind, optional, default, param))
    return tuple(found)


@dataclass(eq=False, repr=False)
class Resources(Parameters):
    """What a job may use; no result depends on it."""

    memory: Memory = MEMORY
    threads: Threads = None


@dataclass(eq=False, repr=False)
class DeviceOption(Parameters):
    """Whether a job uses a GPU."""

    device: DeviceName = "cpu"


@dataclass(eq=False, repr=False)
class JobParameters(Resources):
    """How a job on text runs: what it may use, and what it does about files that cannot be read."""

    owner = "learn"

    cluster: Annotated[
        int | str | None,
        Param(
            "Work on a Dask cluster: the address of its scheduler, or a number of processes to "
            "start here.",
            "In Python also a ``distributed.Client``.",
            metavar="ADDRESS|N",
            panel="Expert",
            stored=False,
            checked=False,
        ),
    ] = None
    skip_bad: Annotated[
        bool,
        Param("Leave out files that cannot be read.", panel="Text", stored=False, negative=""),
    ] = False
    metadata: Annotated[
        str | Path | None,
        Param(
            "A table (CSV, TSV, Parquet or Arrow) with what is known about each file.",
            "The names of the files are in its first column, or in one called ``document``, ``file``, "
            "``filename``, ``name`` or ``id``.",
            metavar="FILE",
            panel="Text",
            stored=False,
            checked=False,
        ),
    ] = None


@dataclass(eq=False, repr=False)
class Replacing(Parameters):
    """Whether a model is written to that was made from other text."""

    owner = "learn"

    replace: Annotated[
        bool,
        Param("Replace what was made from other text.", panel="Output", stored=False),
    ] = False


@dataclass(frozen=True)
class Methods:
    """The methods of a stage and the dataclass of each; the first one is the default.

    Attributes
    ----------
    help : str
        Of the option ``--method``.
    of : mapping of str to type of Parameters
    unlisted : tuple of str
        Methods that another option chooses, such as ``--tagged``.
    owner : str
        What error messages call the function that takes the method.
    """

    help: str
    of: Mapping[str, type[Parameters]]
    unlisted: tuple[str, ...] = ()
    owner: str = "learn"

    @property
    def default(self) -> str:
        return next(iter(self.of))

    @property
    def choices(self) -> tuple[str, ...]:
        return tuple(name for name in self.of if name not in self.unlisted)

    def fields(self) -> tuple[Field, ...]:
        """The parameters of all methods; one that several methods have is listed once."""
        found: dict[str, Field] = {}
        for stage in self.of.values():
            for field in stage.fields():
                first = found.setdefault(field.name, field)
                if field.default != first.default:
                    shown = f"{first.default} for {self.methods_of(field.name)[0]}"
                    param = dataclasses.replace(first.param, shown_default=shown)
                    found[field.name] = dataclasses.replace(first, param=param)
        for name, field in found.items():
            methods = tuple(m for m in self.methods_of(name) if m in self.choices)
            if methods and set(methods) < set(self.choices):
                param = dataclasses.replace(field.param, methods=methods)
                found[name] = dataclasses.replace(field, param=param)
        return tuple(found.values())

    def make(self, method: str, values: Mapping[str, Any]) -> Any:
        """The estimator of a method; an error names what belongs to other methods only."""
        if method not in self.of:
            raise wrong_parameter(
                self.owner, "method", "one of " + ", ".join(map(repr, self.choices)), method
            )
        check_belong(self.of[method].fields(), method, values, self.methods_of)
        module, name = self.of[method].estimator.split(":")
        made: Parameters = getattr(importlib.import_module(module), name)(**values)
        made.check()
        return made

    def methods_of(self, name: str) -> tuple[str, ...]:
        """The methods that have a parameter."""
        return tuple(
            m for m, stage in self.of.items() if any(f.name == name for f in stage.fields())
        )


def check_belong(
    fields: Iterable[Field], method: str, values: Iterable[str],
    methods_of: Callable[[str], tuple[str, ...]] = lambda _: (),
) -> None:  # fmt: skip
    """Raise ParameterError where a value was given for a parameter that the method does not have."""
    known = {field.name: field.param.methods for field in fields}
    for name in values:
        methods = known.get(name, methods_of(name))
        if name in known and (not methods or method in methods):
            continue
        where = " or ".join(filter(None, [", ".join(methods[:-1]), *methods[-1:]]))
        where = f": it is for {where}" if where else ""
        raise not_for(name, f"method {method!r}{where}")


_SECTIONS = ("Attributes", "Returns", "Raises", "See Also", "Notes", "References", "Examples")


def with_parameters(doc: str | None, fields: Iterable[Field]) -> str | None:
    """A docstring with the parameters in its ``Parameters`` section."""
    if doc is None:  # python -OO
        return None
    lines = inspect.cleandoc(doc).split("\n")
    entries: list[str] = []
    for field in fields:
        kind = ", ".join(
            filter(
                None,
                [
                    field.described_type,
                    "" if field.default is MISSING else f"default={field.default!r}",
                ],
            )
        )
        text = " ".join(filter(None, [field.help("None"), field.param.details]))
        entries += [
            f"{field.name} : {kind}",
            *textwrap.wrap(text, 90, initial_indent="    ", subsequent_indent="    "),
        ]
    heads = [i for i in range(len(lines) - 1) if lines[i + 1] and not lines[i + 1].strip("-")]
    end = next((i for i in heads if lines[i] in _SECTIONS), len(lines))
    if not any(lines[i] == "Parameters" for i in heads):
        entries = ["Parameters", "----------", *entries]
    before = lines[:end]
    while before and not before[-1]:
        before.pop()
    between = [] if entries[0] != "Parameters" else [""]
    return "\n".join(
        [*before, *between, *entries, *(["", *lines[end:]] if end < len(lines) else [""])]
    )


def check_known(owner: str, options: Mapping[str, Any]) -> None:
    """Raise TypeError for options that no stage of a function has taken."""
    if options:
        names = ", ".join(map(repr, options))
        raise TypeError(f"{owner}() got unexpected keyword arguments: {names}")


def documents(
    *stages: type[Parameters], skip: Iterable[str] = ()
) -> Callable[[Function], Function]:
    """Put the parameters of some stages into the docstring of a function that takes them by name.

    A function that takes them as ``**options`` gets their names into its signature, too.
    """
    left_out = set(skip)
    named = {f.name: f for stage in stages for f in stage.fields() if f.name not in left_out}
    fields = list(named.values())

    def decorate(function: Function) -> Function:
        function.__doc__ = with_parameters(function.__doc__, fields)
        signature = inspect.signature(function)
        given = list(signature.parameters.values())
        if given and given[-1].kind is inspect.Parameter.VAR_KEYWORD:
            more = [
                inspect.Parameter(f.name, inspect.Parameter.KEYWORD_ONLY, default=f.default)
                for f in fields
                if f.name not in signature.parameters
            ]
            if more:  # otherwise **options are something else
                function.__signature__ = signature.replace(parameters=[*given[:-1], *more])  # type: ignore[attr-defined]
        return function

    return decorate
