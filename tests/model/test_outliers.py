"""Rows far out come off again as they came: the rest is what it would have been without them, or a word is said."""

import warnings
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from suffice import LinearDiscriminant, NaiveBayes, QuadraticDiscriminant, collect, load
from suffice.errors import LostDigitsWarning, NotInSummaryError
from suffice.families.gaussian.merging import Twofold


def rows(seed, size=30, holes=0.0, weighted=False, offset=0.0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(size, 3)) @ [[1, 0.3, 0], [0, 1, 0.2], [0, 0, 1e-3]] + offset
    x[rng.random(x.shape) < holes] = np.nan
    return {
        "table": dict(zip("abc", x.T, strict=True)),
        "labels": np.arange(size) % 2,
        "sample_weight": rng.uniform(0.1, 2, size) if weighted else None,
    }


def far(out, holes=0.0):
    cells = np.array([out, -out, np.nan if holes else out])
    return {"table": dict(zip("abc", cells[:, None], strict=True)), "labels": [0], "sample_weight": [1.7]}


def squares(summary):
    return np.concatenate([np.ravel(part.alone().squares()) for part in summary.statistics.parts])


KINDS_OF_ROWS = [{}, {"holes": 0.3}, {"weighted": True}, {"offset": 1e6}]


@pytest.mark.parametrize("joint", [True, False], ids=["together", "alone"])
@pytest.mark.parametrize("sort", KINDS_OF_ROWS, ids=str)
@pytest.mark.parametrize("out", [1e3, 1e9, -1e11])
@pytest.mark.filterwarnings("error")
def test_summaries_that_were_added_come_off_in_any_order(joint, sort, out):
    holes = sort.get("holes", 0)
    a, b = (collect(**rows(seed, **sort), joint=joint) for seed in (1, 2))
    near, further = (collect(**far(size * 1e-3, holes), joint=joint) for size in (out / 7, out))  # in units of column c
    both = a + b
    for rest in (
        a + further + b - further,
        near + a + further + b - near - further,
        further + b + near + a - further - near,
        (a + further) + (b + near) - (near + further),
    ):
        assert rest == both
        np.testing.assert_allclose(squares(rest), squares(both), rtol=1e-10)


@pytest.mark.filterwarnings("ignore::suffice.errors.UndeterminedWarning")  # there are few rows
@pytest.mark.parametrize("model", [NaiveBayes, LinearDiscriminant, QuadraticDiscriminant])
def test_models_of_what_is_left(model):
    a, outlier = collect(**rows(3)), collect(**far(1e8))
    table = rows(4)["table"]
    expected, found = (model.from_summary(some).predict_proba(table) for some in (a, a + outlier - outlier))
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10)


def test_files_keep_what_floats_have_no_room_for(tmp_path):
    a, outlier = collect(**rows(5)), collect(**far(1e8))
    (a + outlier).save(tmp_path / "sum.suffice")
    outlier.save(tmp_path / "outlier.suffice")
    rest = load(tmp_path / "sum.suffice") - load(tmp_path / "outlier.suffice")
    assert rest == a
    np.testing.assert_allclose(squares(rest), squares(a), rtol=1e-10)


def test_columns_by_themselves_keep_it_too():
    a, outlier = collect(**rows(6, holes=0.2)), collect(**far(1e7, holes=0.2))
    assert (a + outlier).marginal() - outlier.marginal() == a.marginal()


@pytest.mark.parametrize("joint", [True, False], ids=["together", "alone"])
@pytest.mark.parametrize("apart", [[1e9], [1e7], [1e9, -1e9, 4e8], [1e17]], ids=str)
def test_rows_that_come_off_in_another_grouping_are_worth_a_word(joint, apart):
    x, y = [*np.arange(10.0), *apart], [0] * 5 + [1] * 5 + [0] * len(apart)
    whole = collect({"x": x, "fine": x[::-1]}, y, joint=joint)
    away = collect({"x": x[10:], "fine": x[::-1][10:]}, y[10:], joint=joint)
    with pytest.warns(LostDigitsWarning, match=r"'x' in class 0: \d.*collect the remaining rows again"):
        whole - away


