# Two commands on a fresh clone, with nothing but Python 3.11+ and make:
#   make demo    the whole loop on a sample site with known problems
#   make test    run every test
# While you work: make quick (under a minute). Another interpreter: make test PYTHON=python3.13

PYTHON ?= python3
VENV ?= .venv
ARGS ?= --help
# tests/conftest.py says how many workers that is
PYTEST_ARGS ?= -n auto
QUICK := not slow and not network and not postgres and not browser
QUICK_TESTS := $(addprefix tests/,house model spec settings rules reports corpus docs)
# pytest compiles every test module again without its cache, which doubles the time to collect them
export PYTHONDONTWRITEBYTECODE :=

BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
INSTALL_URLSET := $(PIP) install --no-deps --no-build-isolation --editable .
CODE := src tests docs .ci $(wildcard bench) $(wildcard fuzz) $(wildcard suite)
SCANNER := setup.py $(wildcard src/urlset/*/compiled*.p[xy]*)

.DEFAULT_GOAL := help
.PHONY: help demo test quick run lint format docs docs-site new-rule release-check test-windows bench fuzz fuzz-sanitized suite suite-peers clean

help:
	@echo "make demo              run everything on a sample site with known problems"
	@echo "make quick             the tests to run before a push, under a minute"
	@echo "make test              every test (PYTEST_ARGS=... to choose)"
	@echo "make run ARGS=...      the urlset command from this tree"
	@echo "make lint              format, lint, types, layers"
	@echo "make format            rewrite the code in house format"
	@echo "make new-rule CODE=... NAME=...  start a rule; again: what is missing"
	@echo "make docs              the pages generated from the code"
	@echo "make docs-site         the documentation site, into build/site"
	@echo "make test-windows      the local tests with CPython for Windows under Wine"
	@echo "make release-check     build what a release ships, install it afresh and try it"
	@echo "make bench             speed and memory, best and worst (ARGS=\"check build\" to choose)"
	@echo "make fuzz              both scanners on mutated files for SECONDS=60"
	@echo "make suite             urlset on all cases of the public test suite"
	@echo "make suite-peers       other readers, validators and writers on them"
	@echo "make clean             remove the environment and everything built"

demo: $(VENV)/.runtime
	@$(BIN)/python -m urlset demo

run: $(VENV)/.runtime
	@$(BIN)/python -m urlset $(ARGS)

test: $(VENV)/.dev
	$(BIN)/python -m pytest $(PYTEST_ARGS)

# these compute more than they wait, and every worker collects all of them
quick: PYTEST_ARGS := -n 2
quick: $(VENV)/.dev
	HYPOTHESIS_PROFILE=quick $(BIN)/python -m pytest $(PYTEST_ARGS) -m "$(QUICK)" $(QUICK_TESTS)

lint: $(VENV)/.dev
	$(BIN)/ruff format --check $(CODE)
	$(BIN)/ruff check $(CODE)
	$(BIN)/ruff check --quiet --preview --select PLW1514 src
	$(BIN)/mypy $(CODE)
	$(BIN)/lint-imports

format: $(VENV)/.dev
	$(BIN)/ruff check --fix-only $(CODE)
	$(BIN)/ruff format $(CODE)

docs: $(VENV)/.dev
	$(BIN)/python docs/generate.py

docs-site: $(VENV)/.dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --site-dir build/site

test-windows:
	.ci/windows.sh $(FOLDERS)

release-check:
	$(PYTHON) .ci/release_check.py

new-rule: $(VENV)/.dev
	$(BIN)/python docs/new_rule.py $(CODE) $(NAME) $(if $(TOPIC),--topic $(TOPIC))

# bench/run.py makes its own environment: the peers are not among our dependencies
bench: ARGS :=
bench:
	$(PYTHON) bench/run.py $(ARGS)

# also: fuzz-sanitized runs the tests of reading on a scanner built with AddressSanitizer and UBSan
SECONDS ?= 60
fuzz: $(VENV)/.dev
	PYTHONPATH=src:. $(BIN)/python -m fuzz.run --seconds $(SECONDS)

fuzz-sanitized: $(VENV)/.dev
	fuzz/sanitized.sh $(abspath $(BIN))/python

suite: $(VENV)/.dev
	$(BIN)/python suite/run.py --adapter "$(BIN)/python suite/adapters/urlset_check.py"
	$(BIN)/python suite/run.py --writer "$(BIN)/python suite/adapters/write_urlset.py"

# suite/peers.py installs each peer into its own folder below build/suite and writes docs/suite.md
suite-peers: ARGS :=
suite-peers: $(VENV)/.dev
	$(BIN)/python suite/peers.py $(ARGS)

clean:
	rm -rf suite/generated $(VENV) .bench build dist src/urlset.egg-info src/urlset/*/compiled*.so .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find src tests $(wildcard bench) -name __pycache__ -type d -prune -exec rm -rf {} +

# The stamps below make a second run quick; each is renewed when a file it depends on changes.

$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("urlset needs Python 3.11 or newer, this is " + sys.version.split()[0] + "; choose another with PYTHON=python3.x")'
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.runtime: $(VENV)/.made requirements/runtime.txt pyproject.toml src/urlset/version.py $(SCANNER)
	$(PIP) install --require-hashes --no-deps --requirement requirements/runtime.txt
	$(INSTALL_URLSET)
	@touch $@

$(VENV)/.dev: $(VENV)/.made requirements/dev.txt pyproject.toml src/urlset/version.py $(SCANNER)
	$(PIP) install --require-hashes --no-deps --no-compile --requirement requirements/dev.txt
	$(INSTALL_URLSET)
	@touch $@ $(VENV)/.runtime
