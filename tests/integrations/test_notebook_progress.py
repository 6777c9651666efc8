"""Progress in a notebook: one display below the cell, which is updated in place, in a real kernel."""

from __future__ import annotations

import pytest

pytest.importorskip("ipykernel")
nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")

CELL = """
import time
import firth
from firth import progress

with firth.show_progress():
    with progress.stage("counting <words>", 4, "files") as stage:
        for _ in range(4):
            time.sleep(0.25)
            stage.advance(1)
    progress.notice("It is small.", "Take more.")
"""


@pytest.mark.filterwarnings("ignore")
def test_progress_is_one_display_that_changes() -> None:
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(CELL)])
    seen: list[str] = []

    class Client(nbclient.NotebookClient):  # type: ignore[name-defined,misc]
        def process_message(self, msg: dict[str, object], *rest: object) -> object:
            if msg["msg_type"] in ("display_data", "update_display_data"):
                seen.append(msg["content"]["data"]["text/plain"])  # type: ignore[index]
            return super().process_message(msg, *rest)

    Client(notebook, timeout=60).execute()
    (output,) = notebook.cells[0].outputs
    assert output["output_type"] == "display_data"
    html = output["data"]["text/html"]
    assert "counting &lt;words&gt;" in html
    assert "<progress" not in html, "at the end there is no bar"
    assert output["data"]["text/plain"].splitlines()[1:] == ["note It is small.", "hint Take more."]
    assert any("2 of 4 files" in text for text in seen)
