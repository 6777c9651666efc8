"""The parameters of the explorer."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated

from firth.errors import ParameterError
from firth.maps import MapParameters
from firth.parameters import Param, Parameters, Remote

__all__ = ["ExplorerParameters", "check_token"]

_TOKEN = re.compile(r"[\w~.-]{16,200}", re.ASCII)


@dataclass(eq=False, repr=False)
class ExplorerParameters(Parameters):
    """The parameters of ``prepare``, ``serve`` and ``export_page``."""

    owner = "explore"

    words: Annotated[
        int, Param("Number of words in an exported page.", panel="Output", least=1)
    ] = 5_000
    map_words: Annotated[
        int | None,
        Param(
            "Maximum number of words on the map, 0 for no map; by default as many as the map in the model has, "
            f"or {MapParameters.words:,}.",
            panel="Output",
            least=0,
        ),
    ] = None
    edit: Annotated[
        bool, Param("Allow naming of classes and tags in the browser.", panel="Output")
    ] = False
    port: Annotated[
        int | None,
        Param(
            "Port to listen on; by default 8765, or any free one.",
            panel="Output",
            least=1,
            most=65535,
        ),
    ] = None
    host: Annotated[str, Param("Address to listen on.", metavar="ADDRESS", panel="Output")] = (
        "127.0.0.1"
    )
    remote: Remote = False


def check_token(token: str | None) -> None:
    """Raise unless a token can be part of an address, and is not guessed easily."""
    if token is not None and not _TOKEN.fullmatch(token):
        raise ParameterError(
            "The token (FIRTH_TOKEN) must be 16 to 200 letters, digits or characters of -_.~",
            "Make one: python -c 'import secrets; print(secrets.token_urlsafe())'",
        )