def test_a_group_that_hides_another():
    """The rounding of one collect is not taken away by another of nearly the same rows."""
    a, hidden, out = [0.0, 1, 2, 3], [5.0, 6], [1e9, -1e9, 3e8]
    one, two = collect({"x": a}, [0] * 4), collect({"x": hidden + out}, [0] * 5)
    with pytest.warns(LostDigitsWarning, match="'x' in class 0"):
        one + two - collect({"x": out}, [0] * 3)


@pytest.mark.parametrize("out", [1e13, 1e15, 1e17])
def test_further_out_than_thirty_digits_reach(out):
    a = collect({"x": np.arange(10.0)}, [0] * 5 + [1] * 5)
    outlier = collect({"x": [out]}, [0])
    with pytest.warns(LostDigitsWarning, match="'x' in class 0"):
        a + outlier - outlier


@pytest.mark.filterwarnings("error")
def test_no_word_where_no_digit_is_lost():
    x = np.random.default_rng(0).normal(size=200)
    whole, y = collect({"x": x}, np.arange(200) % 2), np.arange(200) % 2
    for start in range(0, 180, 20):
        whole = whole - collect({"x": x[start : start + 20]}, y[start : start + 20])
    zeros, ones = collect({"x": [0.0, 0, 0]}, [0, 0, 0]), collect({"x": [1.0, 0.5]}, [0, 0])
    assert zeros + ones - ones == zeros


def test_rows_far_out_that_were_never_there_are_refused():
    a = collect({"x": np.arange(10.0)}, [0] * 10)
    with pytest.raises(NotInSummaryError, match="not in this summary"):
        a - collect({"x": [1e9]}, [0])


def test_few_rows_beside_a_great_mass_come_off_too():
    few = collect({"x": [1.0, 2, 4], "k": ["u", "v", "u"]}, [0, 0, 0])
    many = collect({"x": [1.5, 2.5], "k": ["u", "v"]}, [0, 0], sample_weight=[2e11, 3e11])
    assert few + many - many == few


@pytest.mark.parametrize("change", ["mean", "scatter", "count", "mass"])
@pytest.mark.parametrize("joint", [True, False], ids=["together", "alone"])
def test_summaries_are_compared_by_column_and_class(change, joint):
    """Whatever the units, and however small the class."""
    rng = np.random.default_rng(8)
    y = np.array([0] * 40 + [1] * 4)
    weights = np.where(y == 1, 1e-6, 1e6)
    table = {"income": 1e6 * rng.normal(5, 1, 44), "rate": 1e-6 * rng.normal(size=44), "kind": list("ab" * 22)}
    other = {name: np.array(cells) for name, cells in table.items()}
    masses = weights.copy()
    if change == "mean":
        other["rate"][y == 1] += 1e-12
    elif change == "scatter":
        other["rate"][:40] = np.mean(other["rate"][:40]) + 1.001 * (other["rate"][:40] - np.mean(other["rate"][:40]))
    elif change == "count":
        other["kind"][43] = "a"
    else:
        masses[43] *= 1.001
    one, again, two = (
        collect(*some, joint=joint) if len(some) == 2 else collect(*some[:2], sample_weight=some[2], joint=joint)
        for some in ((table, y, weights), (table, y, weights), (other, y, masses))
    )
    assert one == again
    assert one != two


def test_small_differences_between_columns_that_vary_together():
    """Scatters are compared in standard deviations of both columns."""
    x = np.random.default_rng(9).normal(size=(50, 2)) * [1e6, 1e-6]
    turned = x.copy()
    turned[:, 1] += 1e-8 * 1e-12 * x[:, 0]  # their correlation moves by 1e-8
    assert collect(x, np.zeros(50)) != collect(turned, np.zeros(50))
    assert collect(x, np.zeros(50)) == collect(x[:20], np.zeros(20)) + collect(x[20:], np.zeros(30))


