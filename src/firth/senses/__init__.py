"""The contexts of a word in, its senses out: a mixture of bags of words, by EM."""

from __future__ import annotations

from typing import TYPE_CHECKING

from firth._lazy import lazily

if TYPE_CHECKING:
    from firth.senses._contexts import Contexts, ContextWord
    from firth.senses._description import Description, describe
    from firth.senses._em import Mixture, Prior, expected, learn_mixture, raised
    from firth.senses._lines import lines_at
    from firth.senses._parameters import ReportParameters, SenseParameters
    from firth.senses._report import Sense, SenseLine, SenseReport, report_senses
    from firth.senses._senses import WordSenses
    from firth.senses._typical import TypicalWord

__all__ = [
    "Contexts",
    "ContextWord",
    "Description",
    "Mixture",
    "Prior",
    "ReportParameters",
    "Sense",
    "SenseLine",
    "SenseParameters",
    "SenseReport",
    "TypicalWord",
    "WordSenses",
    "describe",
    "expected",
    "learn_mixture",
    "lines_at",
    "raised",
    "report_senses",
]

__getattr__ = lazily(
    __name__,
    _contexts="ContextWord Contexts",
    _description="Description describe",
    _em="Mixture Prior expected learn_mixture raised",
    _lines="lines_at",
    _parameters="ReportParameters SenseParameters",
    _report="Sense SenseLine SenseReport report_senses",
    _senses="WordSenses",
    _typical="TypicalWord",
)
