"""A Griffe extension: docstrings and signatures as they are at run time.

The ``Parameters`` section of an estimator is made from its dataclass when the class is created
(see ``firth.parameters``), so the source text does not contain it.
"""

from __future__ import annotations

import importlib
import inspect
from typing import Any

import griffe


class RuntimeDocstrings(griffe.Extension):  # type: ignore[misc, unused-ignore]
    """Takes docstrings, and signatures that decorators change, from the imported objects."""

    def on_object(self, *, obj: Any, **_: Any) -> None:
        if not (obj.is_class or obj.is_function) or not obj.path.startswith("firth."):
            return
        if any(part.startswith("_") for part in obj.name.split(".")):
            return
        try:
            found: Any = importlib.import_module(obj.module.path)
            for name in obj.path.removeprefix(obj.module.path + ".").split("."):
                found = getattr(found, name)
        except (ImportError, AttributeError):
            return
        text = inspect.getdoc(found) if "__doc__" in vars(found) or obj.is_function else None
        if text and obj.docstring is not None:
            obj.docstring.value = text
        if obj.is_function and hasattr(found, "__signature__"):
            obj.parameters = griffe.Parameters(
                *(
                    griffe.Parameter(
                        parameter.name,
                        kind=getattr(griffe.ParameterKind, parameter.kind.name.lower()),
                        default=None
                        if parameter.default is parameter.empty
                        else repr(parameter.default),
                    )
                    for parameter in inspect.signature(found).parameters.values()
                )
            )
