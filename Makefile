# Everything a person needs; each target sets up .venv by itself.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

.DEFAULT_GOAL := help

$(READY): pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[test,check]"
	@touch $@

.PHONY: help demo test fuzz check bench bench-quick bench-kernels format clean
help: ## this list
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

demo: $(READY) ## naive Bayes on two bundled tables: watermelons (in Chinese) and penguins (mixed, missing cells)
	@$(BIN)/python -m suffice.examples.demo

test: $(READY) ## every test, README and docstring examples included
	@OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n auto  # a worker for each core is enough

MINUTES ?= 10
fuzz: $(READY) ## random tables, operations and arguments against an oracle, for ten minutes; make fuzz MINUTES=60 for longer
	@OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/python tests/fuzz/run.py $(MINUTES)

check: $(READY) ## style, types and the order of imports
	@$(BIN)/ruff check src tests benchmarks
	@$(BIN)/ruff format --check src tests benchmarks
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo

bench: $(READY) ## time everything side by side with peers; writes docs/performance.md and a table of the README
	@$(BIN)/python benchmarks/compare.py --docs docs
	@$(BIN)/python benchmarks/one_summary.py --into README.md
	@$(BIN)/python benchmarks/tuning.py --into docs/tuning.md

bench-quick: $(READY) ## the same on smaller data, in two minutes; writes only into build/
	@mkdir -p build
	@$(BIN)/python benchmarks/compare.py --share 0.05 --repeats 1 --turn 0.1 --largest 2e4 --into build --docs build
	@$(BIN)/python benchmarks/one_summary.py --rows 50000

bench-kernels: $(READY) ## each compiled kernel beside a matrix product, compiled for several processors
	@$(BIN)/python benchmarks/kernels.py

format: $(READY) ## let ruff format the code
	@$(BIN)/ruff check --fix --quiet src tests benchmarks
	@$(BIN)/ruff format --quiet src tests benchmarks

clean: ## remove the environment and caches
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache build
