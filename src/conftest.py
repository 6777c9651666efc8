"""Doctests of modules that need packages which are not installed for all tests."""

from __future__ import annotations

from importlib.util import find_spec

collect_ignore = [] if find_spec("spacy") else ["firth/integrations/spacy.py"]
