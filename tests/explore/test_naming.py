"""Naming classes from the page: who may, what is kept, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import firth
from firth.explore import ModelWatcher, make_app
from firth.store import writing
from tests.explore.models import Client, check_headers, check_problem, serving, write_text


def test_names_are_given_with_the_token_alone(own_model: Path) -> None:
    with serving(own_model, edit=True) as address:
        client = Client(address)
        facts, token = client.ask("model"), client.token
        path = firth.load(own_model).classes.paths[0]
        assert facts["edit"] is True
        assert token is not None
        assert len(token) >= 40
        before = client.get("class", path=path)
        for wrong in (None, "", "wrong", token[:-1], token + "x", "\xe9", token.swapcase()):
            client.token = wrong
            check_problem(client.put(path, "a name", facts["version"]), 403)
        client.token = token
        assert firth.load(own_model).names == {}
        answer = client.put(path, "a name")
        assert (answer.status, answer.json) == (200, None)
        check_headers(answer)
        assert firth.load(own_model).names == {path: "a name"}
        after = client.get("class", path=path)
        assert (after.json["label"], after.json["name"]) == ("a name", "a name")
        assert after.json["automatic_label"] == before.json["label"]
        assert after.headers["x-firth-model"] != before.headers["x-firth-model"]
        told = client.ask("tree")
        assert told["named"] == [p == path for p in told["paths"]]
        assert client.ask("word", word=after.json["members"][0]["word"])["word_class"]["label"] == "a name"  # fmt: skip
        assert client.ask("complete", q=path)[0]["label"] == "a name"
        assert client.put(path, "  ").status == 200
        assert firth.load(own_model).names == {}, "an empty name takes it away"
        assert client.get("class", path=path).json == before.json


def test_a_name_never_ends_up_on_another_tree(own_model: Path) -> None:
    with serving(own_model, edit=True) as address:
        client = Client(address)
        facts = client.ask("model")
        text = write_text(own_model.parent / "text.txt", seed=7)
        firth.learn(text, own_model, dim=16, classes=8, min_count=3, threads=1, replace=True)
        check_problem(client.put("0", "old", facts["version"]), 409)
        assert firth.load(own_model).names == {}
        assert client.put("0", "new").status == 200


def test_errors_do_not_tell_where_the_model_lies(own_model: Path) -> None:
    with serving(own_model) as address:
        client = Client(address)
        client.ask("model")
        moved = own_model.rename(own_model.with_name("elsewhere"))
        answer = client.get("model")
        moved.rename(own_model)
    check_problem(answer, 503)
    assert str(own_model.parent) not in answer.body.decode()


def test_names_outlive_the_server_but_tokens_do_not(own_model: Path) -> None:
    with serving(own_model, edit=True) as address:
        token = Client(address).token
        assert Client(address).put("", "everything").status == 200
    with serving(own_model, edit=True) as address:
        client = Client(address)
        facts = client.ask("model")
        assert client.ask("class")["name"] == "everything"
        assert client.token != token
        client.token = token
        answer = client.put("", "x", facts["version"])
        check_problem(answer, 403)
        assert "missing or wrong" in answer.json["error"]
        assert "that firth explore printed" in answer.json["hint"]


NAMED = [
    ("a\x00b\x1b[31mc\n", "ab[31mc"), ("  padded\t", "padded"), ("\u202eevil\u2066", "evil"),
    ("<script>alert(1)</script>", "<script>alert(1)</script>"), ("名前 🌈", "名前 🌈"), ("x" * 200, "x" * 200),
    ("\x00\x01", ""),
]  # fmt: skip


def test_names_are_kept_without_control_characters(own_model: Path) -> None:
    with serving(own_model, edit=True) as address:
        client = Client(address)
        for name, kept in NAMED:
            assert client.put("0", name).status == 200
            assert firth.load(own_model).names == ({"0": kept} if kept else {})
            assert client.ask("class", path="0")["name"] == kept
            told = client.ask("tree")
            label = kept or firth.load(own_model).classes.automatic_label("0")
            assert told["labels"][told["paths"].index("0")] == label
        lone = client.put("0", "\ud800x")
        assert lone.status in (200, 422)
        assert client.ask("class", path="0")["name"] in ("", "x"), "half a character is none"


def test_names_that_cannot_be_given(own_model: Path) -> None:
    with serving(own_model, edit=True) as address:
        client = Client(address)
        headers = {"Content-Type": "application/json"}
        check_problem(client.put("0" * 30, "nowhere"), 404)
        check_problem(client.put("012", "no path"), 422)
        check_problem(client.put("0", "x" * 201), 422)
        for body in (
            b"", b"{", b"[]", b"null", b'"x"', b'{"path": "0"}', b'{"path": 0, "name": "x"}',
            b'{"path": "0", "name": ["x"]}', b"\xff\xfe", b"[" * 8000, b'{"path": "0", "name": "\xff"}',
        ):  # fmt: skip
            answer = client.request("PUT", "/api/name", body, headers)
            assert answer.status in (400, 422), (body[:20], answer)
            check_problem(answer, answer.status)
        with writing(own_model):
            answer = client.put("0", "meanwhile")
            check_problem(answer, 409)
            assert "is writing to" in answer.json["error"]
        assert firth.load(own_model).names == {}
        assert client.put("0", "afterwards").status == 200
        for method in ("POST", "DELETE", "PATCH", "OPTIONS"):
            check_problem(client.request(method, "/api/name", b"{}", headers), 405)


def test_a_foreign_page_cannot_name(own_model: Path) -> None:
    """It knows no token, may not send one unasked, and its plain forms are no JSON with a token."""
    with serving(own_model, edit=True) as address:
        client = Client(address)
        client.token = None
        body = json.dumps({"path": "0", "name": "x"}).encode()
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
            for method in ("POST", "PUT"):
                answer = client.request(
                    method,
                    "/api/name",
                    body,
                    {"Content-Type": kind, "Origin": "http://evil.example"},
                )
                assert answer.status == 403
                check_headers(answer)
        preflight = {
            "Origin": "http://evil.example", "Access-Control-Request-Method": "PUT",
            "Access-Control-Request-Headers": "x-firth-token",
        }  # fmt: skip
        check_problem(client.request("OPTIONS", "/api/name", headers=preflight), 403)
        assert firth.load(own_model).names == {}


def test_without_edit_there_is_no_way_to_name(client: Client, model_path: Path) -> None:
    answer = client.put("0", "x")
    check_problem(answer, 405)
    check_problem(client.request("GET", "/api/name"), 404)
    assert firth.load(model_path).names == {}
    paths = make_app(ModelWatcher(model_path)).openapi()["paths"]
    assert "/api/name" not in paths
    assert all(set(methods) == {"get"} for methods in paths.values())


def test_the_description_of_what_can_be_asked(own_model: Path) -> None:
    described = make_app(ModelWatcher(own_model), edit=True).openapi()
    writing_ones = [
        (path, method)
        for path, methods in described["paths"].items()
        for method in methods
        if method != "get"
    ]
    edits = ("/api/name", "/api/parts/correction", "/api/tag/name")
    assert writing_ones == [(path, "put") for path in edits]
    for methods in described["paths"].values():
        for question in methods.values():
            assert {"200", "403", "404", "422", "503"} <= set(question["responses"])
            for parameter in question.get("parameters", []):
                if (
                    parameter["schema"].get("type") == "string"
                    and "enum" not in parameter["schema"]
                ):
                    assert parameter["schema"]["maxLength"] <= 12_000, "everything is bounded"


def test_the_longest_questions_are_answered_in_time(hostile_client: Client) -> None:
    """The guard would say 503 if anything were quadratic in them."""
    for asked in ("a" * 12_000, "\u0301" * 3_000, "ﷺ" * 1_000, "é" * 10_000, "(" * 12_000):
        hostile_client.problem(404, "word", word=asked)
    for asked in ("\u0301" * 1_000, "ﷺ" * 1_000, "(" * 1_000, ".*" * 500, "\\" * 1_000):
        assert hostile_client.ask("complete", q=asked) == []
    everything = hostile_client.ask("concordance", word="the", n=1000, width=400)
    assert len(everything["lines"]) == 196
