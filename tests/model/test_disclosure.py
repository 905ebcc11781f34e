"""What a summary gives away of single rows: records of one or two, by name; and summaries without them."""

import numpy as np
import pytest

from suffice import NaiveBayes, TreeAugmentedBayes, collect, disclosed, load, suppressed
from suffice.errors import NotInSummaryError, ParameterError
from suffice.model.records import pair_records, records

KINDS = {
    "flag": "binary",
    "wins": ("binomial", 10),
    "visits": "poisson",
    "wait": "exponential",
    "angle": ("von-mises", 2.0),
    "walk": "inverse-gaussian",
    "income": "log-gaussian",
    "tries": ("negative-binomial", 2),
}


@pytest.fixture
def rng():
    return np.random.default_rng(5)


def mixed(rng, rows=80):
    """A table of every kind, with most cells of some columns missing."""
    table = {
        "flag": rng.integers(0, 2, rows).astype(float),
        "wins": rng.integers(0, 11, rows).astype(float),
        "visits": rng.poisson(3, rows).astype(float),
        "wait": rng.exponential(1, rows),
        "angle": rng.uniform(0, 6, rows),
        "walk": rng.wald(1, 2, rows),
        "income": np.exp(rng.normal(size=rows)),
        "tries": rng.poisson(2, rows).astype(float),
        "size": rng.normal(size=rows),
        "mass": rng.normal(size=rows),
    }
    for name in table:
        table[name][6:][rng.random(rows - 6) < 0.9 if name != "size" else slice(0, 0)] = np.nan
    table["色泽"] = rng.choice(["青绿", "乌黑", "浅白", "稀有"], rows, p=[0.5, 0.3, 0.16, 0.04]).tolist()
    return table, np.array(["是", "否"])[rng.integers(0, 2, rows)]


def test_records_of_one_and_two_rows_are_listed_by_class_and_column():
    table = {"色泽": ["青绿"] * 5 + ["乌黑"] + ["青绿"] * 3, "密度": [0.1, 0.2, *[None] * 3, 0.3, 0.4, 0.5, 0.6]}
    found = disclosed(collect(table, ["是"] * 5 + ["否"] * 4))
    assert {(one.label, one.what, one.rows) for one in found.records} == {("否", "色泽 = 乌黑", 1), ("是", "密度", 2)}
    assert "乌黑" in repr(found)


def test_a_class_of_two_rows_is_readable_as_a_whole():
    found = disclosed(collect({"x": [1.0, 2, 3, 4, 5]}, ["a", "a", "b", "b", "b"]))
    assert ("a", "", 2) in {(one.label, one.what, one.rows) for one in found.records}


@pytest.mark.parametrize("joint", [True, False])
@pytest.mark.parametrize("pairs", [True, False])
def test_no_record_of_few_rows_is_left(rng, joint, pairs, tmp_path):
    summary = collect(*mixed(rng), kinds=KINDS, joint=joint, pairs=pairs)
    assert disclosed(summary).records
    rest = suppressed(summary, 5)
    assert not any(records(p.family, p.statistics, p.names).few(5).any() for p in rest.pieces())
    if pairs:
        every = pair_records(rest.family.pairs, rest.statistics.pairs)
        assert not any(((mass > 0) & (mass < 5)).any() for mass in every)
    rest.save(tmp_path / "摘要.stats")
    assert load(tmp_path / "摘要.stats") == rest


def test_it_is_as_if_those_cells_had_been_missing(rng):
    table = {"colour": rng.choice(["red", "blue", "rare"], 60, p=[0.6, 0.35, 0.05]).tolist(), "x": rng.normal(size=60)}
    table["y"] = np.where(rng.random(60) < 0.95, np.nan, rng.normal(size=60))
    table["y"][:3] = [1.0, 2.0, 3.0]
    labels = np.array(["a", "b"] * 30)
    hidden = {name: np.array(cells, dtype=object) for name, cells in table.items()}
    for name, label in ((name, label) for name in table for label in "ab"):
        mine = labels == label
        for value in {"colour": ["red", "blue", "rare"]}.get(name, [None]):
            there = mine & ((hidden[name] == value) if value else ~np.isnan(table[name]))
            if there.sum() < 5:
                hidden[name][there] = None
    hidden = {name: cells.tolist() if name == "colour" else cells.astype(float) for name, cells in hidden.items()}
    assert suppressed(collect(table, labels, joint=False), 5) == collect(hidden, labels, joint=False)


def test_classes_of_few_rows_go_and_none_left_is_refused():
    summary = collect({"x": np.arange(10.0)}, ["a"] * 8 + ["b"] * 2)
    assert suppressed(summary, 5).classes == ("a",)
    with pytest.raises(ParameterError, match="No class has 20 rows"):
        suppressed(summary, 20)
    with pytest.raises(ParameterError, match="must be above 1; found 'x'"):
        suppressed(summary, "x")


def test_what_was_suppressed_adds_but_cannot_be_subtracted_from(rng):
    summary = collect(*mixed(rng), kinds=KINDS)
    rest = suppressed(summary, 5)
    assert (rest + summary).schema.suppressed == 5
    for first, second in ((rest, summary), (summary, rest)):
        with pytest.raises(NotInSummaryError, match="nothing can be subtracted exactly"):
            first - second


def test_models_are_fitted_from_what_is_left(rng):
    table, labels = mixed(rng)
    rest = suppressed(collect(table, labels, kinds=KINDS, pairs=True), 3)
    for model in (NaiveBayes, TreeAugmentedBayes):
        assert np.isfinite(model.from_summary(rest).predict_proba(table)).all()
