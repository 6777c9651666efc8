"""Word-sense induction: a mixture of bags of context words, learned by EM."""

from __future__ import annotations

from typing import TYPE_CHECKING

from firth._lazy import lazily

if TYPE_CHECKING:
    from firth.senses._contexts import Contexts, ContextWord
    from firth.senses._description import Description
    from firth.senses._em import Mixture, Prior, expected, raised
    from firth.senses._parameters import ReportParameters, SenseParameters
    from firth.senses._report import (
        Sense,
        SenseLine,
        SenseReport,
        check_frequent,
        report_senses,
    )
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
    "check_frequent",
    "expected",
    "raised",
    "report_senses",
]

if not TYPE_CHECKING:
    __getattr__ = lazily(
        __name__,
        _contexts="ContextWord Contexts",
        _description="Description",
        _em="Mixture Prior expected raised",
        _parameters="ReportParameters SenseParameters",
        _report="Sense SenseLine SenseReport check_frequent report_senses",
        _senses="WordSenses",
        _typical="TypicalWord",
    )
