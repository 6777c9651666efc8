"""Fuzzing: random changes to everything that Firth loads, to find what is not a ``FirthError``.

::

    python -m fuzz --seconds 60                 # all targets
    python -m fuzz --cases 10000 --target counts --target manifest
    python -m fuzz --replay fuzz/crashes/FILE   # a case that was found

There is a target for every part of a model, for checkpoints, for the manifest and its log, and for every
reader of other people's files. A case is a sample with a few changes. The checksums are right
again and, in half of the cases, so are sums, orders and other things that must hold, so that
cases reach the code behind the checks. What can be loaded is used: kernels see every number.

Where Atheris is installed, half of the processes use it for the readers: it changes files further that reached
new code. Cases run in processes of their own, with ``NUMBA_BOUNDSCHECK=1``. A finding is an error that is not a
``FirthError``, a crash, a case that does not end, or one that takes much memory. The smallest case
of each is written to ``fuzz/crashes``, and the tests run it again from then on.
"""

from __future__ import annotations

from fuzz.target import Target

__all__ = ["all_targets"]


def all_targets() -> list[Target]:
    """All targets, those whose modules are missing included."""
    from fuzz import models, readers

    return [*models.targets(), *readers.targets()]
