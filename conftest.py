"""Doctests of the pages of the documentation and of the modules."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

HERE = Path(__file__).parent
NEEDED = {
    "docs/pipeline/spacy.md": "spacy",
    "docs/pipeline/gensim.md": "torch",
    "src/firth/integrations/spacy.py": "spacy",
    "src/firth/vectors/_device_kernels.py": "triton",
}
"""Packages that are not installed for all tests; see ``make test-integrations``."""
collect_ignore = [path for path, package in NEEDED.items() if find_spec(package) is None]
collect_ignore.append("docs/conf.py")  # only Sphinx can run it


@pytest.fixture(autouse=True)
def _own_folder(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What an example of a page writes is not written into the repository."""
    if request.path.is_relative_to(HERE / "docs"):
        monkeypatch.chdir(tmp_path)
