"""Benchmarks run, and compare what they time; how long they take is nobody's test."""

import importlib.util
from pathlib import Path

HERE = Path(__file__).parents[1]


def load(name):
    spec = importlib.util.spec_from_file_location(name, HERE / "benchmarks" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_one_summary_gives_the_models_that_rows_give():
    _, _, *table = load("one_summary").table(400)
    differences = [float(line.split("|")[-2]) for line in table[2:]]
    assert len(differences) == 6
    assert max(differences) < 1e-10


def test_the_readme_shows_the_table_that_the_benchmark_makes():
    shown = (HERE / "README.md").read_text(encoding="utf-8")
    assert all(f"| {name} |" in shown for name in load("one_summary").MODELS)
