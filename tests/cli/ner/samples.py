"""Labelled text and text for the tests of the commands."""

from __future__ import annotations

from tests.ner.samples import columns, rule_text

NAMES, DEV = columns(rule_text(4)), columns(rule_text(2, seed=8, first=6))
TEXT = "Mr Rosa Ness was in Bonn .\nThe Weather was fine .\n"