def test_twofold_numbers_are_right_to_thirty_digits():
    rng = np.random.default_rng(10)
    a, b = (rng.normal(size=50) * 10.0 ** rng.integers(-80, 80, 50) for _ in range(2))
    pairs = [
        (Twofold.sum(x, 1e-9 * y), Fraction(float(x)) + Fraction(float(1e-9 * y))) for x, y in zip(a, b, strict=True)
    ]
    for (one, exact), (two, other) in pairwise(pairs):
        for found, wanted in (
            (one + two, exact + other),
            (one - two, exact - other),
            (one * two, exact * other),
            (one / two, exact / other),
        ):
            said = Fraction(float(found.high)) + Fraction(float(found.low))
            assert abs(said - wanted) <= abs(wanted) * Fraction(1, 10**30)


def test_warnings_are_silent_about_other_columns():
    a = collect({"x": np.arange(10.0), "z": np.arange(10.0)}, [0] * 10, joint=False)
    outlier = collect({"x": [1e14], "z": [3.0]}, [0], joint=False)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        a + outlier - outlier
    assert "'x'" in str(said[0].message)
    assert "'z'" not in str(said[0].message)


@pytest.mark.parametrize("joint", [False, True])
@pytest.mark.parametrize("cells", [64, 4096])
@pytest.mark.parametrize("cores", [1, 2, 3, 16])
def test_blocks_of_one_collect_keep_the_digits_of_columns_far_from_0(joint, cells, cores, monkeypatch):
    """Rows sorted by class: no block has rows of both, and blocks lie apart, on however many cores."""
    monkeypatch.setattr("suffice.threads.CORES", cores)
    rng = np.random.default_rng(0)
    near = rng.normal(size=(400, 2)) + np.linspace(0, 5, 400)[:, None]
    far, y = near + 2.0**40, np.repeat(["a", "b"], 200)
    near = far - 2.0**40  # what is left of them, exactly
    monkeypatch.setattr("suffice.arrays.BLOCK_CELLS", cells)
    summaries = [collect(X, y, joint=joint).statistics.parts[0] for X in (near, far)]
    here, there = (part.complete() for part in summaries)
    np.testing.assert_allclose(there.scatter, here.scatter, rtol=1e-12)
    np.testing.assert_allclose(there.mean - 2.0**40, here.mean, rtol=0, atol=2.0**-12)


@pytest.mark.filterwarnings("ignore::suffice.errors.LostDigitsWarning")  # one row is left
@pytest.mark.parametrize("seed", [121, 332, 945, 1092])
def test_a_single_row_that_is_left_is_that_row(seed):
    first, *others = np.random.default_rng(seed).normal(size=36)[[0, 3, 5]]
    row, rest = (collect({"x": cells}, ["a"] * len(cells)) for cells in ([first], others))
    assert row + rest - rest == row
    assert row != collect({"x": [first * (1 + 1e-13)]}, ["a"])


def test_a_column_that_rounding_has_drowned_is_not_called_constant():
    rng = np.random.default_rng(3)
    x, labels = rng.normal(size=40), np.arange(40) % 2
    both = collect({"x": np.append(x, 1e9), "z": np.append(x, 0.0)}, np.append(labels, 0))
    with pytest.warns(LostDigitsWarning, match="column 'x' in class 0"):
        left = both - collect({"x": [1e9], "z": [0.0]}, [0])
    with pytest.warns(LostDigitsWarning, match="no digits of their spread: 'x'") as said:
        found = QuadraticDiscriminant.from_summary(left, estimate="ml")
    assert not any("never varies" in str(one.message) for one in said)
    alone = QuadraticDiscriminant(estimate="ml").fit({"z": x}, labels)
    np.testing.assert_allclose(found.predict_proba({"x": x, "z": x}), alone.predict_proba({"z": x}), rtol=1e-9)


@pytest.mark.filterwarnings("ignore::suffice.errors.LostDigitsWarning")  # one row of each class is left
@pytest.mark.parametrize("seed", [392, 436, 579])
def test_a_row_near_0_that_is_left_among_larger_ones_is_that_row(seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=36)
    n, y = rng.choice([30, 39, 0.5, 11, 14, 23, -1, 35, 34, 31, 21], 36), np.r_[0, 1, rng.integers(0, 2, 36)[2:]]
    rows, rest = (collect({"n": n[part], "x": x[part]}, y[part]) for part in (slice(0, 2), slice(2, None)))
    assert rows + rest - rest == rows
