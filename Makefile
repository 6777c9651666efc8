# Two commands set up everything: `make demo` and `make test`. Nothing is installed outside .venv.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test lint bench docs experiments clean

demo: .venv/.demo  ## learn from a real corpus and show what there is to see
	$(BIN)/firth demo

test: .venv/.dev  ## all tests
	$(BIN)/python -m pytest -q -n 2 $(TESTS)

lint: .venv/.dev  ## style and types
	$(BIN)/ruff format --check src tests benchmarks docs experiments
	$(BIN)/ruff check src tests benchmarks docs experiments
	$(BIN)/mypy

bench: .venv/.dev .venv/.bench  ## speed and memory, as ratios to peers (needs FIRTH_DATA)
	$(BIN)/python -m benchmarks
	$(BIN)/python -m benchmarks.vectors
	$(BIN)/python -m benchmarks.classes --figure scaling.svg
	$(BIN)/python -m benchmarks.maps
	$(BIN)/python -m benchmarks.tags
	$(BIN)/python -m benchmarks.ner
	$(BIN)/python -m benchmarks.explore --model bench-model

docs: .venv/.docs  ## the documentation as a site, in site/
	$(BIN)/mkdocs build --strict

experiments: .venv/.dev .venv/.plots .venv/.bench  ## the papers' tables, hours (needs FIRTH_DATA); QUICK=--quick: minutes
	$(BIN)/python -m experiments $(QUICK)
	$(if $(QUICK),,$(BIN)/python docs/make_results.py)

clean:
	rm -rf .venv site firth-demo firth-demo.txt bench-model

.venv/bin/python:
	$(PYTHON) -c 'import sys; sys.exit("Firth needs Python 3.11 or newer" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv .venv

.venv/.%: .venv/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[$*$(if $(filter dev,$*),$(comma)demo)]"
	@touch $@

comma := ,
