"""What rows say of two columns at a time: counted, added, taken away, stored, and asked for by name."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suffice import NaiveBayes, collect, load
from suffice.errors import KindError, LargeSummaryWarning, NotInSummaryError, ParameterError
from suffice.families.memberships import memberships
from suffice.families.pairs import PairFamily, pair_moments
from suffice.kernels.moments import every_two
from suffice.model import pairs as bounds
from twins import served_by

KINDS = {"visits": "poisson", "few": "categorical"}
CATEGORIES, NUMBERS = ("colour", "few", "shape"), ("a", "b", "c")


def mixed(rows=80, seed=0, holes=0.15):
    """Numbers, categories and counts that go together, with cells missing anywhere; three classes."""
    rng = np.random.default_rng(seed)
    y = rng.choice(["x", "y", "z"], rows)
    a, shape = rng.normal(size=rows) + (y == "x"), rng.choice(["flat", "round"], rows)
    colour = np.where(rng.random(rows) < 0.6, np.where(shape == "flat", "red", "blue"), "绿")
    table = {"b": 2 * a + rng.normal(size=rows), "colour": colour, "a": a + 2.0 * (shape == "flat"), "shape": shape}
    table |= {"visits": rng.poisson(3, rows) * 1.0, "few": rng.integers(0, 4, rows) * 1.0, "c": rng.normal(5, 2, rows)}
    there = {name: rng.random(rows) >= holes for name in table}
    return pd.DataFrame({name: pd.Series(cells).where(there[name]) for name, cells in table.items()}), y


def of(table, y, rows=slice(None), **options):
    options = {"kinds": KINDS, "pairs": True} | options
    return collect(table.iloc[rows], y[rows], **options)


def assert_counted(summary, table, y, weights=None):
    """By a loop over classes, levels and rows."""
    found, weights = summary.pairs(), np.ones(len(y)) if weights is None else weights
    levels = {name: found.layout.column(name).levels for name in CATEGORIES}
    for k, label in enumerate(summary.classes):
        for first in CATEGORIES:
            for s, level in enumerate(levels[first]):
                mine = (y == label) & (table[first] == level).to_numpy()
                for second in CATEGORIES:
                    counts = [weights[mine & (table[second] == other).to_numpy()].sum() for other in levels[second]]
                    np.testing.assert_allclose(found.counts(first, second)[k, s], counts, atol=1e-12)
                cell = k * len(levels[first]) + s
                for child in NUMBERS:
                    assert_moments(found.given(first, child).statistics, cell, table[[child]], mine, weights)
                there = mine & table["visits"].notna().to_numpy()
                visits = found.given(first, "visits").statistics
                assert visits.counts[cell, 0] == pytest.approx(weights[there] @ table["visits"][there])
        for pair in combinations(NUMBERS, 2):
            for names in (pair, pair[::-1]):
                assert_moments(found.moments(*names), k, table[list(names)], y == label, weights)


def assert_moments(moments, component, cells, mine, weights):
    there = mine & cells.notna().all(axis=1).to_numpy()
    x, w = cells[there].to_numpy(), weights[there]
    np.testing.assert_allclose(moments.seen[component], w.sum(), atol=1e-12)
    if w.sum():
        mean = w @ x / w.sum()
        np.testing.assert_allclose(moments.mean[component], mean, rtol=1e-10, atol=1e-10)
        scatter = (w[:, None] * (x - mean)).T @ (x - mean)
        found = moments.scatter[component]
        np.testing.assert_allclose(found, scatter if found.ndim == 2 else np.diag(scatter), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("path", ["numpy", "compiled"])
@pytest.mark.parametrize("joint", [True, False])
@pytest.mark.parametrize("holes", [0.0, 0.2])
def test_every_pair_is_counted(path, joint, holes):
    table, y = mixed(holes=holes)
    with served_by(path):
        assert_counted(of(table, y, joint=joint), table, y)


def test_a_weight_is_how_often_a_row_counts():
    table, y = mixed()
    weights = np.arange(len(y)) % 3 * 0.5
    found = of(table, y, sample_weight=weights)
    assert_counted(found, table, y, weights)
    twice = np.repeat(np.arange(len(y)), np.arange(len(y)) % 3)
    assert of(table, y, sample_weight=2 * weights) == of(table, y, twice)


@pytest.mark.filterwarnings("ignore::suffice.errors.LostDigitsWarning")
@settings(max_examples=30, deadline=None, derandomize=True)
@given(st.integers(0, 1000), st.integers(1, 79))
def test_rows_are_put_together_and_taken_away(seed, cut):
    table, y = mixed(seed=seed % 7, holes=0.1)
    order = np.random.default_rng(seed).permutation(len(y))
    first, second = order[:cut], order[cut:]
    whole, a, b = (of(table, y, rows, joint=False) for rows in (slice(None), first, second))
    assert a + b == whole == b + a
    assert_same(whole - b, a)


def assert_same(ours, theirs):
    """To nine digits after the point: of rows taken away rounding is left, which is large beside a single row."""
    assert ours.schema.pairs == theirs.schema.pairs
    mine, other = (s.statistics.pairs.arrays() for s in (ours, theirs.onto(ours.schema, ours.classes)))
    for name in {"counts", "seen", "mean", "scatter", "exposure", "log_base"} & {n.split("/")[-1] for n in mine}:
        for key in (key for key in mine if key.split("/")[-1] == name):
            np.testing.assert_allclose(mine[key], other[key], rtol=1e-9, atol=1e-9)


def test_neither_the_order_of_rows_nor_of_columns_matters():
    table, y = mixed()
    order = np.random.default_rng(1).permutation(len(y))
    found = of(table, y)
    assert of(table, y, order) == found
    turned = of(table[table.columns[::-1]], y)
    assert turned == found
    assert turned + found == found + found


def test_batches_bring_levels_of_their_own():
    table, y = mixed()
    order = table["colour"].fillna("~").argsort(kind="stable").to_numpy()  # the last batch has no colour at all
    batches = [(table.iloc[rows], y[rows]) for rows in np.array_split(order, 5)]
    found = collect(iter(batches), kinds=KINDS, pairs=True)
    assert found == of(table, y)
    assert_counted(found, table, y)


def test_a_column_without_any_cell_has_pairs_as_soon_as_cells_come():
    table, y = mixed()
    empty = table.assign(colour=pd.Series([None] * len(y), dtype=object))
    declared = KINDS | {"colour": "categorical"}
    both = of(empty, y, kinds=declared) + of(table, y, kinds=declared)
    np.testing.assert_array_equal(
        both.pairs().counts("colour", "shape"), of(table, y).pairs().counts("colour", "shape")
    )


@pytest.mark.parametrize("joint", [True, False])
def test_whole_numbers_of_few_values_are_categories_and_numbers_until_a_model_decides(joint):
    table, y = mixed()
    table["few"] = 2 * table["few"] + 1  # so that no number is its own place among the levels
    kinds, numeric = {"visits": "poisson", "few": "gaussian"}, of(table, y, kinds=KINDS | {"few": "gaussian"})
    with pytest.warns(match="few different whole numbers"):
        open_ = of(table, y, kinds={"visits": "poisson"}, joint=joint)
    assert_counted(open_, table, y)
    decided = open_.as_numbers(["few"])
    assert decided.marginal() == numeric.marginal()
    assert_same(decided, of(table, y, kinds=kinds, joint=joint))
    more = table.assign(few=np.arange(len(y)) * 1.0)  # too many to be tallied
    assert_same(
        open_ + of(more, y, kinds=kinds, joint=joint),
        of(table, y, kinds=kinds, joint=joint) + of(more, y, kinds=kinds, joint=joint),
    )


def test_files_keep_them(tmp_path):
    table, y = mixed()
    found = of(table, y)
    found.save(tmp_path / "pairs.stats")
    again = load(tmp_path / "pairs.stats")
    assert again == found
    assert again - found.onto(again.schema, again.classes) is not None
    for name, array in found.packed()[1].items():
        np.testing.assert_array_equal(again.packed()[1][name], array)


def test_declared_levels_stay_though_no_row_has_them():
    table, y = mixed()
    declared = KINDS | {"shape": ("categorical", ["flat", "round", "square"])}
    found = of(table, y, kinds=declared).pairs()
    assert found.layout.column("shape").levels == ("flat", "round", "square")
    assert not found.counts("shape", "colour")[:, 2].any()
    assert not found.given("shape", "a").statistics.seen[2::3].any()


def test_levels_and_classes_of_which_no_row_is_left_are_gone():
    table, y = mixed(holes=0.0)
    rest = of(table, y) - of(table, y, (y == "x") | (table["colour"] == "red").to_numpy())
    assert rest == of(table, y, (y != "x") & (table["colour"] != "red").to_numpy())


def test_some_columns_only_and_those_that_have_none():
    table, y = mixed()
    found = of(table, y, pairs=["shape", "a", "b"])
    assert found.schema.pairs == ("a", "b", "shape")
    assert found.pairs().moments("b", "a").weight.sum() > 0
    assert "pairs of a, b, shape" in repr(found)
    with pytest.raises(ParameterError, match="pairs names 'd'"):
        of(table, y, pairs=["d"])
    with pytest.raises(ParameterError, match="pairs must be True, False or a list of columns; found 'a'"):
        of(table, y, pairs="a")
    words = {"one": [1, 2], "two": [0, 1], "x": [0.5, 1.5]}
    with pytest.raises(ParameterError, match="Words in a row of counts"):
        collect(words, ["p", "q"], counts=[["one", "two"]], pairs=["one"])
    assert collect(words, ["p", "q"], counts=[["one", "two"]], pairs=True).schema.pairs == ("x",)


def test_summaries_with_and_without_are_not_put_together():
    table, y = mixed()
    with pytest.raises(KindError, match=r"one keeps those of 'a', 'b'.* the other of none"):
        of(table, y) + of(table, y, pairs=False)
    with pytest.raises(ParameterError, match="Collect it with pairs=True"):
        of(table, y, pairs=False).pairs()
    with pytest.raises(NotInSummaryError):
        of(table, y, slice(10)) - of(table, y)
    assert of(table, y).marginal() == of(table, y, pairs=False).marginal()
    assert of(table, y) != of(table, y, pairs=False)
    assert NaiveBayes.from_summary(of(table, y)).priors_.sum() == 1.0


def test_their_size_is_told_before_it_is_taken(monkeypatch):
    table, y = mixed()
    size = PairFamily.size
    monkeypatch.setattr(bounds, "MANY", 100)
    with pytest.warns(
        LargeSummaryWarning, match=r"'few' \(4 levels\), 'colour' \(3 levels\).*pairs=\[columns\] keeps fewer"
    ):
        of(table, y)
    monkeypatch.setattr(bounds, "MOST", 200)
    monkeypatch.setattr(PairFamily, "statistics", None)  # nothing is counted
    with pytest.raises(
        ParameterError, match=r"Pairs of 7 columns over 3 classes are [\d,]+ numbers.*The widest columns"
    ):
        of(table, y)
    assert size is PairFamily.size


def test_pairs_far_from_their_class_keep_their_digits():
    """Two columns together in a few rows, all of them far from the rest of their class."""
    rng = np.random.default_rng(0)
    x = np.column_stack([rng.normal(0, 1e4, 400), rng.normal(0, 1e4, 400)])
    x[:390, 1] = np.nan
    x[390:] = 1e6 + 1e-3 * rng.normal(size=(10, 2))
    mass, near, off, scatter = every_two(x, np.ones(400))
    both = x[390:] - 1e6
    np.testing.assert_allclose(mass, 10)
    np.testing.assert_allclose((near + off)[0], x[390:].mean(axis=0), rtol=1e-15)
    np.testing.assert_allclose(scatter[0], np.cov(both.T, ddof=0) * 10, rtol=1e-6)


def test_no_pairs_of_a_single_number():
    assert len(pair_moments(np.ones((5, 1)), memberships(np.zeros(5, dtype=int))).weight) == 0
