# `make demo` and `make test` need no other setup: everything is installed into .venv.
PYTHON ?= python3
BIN := .venv/bin
# without bytecode, every run would compile all tests again
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test test-browser test-integrations test-fast fuzz torture lint smoke lowest wheels release bench docs versions experiments clean

demo: .venv/.demo  ## train on a real corpus and show the results
	$(BIN)/firth demo

test: .venv/.dev  ## run all tests but those in a browser; TESTS=tests/vectors selects some
	$(BIN)/python -m pytest -q -n 2 -m "not browser" $(TESTS)

test-browser: .venv/.dev docs .axe  ## run the tests in a browser (Chromium)
	$(BIN)/python -m pytest -q -n 2 -m browser tests/explore tests/plots tests/test_site.py

.axe:  ## fetch axe-core from npm, which checks the explorer for people who use a keyboard or a screen reader
	@mkdir -p $@.part && cd $@.part && npm pack --silent axe-core@4 > /dev/null && tar xzf axe-core-*.tgz && mv -T ../$@.part ../$@ \
	  || { rm -rf ../$@.part; echo "warning: axe-core cannot be fetched from npm: skipping its tests" >&2; }

test-integrations: .venv/.dev .venv/.integrations  ## run the tests of integrations, with all packages that they are for
	$(BIN)/python -m pytest -q -n 2 tests/integrations tests/gpu src/firth/integrations docs/pipeline

test-fast: .venv/.dev  ## run the tests not marked slow: about a minute once kernels are compiled
	$(BIN)/python -m pytest -q -n 2 --dist loadfile -m "not slow" --hypothesis-profile=fast $(TESTS)

fuzz: .venv/.dev .venv/.atheris  ## load random damaged files for FUZZ=60 seconds, without counting compilation
	$(BIN)/python -m fuzz --seconds $(or $(FUZZ),60)

torture: .venv/.dev  ## let every system call of every stage fail, and kill processes; TORTURE=60 tries a minute
	$(BIN)/python -m tests.torture $(if $(TORTURE),--seconds $(TORTURE))

lint: .venv/.dev  ## check style and types
	$(BIN)/ruff format --check src tests fuzz benchmarks docs experiments tools
	$(BIN)/ruff check src tests fuzz benchmarks docs experiments tools
	$(BIN)/mypy

smoke:  ## install Firth without extras into an empty environment, and try every kind of command
	$(call try_out,.venv-smoke,,.)

lowest:  ## the same with the lowest versions of all dependencies, and with extras (Python 3.11)
	$(call try_out,.venv-lowest,-c .venv-lowest/constraints.txt,".[dask$(comma)images$(comma)remote]")

release:  ## build wheel and sdist, check them, and try them with every Python found here
	$(PYTHON) -m venv .venv-release
	.venv-release/bin/python -m pip install --quiet --disable-pip-version-check build twine
	.venv-release/bin/python tools/release.py

wheels:  ## check that all supported versions of Python can install Firth from wheels alone
	$(PYTHON) tools/check_wheels.py

# Fill the environment $1 with what `pip install $2 $3` brings, and run the smoke test in it.
define try_out
	rm -rf $1
	$(PYTHON) -m venv $1
	$1/bin/python tools/lowest.py > $1/constraints.txt
	$1/bin/python -m pip install --quiet --disable-pip-version-check --only-binary=:all: $2 $3
	$1/bin/python tools/smoke.py
endef

bench: .venv/.dev .venv/.bench  ## measure speed and memory relative to peers (needs FIRTH_DATA)
	$(BIN)/python -m benchmarks.headline
	$(BIN)/python docs/make_benchmarks_picture.py
	$(BIN)/python -m benchmarks
	$(BIN)/python -m benchmarks.vectors
	$(BIN)/python -m benchmarks.classes --figure scaling.svg
	$(BIN)/python -m benchmarks.maps
	$(BIN)/python -m benchmarks.tags
	$(BIN)/python -m benchmarks.ner
	$(BIN)/python -m benchmarks.lm
	$(BIN)/python -m benchmarks.morphs
	$(BIN)/python -m benchmarks.grammar
	$(BIN)/python -m benchmarks.cluster
	$(BIN)/python -m benchmarks.cluster_distributional
	$(BIN)/python -m benchmarks.explore --model bench-model
	$(BIN)/python -m benchmarks.loading bench-model

docs: .venv/.docs  ## build the documentation site in site/
	$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going docs site

versions: .venv/.docs  ## build the site of this version in sites/VERSION, with a menu of all that are there
	$(BIN)/python tools/make_site.py --base $(or $(BASE),/)

experiments: .venv/.dev .venv/.images .venv/.bench  ## reproduce the papers' tables: hours; QUICK=--quick: minutes (needs FIRTH_DATA)
	$(BIN)/python -m experiments $(QUICK)
	$(if $(QUICK),,$(BIN)/python docs/make_results.py)

clean:  ## delete the environments, the site, the demo and the benchmark model
	rm -rf .venv .venv-smoke .venv-lowest .venv-release dist .fuzz-cache site sites jupyter_execute firth-demo firth-demo.txt bench-model bench-model.txt

.venv/bin/python:
	$(PYTHON) -c 'import sys; sys.exit("Firth needs Python 3.11 or newer" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv .venv

# .venv/.NAME records that the extra NAME is installed. The tests also need the demo's corpus.
.venv/.%: .venv/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[$*$(if $(filter dev,$*),$(comma)demo)]"
	@touch $@

.venv/.atheris: .venv/bin/python  # where it can be installed
	-$(BIN)/python -m pip install --quiet --disable-pip-version-check --only-binary=:all: atheris
	@touch $@

comma := ,
