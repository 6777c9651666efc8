"""The views of the page. A new one is a file here, a module in ``page/``, and a line in each list.

A view has a ``router`` with its requests, and ``exported``, which yields the answers that go into a
page without a server: pairs of an address below ``api/`` and an answer. Requests that change the model
are in an ``edit_router``, which is used with ``--edit`` only.
"""

from firth.explore.views import (
    about,
    classes,
    compare,
    grammar,
    map,  # noqa: A004
    senses,
    tags,
    words,
)

__all__ = ["VIEWS"]

VIEWS = (words, senses, classes, map, tags, grammar, compare, about)
