"""Benchmarks run, and compare what they time; how long they take is nobody's test."""

import importlib.util
import json
import multiprocessing
import re
import sys
from pathlib import Path

import numpy as np
import pytest

HERE = Path(__file__).parents[1]
GENERATED = HERE / "docs" / "shared" / "generated"


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


def test_the_page_of_starts_has_a_line_for_every_table(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(HERE / "benchmarks")
    page = tmp_path / "starts.md"
    starts = load("starts")
    monkeypatch.setattr(starts, "STARTS", 2)
    starts.main(["--numeric", "iris", "--categorical", "penguins", "--seeds", "1", "--plain", "2", "--into", str(page)])
    assert page.read_text(encoding="utf-8").count("| iris |") == 2
    assert "| penguins | 344 × 2 |" in page.read_text(encoding="utf-8")


def test_the_page_of_dependence_has_a_line_for_every_table(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(HERE / "benchmarks")
    page, dependence = tmp_path / "dependence.md", load("dependence")
    dependence.main(["--tables", "penguins", "--cache", str(tmp_path), "--into", str(page)])
    text = page.read_text(encoding="utf-8")
    assert "| penguins | 344 |" in text
    assert "refused" not in text


def test_ways_to_a_summary_of_files_are_measured(tmp_path, monkeypatch, capsys):
    monkeypatch.syspath_prepend(HERE / "benchmarks")
    page, engines = tmp_path / "page.md", load("engines")
    ways = ["--ways", "scan,ours,sklearn", "--repeats", "1", "--growth", "0.5"]
    monkeypatch.setattr(sys, "argv", ["engines", "--rows", "8000", *ways, "--into", str(page)])
    engines.main()
    text = page.read_text(encoding="utf-8")
    assert "GB are free" in capsys.readouterr().out
    assert all(engines.TITLES[way] in text for way in ("scan", "ours", "sklearn"))
    assert "| 4,000 |" in text
    assert (tmp_path / engines.PICTURE).stat().st_size > 0
    assert set(engines.WAYS) == set(engines.TITLES)


@pytest.fixture
def harness(monkeypatch):
    """The harness in this process: to fork a test run is no part of it."""
    monkeypatch.syspath_prepend(HERE / "benchmarks")
    compare = load("compare")
    for module in (sys.modules["measure"], sys.modules["scaling"]):
        monkeypatch.setattr(module, "alone", lambda work, *arguments: work(*arguments))
    monkeypatch.setattr(sys.modules["measure"], "_peak", lambda *_: 0.0)
    monkeypatch.setattr(sys.modules["measure"], "TURN", 0.0)
    monkeypatch.setattr(sys.modules["measure"], "importing", lambda *_: 0.1)
    return compare


def test_every_task_agrees_with_its_peer_and_is_reported(harness, tmp_path):
    pytest.importorskip("sklearn", minversion="1.8")  # which brought the solver that the peer of QDA is timed with
    results = harness.main(
        ["--share", "0.001", "--repeats", "1", "--largest", "1000", "--into", str(tmp_path), "--docs", str(tmp_path)]
    )
    tasks = sys.modules["tasks"].TASKS
    assert [row["task"] for row in results["tasks"]] == [name for name, task in tasks.items() if task.can_run]
    assert {task.needs for task in tasks.values() if not task.can_run} <= {"pgmpy"}  # which only make bench installs
    assert max(row["difference"] for row in results["tasks"] if row["difference"] is not None) < 1e-6
    assert all(np.isfinite(row["ratio"]) for row in results["tasks"])
    assert json.loads((tmp_path / "results.json").read_text(encoding="utf-8")) == results
    page = (tmp_path / "performance.md").read_text(encoding="utf-8")
    assert all(f"| {row['task']} |" in page for row in results["tasks"])
    assert {"performance.svg", "scaling.svg"} <= {path.name for path in tmp_path.iterdir()}


@pytest.mark.skipif(
    "fork" not in multiprocessing.get_all_start_methods() or not Path("/proc/self/clear_refs").exists(),
    reason="peak memory is read where Linux shows it",
)
def test_peak_memory_is_what_a_call_needs(harness, monkeypatch):
    measure = load("measure")
    task = measure.TASKS["Gaussian NB 150 × 4 fit"]
    wide = type(task)(**vars(task) | {"ours": lambda _data: lambda: np.ones(16_000_000).sum()})
    monkeypatch.setitem(measure.TASKS, "wide", wide)
    assert 100 < measure._peak("wide", 1.0, "ours") < 160  # 122 MB of ones


@pytest.mark.filterwarnings("error")
def test_numbers_hold_at_the_edge_as_promised(monkeypatch):
    monkeypatch.syspath_prepend(HERE / "benchmarks")
    edges = load("edges")
    for edge, (_, promised) in edges.EDGES.items():
        for name in edges.MODELS:
            found = edges.digits(name, edge, 60)
            assert found is not None or promised is None, (name, edge)
            assert found is None or found >= (11 if promised is None else promised), (name, edge, found)


def test_the_page_of_promises_shows_the_table(monkeypatch):
    monkeypatch.syspath_prepend(HERE / "benchmarks")
    shown = (GENERATED / "edges.md").read_text(encoding="utf-8")
    edges = load("edges")
    assert all(f"| {name} |" in shown for name in edges.MODELS)
    assert all(f"| {edge} |" in shown for edge in edges.EDGES)


@pytest.fixture
def quality(monkeypatch):
    monkeypatch.syspath_prepend(HERE / "benchmarks")
    import quality.run

    return quality.run


def test_the_study_of_quality_runs_to_its_page_and_goes_on_where_it_stopped(quality, tmp_path, capsys):
    arguments = ["--quick", "--workers", "1", "--where", str(tmp_path), "--into", str(tmp_path / "quality.md")]
    quality.main([*arguments, "--tables", "iris", "penguins"])
    page = (tmp_path / "quality.md").read_text(encoding="utf-8")
    assert all(f"| {name} |" in page for name in ("iris", "penguins"))
    assert all(heading in page for heading in ("## Every model", "## One label in ten", "## How the goal stands"))
    capsys.readouterr()
    quality.main([*arguments, "--tables", "iris", "penguins"])
    assert "iris: 0 results" in capsys.readouterr().out


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_page_of_quality_says_what_the_study_does(quality, language):
    from quality.data import FEWEST_OF_A_CLASS, MOST_ROWS
    from quality.scores import BINS, LEAST

    said = re.findall(r"[\d.e-]+", (HERE / "docs" / language / "pages" / "quality.md").read_text(encoding="utf-8"))
    assert {str(MOST_ROWS), str(FEWEST_OF_A_CLASS), f"{LEAST:g}", str(BINS)} <= set(said)


def test_results_of_an_earlier_state_stay_where_a_fold_comes_out_the_same(quality, tmp_path, capsys):
    only = ["--quick", "--workers", "1", "--where", str(tmp_path), "--tables", "iris", "--only", "folds/NaiveBayes..$"]
    quality.main(only)
    store = quality.Store(tmp_path / "results")
    records = store.read("iris")
    made = dict(records["folds/NaiveBayes()"])
    for change, kept in ((0.0, True), (0.5, False)):
        losses = [loss + change for loss in made["losses"]]
        store.write("iris", records | {"folds/NaiveBayes()": made | {"stamp": "earlier", "losses": losses}})
        capsys.readouterr()
        quality.main(only)
        found = store.read("iris")["folds/NaiveBayes()"]
        assert (found["stamp"] == "earlier") is kept
        assert found["losses"] == made["losses"]
        assert ("folds/NaiveBayes() holds" in capsys.readouterr().out) is kept
        assert quality.of_state(found, quality.stamp(ours=True))


def test_what_a_source_says_about_itself_is_no_other_state(quality, tmp_path):
    from quality.store import _done

    texts = {
        "plain": "def f(x):\n    if x is None:\n        raise TypeError('none')\n    return x + 1\n",
        "told": '"""What it is."""\n\n\ndef f(x):\n    """One more."""\n    if x is None:\n'
        "        raise TypeError(f'found {x}')\n    return x + 1  # more\n",
        "other": "def f(x):\n    if x is None:\n        raise TypeError('none')\n    return x + 2\n",
    }
    paths = {name: tmp_path / f"{name}.py" for name in texts}
    for name, text in texts.items():
        paths[name].write_text(text, encoding="utf-8")
    assert _done(paths["plain"]) == _done(paths["told"]) != _done(paths["other"])


def test_a_model_that_refuses_is_worse_than_one_that_answers(quality):
    from quality.compare import compared, halves

    answer, worse = {"losses": [0.1, 0.2, 0.3]}, {"losses": [1.1, 1.2, 1.31]}
    results = {
        "a": {"x": answer, "y": worse},
        "b": {"x": answer, "y": {"refused": "SingularError"}},
        "c": {"x": answer},
    }
    assert compared(results, "x", "y").tally == "2 / 0 / 0"
    assert compared(results, "y", "x").worse == ["a (+1.003 ± 0.003)", "b (refused)"]
    assert halves(["c", "B", "a"]) == (["a", "c"], ["B"])


@pytest.fixture
def coverage(monkeypatch):
    monkeypatch.syspath_prepend(HERE / "benchmarks")
    return load("coverage_em")


def covered(page, name, column):
    """A percentage of the table of coverage."""
    [line] = [line for line in page.read_text(encoding="utf-8").splitlines() if line.startswith(f"| {name} |")]
    return float(line.strip("| ").split(" | ")[column].split(" ±")[0])


def test_the_coverage_of_intervals_is_counted(coverage, tmp_path):
    page = tmp_path / "page.md"
    coverage.main(["--replications", "2", "--sizes", "100", "--only", "hidden", "--into", str(page)])
    assert 60 <= covered(page, "hidden labels", 1) <= 100


def test_intervals_of_em_cover_as_promised(coverage):
    page = GENERATED / "coverage.md"
    for name in coverage.CASES:
        found = [covered(page, name, 1 + size) for size in range(len(coverage.SIZES))]
        assert found[-1] > 90
        assert 93 <= found[-1] <= 97 or "half as far apart" in name


def test_scoring_in_sql_answers_what_python_answers(monkeypatch):
    monkeypatch.syspath_prepend(HERE / "benchmarks")
    scoring = load("sql_scoring")
    monkeypatch.setattr(scoring, "LEARNED_FROM", 500)
    differences = [float(line.split("|")[-2]) for line in scoring.table_of(800, repeats=1)[4:]]
    assert len(differences) == len(scoring.MODELS)
    assert max(differences) < 1e-9
    shown = (GENERATED / "sql-scoring.md").read_text(encoding="utf-8")
    assert all(f"| {name} |" in shown for name in scoring.MODELS)
