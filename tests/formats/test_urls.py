"""What of an address may be shown, and which addresses a model may name."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firth.formats._urls import is_allowed, is_url, local_path, scrubbed, without_secrets


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://anna:hunter2@host/a.txt", "https://host/a.txt"),
        ("https://token@host/a.txt", "https://host/a.txt"),
        ("http://host/a.txt?X-Amz-Signature=hunter2&id=3#part", "http://host/a.txt"),
        ("http://host?sig=hunter2", "http://host"),
        ("http://host/@anna/a.txt", "http://host/@anna/a.txt"),
        ("ftp://anna:hunter2@host/a.txt", "ftp://host/a.txt"),
        ("abfs://box@account.dfs.core.windows.net/a", "abfs://box@account.dfs.core.windows.net/a"),
        ("az://box/a.txt?sv=2024&sig=hunter2", "az://box/a.txt"),
        ("s3://box/part-?.txt", "s3://box/part-?.txt"),
        ("s3://box/a.txt?versionId=3", "s3://box/a.txt?versionId=3"),
        (
            "zip://a.txt::https://anna:hunter2@host/b.zip?key=hunter2",
            "zip://a.txt::https://host/b.zip",
        ),
    ],
)
def test_secrets_are_not_shown(url: str, shown: str) -> None:
    assert without_secrets(url) == without_secrets(shown) == shown
    said = scrubbed(f"403, message='Forbidden', url='{url}'")
    assert "hunter2" not in said
    assert shown.partition("::")[0].partition("?")[0] in said


@given(st.text("abc/@:?=&%", max_size=20))
def test_no_password_is_shown_whatever_follows(rest: str) -> None:
    assert "hunter2" not in without_secrets(f"https://anna:hunter2@host/{rest}?k=hunter2")


def test_what_is_an_address() -> None:
    assert all(map(is_url, ("s3://a/b", "simplecache::s3://a", "zip://a::b.zip", "HTTP://a")))
    assert not any(
        map(is_url, ("a.txt", "/a/b", "C:\\a", "C:/a", "-", "a:b", Path("s3://a"), None))
    )
    assert local_path("file:///a/b*.txt") == local_path("local:///a/b*.txt") == Path("/a/b*.txt")
    assert local_path("file:///C:/a.txt") == Path("C:/a.txt")
    assert local_path("s3://a/b") is None


def test_a_model_may_name_stores_and_web_servers_only() -> None:
    kinds = ("s3", "gs", "gcs", "az", "abfs", "abfss", "http", "https", "hf")
    assert all(is_allowed(f"{kind}://a/b.txt") for kind in kinds)
    wrong = [
        "file:///etc/passwd", "local:///etc/passwd", "/etc/passwd", "memory://a", "reference://a",
        "simplecache::s3://a/b", "zip://a::file:///etc/b.zip", "s3://a/b::file:///etc/passwd",
        "http://a/\n::file:///etc/passwd", "ssh://a/b", "sftp://a/b", "smb://a/b", "dask://a", "s3:", "",
    ]  # fmt: skip
    assert not any(map(is_allowed, wrong))
