# Everything a person needs; each target sets up .venv by itself.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

.DEFAULT_GOAL := help

$(READY): pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[test,check]"
	@touch $@

.PHONY: commands dist docs coverage curves gallery dependence edges figures quality quality-quick starts help demo test test-quick test-engines test-browser fresh test-oldest test-pythons mutants fuzz check bench bench-quick bench-engines bench-kernels format clean
help: ## this list
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

demo: $(READY) ## a minute with the library: tables, a calculation, a decision, EM, pictures; in Chinese with LANG=zh_CN.UTF-8
	@$(BIN)/python -m suffice.examples.demo build/demo

SUITE := OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1  # a worker for each core is enough
test: $(READY) ## every test, README and docstring examples included
	@$(SUITE) $(BIN)/python -m pytest -n auto

test-quick: $(READY) ## most mistakes within a minute, for daily work: every test function but slow ones, with fewer cases (tests/quick.py)
	@$(SUITE) $(BIN)/python -m pytest -n auto --quick --durations=10

test-engines: $(READY) ## real servers (PostgreSQL, Spark), which it installs from Debian and PyPI, starts and stops
	@$(BIN)/python tools/debian.py test-engines
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[test,postgres,spark]"
	@SUFFICE_SERVERS=1 $(SUITE) $(BIN)/python -m pytest tests/engines_servers

test-browser: $(READY) ## pages in a real browser, which it installs from Debian and PyPI (chromium, a Chinese font, playwright)
	@$(BIN)/python tools/debian.py test-browser
	@$(MAKE) --no-print-directory docs
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[test,browser]"
	@SUFFICE_BROWSER=1 $(SUITE) $(BIN)/python -m pytest tests/browser

fresh: ## make test and make demo in a fresh clone: no home, fonts, caches or settings of this machine
	@PYTHON=$(PYTHON) tools/fresh.sh

OLDEST_PYTHON ?= python3.11
test-oldest: ## every test with the lowest versions that pyproject.toml allows
	@mkdir -p build
	@$(OLDEST_PYTHON) tools/oldest.py > build/oldest.txt
	@test -x build/oldest/bin/python || $(OLDEST_PYTHON) -m venv build/oldest
	@build/oldest/bin/python -m pip install --quiet --disable-pip-version-check -e ".[test]" -c build/oldest.txt
	@$(SUITE) build/oldest/bin/python -m pytest -n auto -W ignore::DeprecationWarning  # old libraries over newer ones

PYTHONS ?= 3.11 3.12 3.13
test-pythons: ## every test with each Python of 3.11, 3.12 and 3.13 that is on this machine
	@$(SUITE) tools/pythons.sh $(PYTHONS)

mutants: $(READY) ## which small faults the tests would miss; an hour, by hand
	@$(BIN)/python tools/mutants.py src/suffice/families src/suffice/model src/suffice/decisions --count 300 --minutes 60

MINUTES ?= 10
fuzz: $(READY) ## random tables, operations and arguments against an oracle, for ten minutes; make fuzz MINUTES=60 for longer
	@OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/python tests/fuzz/run.py $(MINUTES)

check: $(READY) ## style, types and the order of imports
	@$(BIN)/ruff check src tests benchmarks tools docs/shared/*.py
	@$(BIN)/ruff format --check src tests benchmarks tools docs/shared/*.py
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo

PEERS = $(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[bench]"
bench: $(READY) ## time everything side by side with peers; writes the tables of the pages and of the README
	@$(PEERS) || echo "Some peers cannot be installed here; their rows are left out."
	@$(BIN)/python benchmarks/compare.py --docs docs/shared/generated
	@$(BIN)/python benchmarks/one_summary.py --into README.md README.zh.md
	@$(BIN)/python benchmarks/tuning.py --into docs/shared/generated/tuning.md
	@$(BIN)/python benchmarks/wide_files.py

bench-quick: $(READY) ## the same on smaller data, in two minutes; writes only into build/
	@mkdir -p build
	@$(BIN)/python benchmarks/compare.py --share 0.05 --repeats 1 --turn 0.1 --largest 2e4 --into build --docs build
	@$(BIN)/python benchmarks/one_summary.py --rows 50000

ROWS ?= 2e6
bench-engines: $(READY) ## files, DuckDB, Polars, Dask, Spark (if it is there) and EM over files, side by side; writes docs/shared/generated/engines.md
	@$(BIN)/python benchmarks/engines.py --rows $(ROWS) --into docs/shared/generated/engines.md

bench-kernels: $(READY) ## each compiled kernel beside a matrix product, compiled for several processors
	@$(BIN)/python benchmarks/kernels.py

quality: $(READY) ## how well defaults predict, on real tables that pip fetches; twenty minutes, goes on where it stopped; writes docs/shared/generated/quality.md
	@$(SUITE) PYTHONPATH=benchmarks $(BIN)/python -m quality --into docs/shared/generated/quality.md

starts: $(READY) ## how near mixtures come to the best end known, beside scikit-learn's and StepMix; writes docs/shared/generated/starts.md
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check "stepmix==3.0.0"
	@$(SUITE) $(BIN)/python benchmarks/starts.py --stepmix --into docs/shared/generated/starts.md

dependence: $(READY) ## when it pays that columns depend on each other, on real tables that pip fetches; writes docs/shared/generated/dependence.md
	@$(SUITE) $(BIN)/python benchmarks/dependence.py --into docs/shared/generated/dependence.md

quality-quick: $(READY) ## the same on three bundled tables, without network; writes only into build/
	@mkdir -p build/quality-quick
	@$(SUITE) PYTHONPATH=benchmarks $(BIN)/python -m quality --quick --where build/quality-quick --into build/quality-quick/quality.md

curves: $(READY) ## generative against discriminative with few rows and many; writes docs/shared/generated/curves.md
	@$(SUITE) $(BIN)/python benchmarks/learning_curves.py --into docs/shared/generated/curves.md

BOOK_READY := .venv/.book
$(BOOK_READY): pyproject.toml $(READY)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[test,check,docs]" "sphinx<9.1" "scikit-learn>=1.9"
	@touch $@

docs: $(BOOK_READY) ## the book in English and Chinese, every cell run, into build/docs; offline after the first time
	@$(BIN)/python tools/debian.py docs
	@$(SUITE) $(BIN)/python tools/book.py

gallery: $(READY) ## every picture with the line that draws it; writes the pages of the gallery and docs/shared/gallery/
	@$(BIN)/python tools/gallery.py

commands: $(READY) ## what every command says of itself; writes docs/shared/generated/commands.md
	@$(BIN)/python tools/commands.py

edges: $(READY) ## how many digits hold far from 0, in extreme units and weights; writes docs/shared/generated/edges.md
	@$(BIN)/python benchmarks/edges.py --into docs/shared/generated/edges.md

coverage: $(READY) ## how often intervals of what EM has found hold the truth, in ten minutes; writes docs/shared/generated/coverage.md
	@$(SUITE) $(BIN)/python benchmarks/coverage_em.py --replications 500 --into docs/shared/generated/coverage.md

figures: $(READY) ## the figures of the house, those included that may only fall; make figures WHERE=type_tests for the places
	@$(BIN)/python tools/figures.py $(WHERE)

dist: $(READY) ## sdist and wheel into dist/, and the wheel tried in an environment of its own
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check build
	@$(BIN)/python tools/dist.py

format: $(READY) ## let ruff format the code
	@$(BIN)/ruff check --fix --quiet src tests benchmarks tools docs/shared/*.py
	@$(BIN)/ruff format --quiet src tests benchmarks tools docs/shared/*.py

clean: ## remove the environment and caches
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache build dist
