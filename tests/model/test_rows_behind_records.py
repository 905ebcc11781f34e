"""Records go by the number of rows behind them, not by their weight; what nobody has counted is said to be unknown."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import polars as pl
import pytest

import suffice.store
from suffice import NaiveBayes, collect, compare, disclosed, evidence_of_columns, load, suppressed
from suffice.data.kinds import KINDS
from suffice.errors import KindError, LostDigitsWarning, NotInSummaryError, SuppressedWarning, SuppressionError
from suffice.families.kinds import register_kind
from suffice.families.protocol import Family
from suffice.families.rates.poisson import Poisson
from suffice.model.summary import Summary

NOTHING = "No record is of fewer than 3 rows."


def listed(found):
    return {(one.label, one.what, one.rows) for one in found.records}


# by rows, whatever they weigh


@pytest.mark.parametrize("weight", [5.0, 1e6, 0.2, 3.7])
@pytest.mark.parametrize("joint", [True, False])
def test_one_row_is_one_row_whatever_it_weighs(weight, joint):
    table = {"x": [1.0, 2.5, 3, 4, 5.5, 6, 77.7], "town": [*"aaaaaa", "HIV"]}
    found = collect(table, ["well"] * 6 + ["ill"], sample_weight=[1] * 6 + [weight], joint=joint)
    assert {("ill", "", 1), ("ill", "town = HIV", 1), ("ill", "x", 1)} <= listed(disclosed(found))
    rest = suppressed(found, 5)
    assert rest.classes == ("well",)
    assert not disclosed(rest).records


def test_many_rows_of_little_weight_are_many():
    found = collect(
        {"x": np.arange(10.0) / 3, "t": ["a"] * 10}, ["p"] * 10, sample_weight=np.full(10, 0.2), joint=False
    )
    assert not disclosed(found).records
    assert suppressed(found, 10).n == pytest.approx(2)


@pytest.mark.parametrize(
    "kind",
    ["poisson", "exponential", "inverse-gaussian", "log-gaussian", ("von-mises", 2), ("binomial", 90), "binary"],
)
def test_a_heavy_cell_of_a_single_row_is_listed_for_every_kind(kind):
    cells = np.array([np.nan] * 7 + [1.0])
    table = {"x": cells, "other": [0.5, 1, 2, 3, 4, 5, 6, 7.5]}
    found = collect(table, ["p"] * 8, kinds={"x": kind}, sample_weight=[1] * 7 + [40.0], joint=False)
    named = {what for _, what, rows in listed(disclosed(found)) if rows == 1}
    assert any(what.startswith("x") for what in named)
    assert not disclosed(suppressed(found, 3)).records


def test_a_row_of_weight_0_is_no_row():
    found = collect({"t": ["a"] * 5 + ["b"]}, ["p"] * 6, sample_weight=[2.0] * 5 + [0.0])
    assert disclosed(found).rows == 5


@pytest.mark.parametrize("times", [3, 37])
def test_a_word_that_one_row_has_is_listed_however_often_it_stands_there(times):
    table = {"a": [1] * 9 + [0], "rare": [0] * 9 + [times]}
    found = collect(table, ["w"] * 10, kinds="counts")
    assert any(what.endswith("rare") and rows == 1 for _, what, rows in listed(disclosed(found)))
    assert "rare" not in suppressed(found, 5).schema.names


def test_numbers_of_rows_add_and_come_off_whatever_the_order():
    rng = np.random.default_rng(3)
    parts = [
        collect(
            {"x": rng.normal(size=20), "c": rng.choice(list("abc"), 20)}, [0, 1] * 10, sample_weight=rng.random(20) * 9
        )
        for _ in range(3)
    ]
    rest = (parts[0] + parts[1] + parts[2]) - parts[1]
    assert disclosed(rest).rows == 40
    assert listed(disclosed(rest)) == listed(disclosed(parts[2] + parts[0]))


def test_half_of_a_weight_taken_away_leaves_an_unknown_number_of_rows():
    whole = collect({"x": [1.0, 2, 3, 4]}, ["p"] * 4, sample_weight=[2.0] * 4)
    half = collect({"x": [1.0, 2, 3, 4]}, ["p"] * 4)
    rest = whole - half
    assert rest == half
    assert "is not known" in repr(disclosed(rest))
    with pytest.raises(SuppressionError, match="not known"):
        suppressed(rest, 2)


def test_a_file_of_an_older_version_says_that_nobody_has_counted(tmp_path, monkeypatch):
    summary = collect({"x": [1.0, 2, 3, 4, 5], "t": list("aabbb")}, ["p"] * 5, joint=False)
    header, arrays = summary.packed()
    old = {name: array for name, array in arrays.items() if not name.endswith(("rows", "rows_behind"))}
    monkeypatch.setattr(suffice.store, "VERSION", 1)
    suffice.store.write(tmp_path / "old.stats", {"holds": "summary", **header}, old)
    monkeypatch.undo()
    again = load(tmp_path / "old.stats")
    assert again == summary
    assert disclosed(again).rows is None
    assert "is not known" in repr(disclosed(again))
    with pytest.raises(SuppressionError, match="an older version wrote it"):
        suppressed(again)
    assert disclosed(again + summary).rows is None


def test_numbers_of_rows_are_kept_in_files_once(tmp_path):
    table = {"x": [1.0, 2, 3, 4, 5], "t": list("aabbb")}
    for weights in (None, [1.0, 2, 3, 4, 5.5]):
        summary = collect(table, ["p"] * 5, sample_weight=weights, pairs=True)
        summary.save(tmp_path / "s.stats")
        assert listed(disclosed(load(tmp_path / "s.stats"))) == listed(disclosed(summary))
    assert not any(name.endswith("rows_behind") for name in collect(table, ["p"] * 5, pairs=True).packed()[1])


def test_engines_count_rows_without_weights_and_say_so_with_them():
    frame = pl.DataFrame({"t": ["a"] * 6 + ["b"], "x": [1.5, 2, 3, 4, 5, 6, 7], "y": ["p"] * 7, "w": [2.5] * 7})
    assert ("p", "t = b", 1) in listed(disclosed(collect(frame.lazy().drop("w"), "y")))
    weighted = collect(frame.lazy(), "y", sample_weight="w")
    assert disclosed(weighted).rows is None
    here = collect(frame.lazy(), "y", sample_weight="w", where="here")
    assert ("p", "t = b", 1) in listed(disclosed(here))


# what nobody knows is refused


@dataclass(frozen=True)
class Strange(Family):
    """Counts of its own, in a family that does not say what they keep."""

    inner: Family

    columns = property(lambda self: self.inner.columns)
    about = "rates"

    def statistics(self, block, memberships):
        return self.inner.statistics(block, memberships)

    def take(self, columns: Sequence[int]):
        return Strange(self.inner.take(columns))

    def __getattr__(self, name):
        return getattr(self.inner, name)


for member in Family.__abstractmethods__ - {"columns", "statistics", "take"}:
    setattr(Strange, member, (lambda name: lambda self, *given: getattr(self.inner, name)(*given))(member))
Strange.__abstractmethods__ = frozenset()


@pytest.fixture
def strange():
    register_kind("strange", lambda block: Strange(Poisson(len(block.columns))))
    yield
    del KINDS["strange"]


@pytest.mark.usefixtures("strange")
def test_a_family_that_does_not_say_what_it_keeps_is_unknown_and_refused():
    found = collect({"x": [1.0, 2, 3, 4, 5, 6], "z": [1.0] * 6}, ["p"] * 6, kinds={"x": "strange"}, joint=False)
    assert disclosed(found).unknown == ("x",)
    assert "is not known" in repr(disclosed(found))
    with pytest.raises(SuppressionError, match=r"kind 'strange' .'x'. cannot be suppressed"):
        suppressed(found, 5)


# names


@pytest.mark.parametrize("pairs", [True, False])
@pytest.mark.parametrize(
    ("table", "kinds"),
    [
        ({"t": pd.Categorical(["a"] * 9 + ["SECRETLEVEL"])}, None),
        ({"t": ["a"] * 9 + ["SECRETLEVEL"]}, {"t": ("categorical", ["a", "b", "SECRETLEVEL"])}),
        ({"t": ["a"] * 9 + ["SECRETLEVEL"], "u": list("xy") * 5}, None),
    ],
)
def test_names_of_what_was_dropped_are_not_in_the_file(table, kinds, pairs, tmp_path):
    found = collect(pd.DataFrame(table), ["w"] * 10, kinds=kinds, pairs=pairs)
    rest = suppressed(found, 5)
    rest.save(tmp_path / "s.stats")
    assert b"SECRETLEVEL" not in (tmp_path / "s.stats").read_bytes()
    assert (rest + found).schema.suppressed == 5
    assert load(tmp_path / "s.stats") == rest


def test_names_of_words_and_classes_that_were_dropped_are_not_in_the_file(tmp_path):
    table = {"common": [1, 2] * 6, "SECRETWORD": [0] * 11 + [9]}
    found = collect(pd.DataFrame(table), ["w"] * 10 + ["SECRETCLASS"] * 2, kinds="counts")
    grouped = collect(pd.DataFrame(table | {"x": np.arange(12) + 0.5}), ["w"] * 12, counts=[["common", "SECRETWORD"]])
    for one in (found, grouped):
        rest = suppressed(one, 5)
        rest.save(tmp_path / "s.stats")
        assert b"SECRET" not in (tmp_path / "s.stats").read_bytes()
        assert set((rest + one).schema.names) == set(one.schema.names)


def test_a_declared_list_stays_where_nothing_of_it_was_dropped():
    found = collect({"t": ["a"] * 9}, ["w"] * 9, kinds={"t": ("categorical", ["a", "b"])})
    assert suppressed(found, 5).schema.columns[0].declared == ("a", "b")


# sums that tell of single cells


@pytest.mark.parametrize(
    "kind", ["poisson", ("binomial", 30), ("negative-binomial", 2), ("gamma", 3.0), "logit-gaussian"]
)
def test_suppression_drops_sums_that_only_evidence_needs_and_evidence_says_so(kind):
    rng = np.random.default_rng(1)
    cells = rng.uniform(0.1, 0.9, 12) if kind == "logit-gaussian" else rng.integers(1, 20, 12).astype(float)
    rest = suppressed(collect({"x": cells}, [0, 1] * 6, kinds={"x": kind}), 5)
    beside = [array for name, array in rest.packed()[1].items() if name.endswith(("log_base", "logs"))]
    assert beside
    assert not any(array.any() for array in beside)
    with pytest.warns(SuppressedWarning, match="ln h of every row of 'x'"):
        evidence_of_columns(NaiveBayes(), rest)
    with pytest.warns(SuppressedWarning, match="compare it only with"):
        compare([NaiveBayes()], rest)


def test_what_cells_in_other_units_add_to_a_density_tells_no_more_than_their_means():
    few = np.where(np.arange(24) % 2 == 0, np.nan, np.exp(np.arange(24) / 7))
    few[0] = 3.25
    found = collect({"x": few, "z": np.exp(np.arange(24) / 5)}, [0, 1] * 12, kinds="log-gaussian")
    [piece] = suppressed(found, 5).pieces()
    assert piece.volume.logs[0, 0] == 0 == piece.statistics.seen[0, 0]
    np.testing.assert_allclose(piece.volume.logs, piece.statistics.seen * piece.statistics.mean, rtol=1e-12)


@pytest.mark.parametrize("kind", ["log-gaussian", "logit-gaussian", ("von-mises-degrees", 2.0)])
@pytest.mark.parametrize("scale", [1e-3, 1e9])
def test_what_cells_in_other_units_add_to_a_density_comes_off_heavy_rows_again(kind, scale):
    rng = np.random.default_rng(5)
    light, heavy = (
        collect({"x": rng.uniform(0.1, 0.9, 12)}, [0, 1] * 6, kinds={"x": kind}, sample_weight=rng.random(12) * by)
        for by in (1.0, scale * 1e3)
    )
    [volume], [left] = light.statistics.volumes, ((light + heavy) - heavy).statistics.volumes
    assert volume.logs.any()
    np.testing.assert_allclose(left.logs, volume.logs, rtol=1e-12)
    assert not (light - light).statistics.volumes[0].logs.any()


def test_values_of_counts_cannot_be_read_from_the_sum_of_their_factorials():
    """The attack: whole numbers with this sum and this Σ ln x! were unique in most tables."""
    cells = np.array([0.0, 3, 7, 12, 19])
    [piece] = suppressed(collect({"x": cells}, ["p"] * 5, kinds={"x": "poisson"}), 5).pieces()
    assert piece.statistics.counts == [[41]]
    assert not piece.statistics.log_base.any()


@pytest.mark.filterwarnings("ignore::suffice.errors.KindHint")
def test_a_rare_value_cannot_be_had_as_the_mean_less_the_tally():
    """The attack: moments of all rows, less those of the values that a tally still has."""
    found = collect({"x": [1.0] * 9 + [2.0] * 9 + [7.0], "z": np.arange(19) / 7}, ["p"] * 19)
    assert found.schema.tallied == ("x",)
    assert suppressed(found, 5).schema.tallied == ()


def test_a_dropped_level_cannot_be_had_as_the_class_less_the_other_levels():
    """The attack: moments of a class, less those of its rows of every level that is kept."""
    table = {"x": np.append(np.arange(20) / 3, 99.5), "town": ["A"] * 20 + ["B"]}
    pairs = suppressed(collect(table, ["p"] * 21, pairs=True), 5).statistics.pairs
    assert not any(part.weight.any() and part.seen.any() for parts in pairs.given for part in parts)


def test_what_all_rows_of_a_class_share_is_listed_and_stays():
    table = {"a": ["yes"] * 4 + ["no", "yes"] * 3, "x": [7.0] * 4 + [1, 2, 3, 4, 5, 6.5]}
    found = disclosed(collect(table, ["ill"] * 4 + ["well"] * 6, joint=False))
    assert {(one.label, one.what, one.rows) for one in found.alike} >= {("ill", "a = yes", 4)}
    assert all(one.label == "ill" for one in found.alike)
    assert "all rows of the class" in repr(found)


# two summaries


@pytest.mark.parametrize("weights", [None, np.linspace(0.5, 9, 30)])
@pytest.mark.parametrize("drop", [0, 5])
def test_what_two_summaries_differ_by_is_listed_suppressed_or_not(weights, drop):
    rng = np.random.default_rng(8)
    table = {"x": rng.normal(size=30), "t": ["a"] * 15 + ["b"] * 15}

    def of(rows):
        some = {name: np.asarray(cells)[rows] for name, cells in table.items()}
        found = collect(some, np.array(["p"] * 30)[rows], sample_weight=None if weights is None else weights[rows])
        return suppressed(found, drop) if drop else found

    found = disclosed(of(np.arange(30)), of(np.arange(29)))
    assert {("p", "", 1), ("p", "t = b", 1), ("p", "x", 1)} == listed(found)
    assert found.rows == 1
    assert not disclosed(of(np.arange(30)), of(np.arange(30))).records


# weights of very different size, and declared lists


@pytest.mark.parametrize("seed", range(6))
def test_light_summaries_outlive_heavy_ones(seed):
    rng = np.random.default_rng(seed)

    def some(scale):
        table = {
            "x": rng.normal(size=12),
            "c": rng.choice(list("abc"), 12),
            "n": rng.poisson(3, 12).astype(float),
            "w": rng.exponential(size=12),
            "d": rng.uniform(0, 6, 12),
            "b": rng.integers(0, 2, 12).astype(float),
        }
        kinds = {"n": "poisson", "w": "log-gaussian", "d": ("von-mises", 2.0), "b": "binary"}
        return collect(table, rng.integers(0, 3, 12), kinds=kinds, sample_weight=rng.random(12) * scale, pairs=True)

    light, heavy = some(10 ** rng.uniform(-3, 0)), some(10 ** rng.uniform(6, 12))
    for rest in ((light + heavy) - heavy, (heavy + light) - heavy):
        assert rest == light
        assert rest.classes == light.classes


def test_rows_that_come_off_heavy_ones_they_were_collected_with_are_worth_a_word():
    x, y = np.arange(6.0), [0, 0, 1, 1, 1, 1]
    weights = np.array([0.1, 0.2, 0.1, 0.2, 0.1e12, 0.3e12])
    whole = collect({"x": x}, y, sample_weight=weights)
    with pytest.warns(LostDigitsWarning) as said:
        whole - collect({"x": x[4:]}, y[4:], sample_weight=weights[4:])
    assert any("few digits of the weight of class 1 (" in str(one.message) for one in said)


def test_rows_that_were_never_there_are_still_refused():
    light = collect({"x": [1.0, 2]}, [0, 1], sample_weight=[0.1, 0.2])
    with pytest.raises(NotInSummaryError):
        light - collect({"x": [1.0, 2]}, [0, 1], sample_weight=[0.3, 0.2])


@pytest.mark.parametrize("second", [["x", "z"], ["x"], ["x", "y", "z"]])
def test_lists_that_were_declared_differently_are_refused(second):
    def of(levels):
        return collect({"c": ["x"] * 4}, [0, 1] * 2, kinds={"c": ("categorical", levels)})

    with pytest.raises(KindError, match=r"Column 'c' is declared with the values 'x', 'y' in one"):
        of(["x", "y"]) + of(second)
    assert isinstance(of(["x", "y"]) + of(["y", "x"]), Summary)


def test_a_column_of_which_no_level_is_left_discloses_nothing():
    rows = collect({"town": ["A", "B", "C"] * 2, "x": np.arange(6.0) ** 2}, ["w"] * 6)
    assert not disclosed(suppressed(rows, 5)).records
