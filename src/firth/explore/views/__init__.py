"""The views of the explorer.

A view has a ``router`` with its endpoints, and ``exported``, which yields the answers for an exported
page: pairs of an address below ``api/`` and an answer. Endpoints that change the model are in an
``edit_router``, which is used with ``--edit`` only. To add a view, write a module here and one in
``page/``, and add a line to ``VIEWS`` here and in ``page/views.js``.
"""

from firth.explore.views import (
    about,
    classes,
    compare,
    find,
    grammar,
    home,
    lists,
    map,  # noqa: A004
    morphs,
    senses,
    surprise,
    tags,
    words,
)

__all__ = ["VIEWS"]

VIEWS = (
    home,
    words,
    find,
    lists,
    senses,
    classes,
    map,
    morphs,
    tags,
    grammar,
    surprise,
    compare,
    about,
)
