"""Options of commands, made from the parameters of stages."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Annotated, Any, ClassVar, Literal, TypeVar

import typer
from typer.core import TyperCommand, TyperGroup

from firth import formats
from firth.cli import _shared as shared
from firth.parameters import Field, Methods, Param, Parameters

__all__ = ["command", "group"]

Function = TypeVar("Function", bound=Callable[..., Any])
_METAVARS = {int: "N", float: "X", str: "TEXT", bool: ""}
_WIDEST = 16
"""The widest metavar, in characters."""
_PANELS = ("Text", "Learning", "Output", "Expert")


def command(
    *stages: type[Parameters] | Methods, skip: Iterable[str] = ()
) -> Callable[[Function], Function]:
    """Make a command of a function: options from stages, errors in two lines, help that flows."""

    def decorate(function: Function) -> Function:
        made = with_options(*stages, skip=skip)(function) if stages else function
        made = shared.guarded(made)
        made.__doc__ = flowing(function.__doc__)
        return made

    return decorate


def group(text: str, *commands: Callable[..., Any]) -> typer.Typer:
    """A group of commands, each named after its function."""
    app = typer.Typer(no_args_is_help=True, help=text, cls=Group)
    for function in commands:
        add(app, function)
    return app


def add(app: typer.Typer, function: Callable[..., Any]) -> None:
    """Add a command to a group."""
    app.command(function.__name__.strip("_").replace("_", "-"), cls=Command)(function)


class _Plain:
    """Help without types in angle brackets, options in the order of the panels; errors that know their command."""

    panel: ClassVar[str | None] = None
    """The panel of options that name none."""

    def get_params(self, ctx: Any) -> list[Any]:
        params = super().get_params(ctx)  # type: ignore[misc]
        for param in params:
            if param.param_type_name == "argument" and param.metavar:
                name = param.metavar
                param.display_type_rich = lambda **_: ""
                param._usage_display_name = lambda name=name: name
            elif getattr(param, "is_flag", False):
                param.metavar = ""
            if param.param_type_name == "option" and not param.rich_help_panel:
                param.rich_help_panel = self.panel
        return sorted(params, key=_place)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)  # type: ignore[misc, no-any-return]
        except Exception as error:  # of an option without its value: it does not say which command
            if getattr(error, "ctx", ctx) is None:
                error.ctx = ctx  # type: ignore[attr-defined]
            raise


class Command(_Plain, TyperCommand):
    """A command whose help is plain."""

    panel = "Output"


class Group(_Plain, TyperGroup):
    """A group whose help is plain."""


def _place(param: Any) -> int:
    panel = getattr(param, "rich_help_panel", None)
    return 1 + _PANELS.index(panel) if panel in _PANELS else 0


def flowing(text: str | None) -> str:
    """A docstring whose lines are joined to paragraphs, so that a terminal of any width can wrap it."""
    paragraphs = inspect.cleandoc(text or "").split("\n\n")
    return "\n\n".join(" ".join(paragraph.split("\n")) for paragraph in paragraphs)


def with_options(
    *stages: type[Parameters] | Methods, skip: Iterable[str] = ()
) -> Callable[[Function], Function]:
    """Give a command an option for every parameter of some stages.

    The command gets the values that were typed, and only those, by the names of the parameters, as
    its argument ``options``. So defaults stay where they are declared. Of ``Methods``, the options of
    all methods are offered, and ``--method`` itself. ``Limits`` are no argument: they hold while the
    command runs.
    """
    fields = _all_fields(stages, frozenset(skip))

    def decorate(function: Function) -> Function:
        @functools.wraps(function)
        def run(*args: Any, ctx: typer.Context, **kwargs: Any) -> Any:
            options: dict[str, Any] = {}
            for field in fields:
                value = kwargs.pop(field.name)
                if _was_typed(ctx, field.name):
                    options[field.name] = _value(field, value)
                for former in field.param.renamed_from:
                    value = kwargs.pop(_hidden(former))
                    if _was_typed(ctx, _hidden(former)):
                        shared.notice(f"{former} is now called {field.option}.")
                        options[field.name] = _value(field, value)
            with formats.limits(**formats.Limits.take(options)):
                return function(*args, **kwargs, **({"options": options} if takes_options else {}))

        signature = inspect.signature(function, eval_str=True)
        takes_options = "options" in signature.parameters
        own = [p for name, p in signature.parameters.items() if name != "options"]
        made = [p for field in fields for p in _parameters(field)]
        context = inspect.Parameter("ctx", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)
        arguments = [p for p in own if p.kind is not inspect.Parameter.KEYWORD_ONLY]
        others = [p for p in own if p.kind is inspect.Parameter.KEYWORD_ONLY]
        parameters = [*arguments, *made, *others, context]
        run.__signature__ = signature.replace(parameters=parameters, return_annotation=None)  # type: ignore[attr-defined]
        run.__annotations__ = {p.name: p.annotation for p in parameters}
        del run.__wrapped__
        return run  # type: ignore[return-value]

    return decorate


def _all_fields(
    stages: Iterable[type[Parameters] | Methods], skip: frozenset[str]
) -> tuple[Field, ...]:
    found: dict[str, Field] = {}
    for stage in stages:
        if isinstance(stage, Methods):
            choices = Literal[stage.choices]  # type: ignore[name-defined]
            found["method"] = Field("method", choices, False, stage.default, Param(stage.help))
        for field in stage.fields():
            if field.param.command and field.name not in skip:
                found.setdefault(field.name, field)
    taken = {field.option for field in found.values()}
    for name, field in found.items():
        shared.OPTION_OF[name] = field.option
        former = tuple(old for old in field.param.renamed_from if old not in taken)
        found[name] = replace(field, param=replace(field.param, renamed_from=former))
    return tuple(found.values())


def _was_typed(ctx: typer.Context, name: str) -> bool:
    source = ctx.get_parameter_source(name)
    return source is not None and source.name not in ("DEFAULT", "DEFAULT_MAP")


def _value(field: Field, value: Any) -> Any:
    return None if field.param.none and value == 0 else value


def _hidden(former: str) -> str:
    return "former_" + former.strip("-").replace("-", "_")


def _parameters(field: Field) -> list[inspect.Parameter]:
    """A parameter of a command's function for a field, and one for each former option."""
    param, kind = field.param, field.type
    if field.name == "threads":
        kind = int  # an Engine cannot be typed
    elif kind not in (int, float, bool) and not field.choices:
        kind = str
    default: Any = field.default
    if param.none and default is None:
        default = 0
    text, metavar = field.help("0"), param.metavar or "|".join(field.choices)
    if len(metavar) > _WIDEST and field.choices:  # too wide for the column of values
        *first, last = field.choices
        text = f"{text[:-1]}: {', '.join(first)} or {last}."
        metavar = field.option.strip("-").upper()
    if param.methods:
        text = f"{text[:-1]} ({', '.join(param.methods)})."
    negative = param.negative or (f"--no-{field.option[2:]}" if default is True else "")
    names = f"{field.option}/{negative}" if negative else field.option
    settings: dict[str, Any] = {
        "help": text,
        "metavar": metavar or _METAVARS.get(kind, "TEXT"),
        "show_default": param.shown_default or (default is not None and kind is not bool),
        "rich_help_panel": param.panel,
    }
    made = [(field.name, names, settings)]
    made += [(_hidden(old), old, {**settings, "hidden": True}) for old in param.renamed_from]
    annotation = kind if default is not None else kind | None
    return [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=default,
            annotation=Annotated[annotation, typer.Option(option, **how)],
        )
        for name, option, how in made
    ]
