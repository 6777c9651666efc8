"""Tests run side by side: threads of K-means would only wait for each other."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import sklearn.cluster  # noqa: F401  (its threads can be limited once it is there)
from threadpoolctl import threadpool_limits


@pytest.fixture(autouse=True, scope="session")
def one_thread() -> Iterator[None]:
    with threadpool_limits(1):
        yield
