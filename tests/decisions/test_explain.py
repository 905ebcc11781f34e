"""Explanations add up to the model's own log odds, and missing cells say nothing."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suffice import (
    GaussianDiscriminant,
    LinearDiscriminant,
    NaiveBayes,
    NearestMean,
    QuadraticDiscriminant,
    example,
    explain,
    nomogram,
    plots,
)
from suffice.errors import ParameterError

COLUMNS, SPECIES = example("penguins")
NUMBERS = {name: COLUMNS[name] for name in ("bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g")}
MIXED = NaiveBayes(kinds={"year": "poisson"})
JOINT = NaiveBayes(kinds={"year": ("binomial", 3000)}, joint=[["bill_length_mm", "body_mass_g"]])
MODELS = [
    (MIXED, COLUMNS),
    (NaiveBayes(kinds={"year": "poisson"}, estimate="predictive"), COLUMNS),
    (JOINT, COLUMNS),
    (LinearDiscriminant(), NUMBERS),
    (QuadraticDiscriminant(), NUMBERS),
    (GaussianDiscriminant("spherical", estimate="predictive"), NUMBERS),
    (GaussianDiscriminant("diagonal", estimate="predictive"), NUMBERS),
    (NearestMean(), NUMBERS),
]


@pytest.mark.parametrize("in_turn", [False, True])
@pytest.mark.parametrize(("model", "table"), MODELS, ids=lambda case: type(case).__name__)
def test_terms_add_up_to_the_log_odds(model, table, in_turn):
    model.fit(table, SPECIES)
    found = explain(model, table, between=("Gentoo", "Adelie"), in_turn=in_turn)
    joint = model.log_joint(table)
    np.testing.assert_allclose(found.log_odds, joint[:, 2] - joint[:, 0], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("in_turn", [False, True])
def test_a_missing_cell_contributes_exactly_nothing(in_turn):
    found = explain(JOINT.fit(COLUMNS, SPECIES), COLUMNS, ("Gentoo", "Adelie"), in_turn)
    for name, term in found.terms.items():
        columns = name.split(", ")
        gone = np.all([[cell is None or cell != cell for cell in COLUMNS[column]] for column in columns], axis=0)
        assert (term[gone] == 0).all()
        assert (term[~gone] != 0).mean() > 0.9


def test_columns_modelled_together_share_a_term_or_take_turns():
    model = JOINT.fit(COLUMNS, SPECIES)
    together, turns = (explain(model, COLUMNS, ("Gentoo", "Adelie"), in_turn).terms for in_turn in (False, True))
    pair = turns["bill_length_mm"] + turns["body_mass_g"]
    np.testing.assert_allclose(together["bill_length_mm, body_mass_g"], pair)


def test_two_classes_need_no_naming():
    melons, good = example("watermelon")
    found = explain(NaiveBayes(kinds={"编号": "ignore"}).fit(melons, good), melons)
    assert found.between == ("是", "否")
    assert "纹理" in repr(found)


@pytest.mark.parametrize("between", [None, ("Gentoo", "Emperor")])
def test_classes_must_be_named_and_known(between):
    with pytest.raises(ValueError, match=r"between which two|no class 'Emperor'"):
        explain(MIXED.fit(COLUMNS, SPECIES), COLUMNS, between)


def test_reading_a_row_off_the_nomogram_gives_its_log_odds():
    model = NaiveBayes(kinds={"year": "categorical"}, smoothing=2.0).fit(COLUMNS, SPECIES)
    found = nomogram(model, COLUMNS, between=("Gentoo", "Adelie"))
    island, mass = found.scales["island"], found.scales["body_mass_g"]
    row = {"island": ["Dream"], "body_mass_g": [mass.values[7]], "sex": [None], "year": [None]}
    row |= {name: [None] for name in ("bill_length_mm", "bill_depth_mm", "flipper_length_mm")}
    read = found.prior + island.points[island.values.index("Dream")] + mass.points[7]
    joint = model.log_joint(row)[0]
    assert read == pytest.approx(joint[2] - joint[0], rel=1e-12)


def test_scales_have_every_count_from_the_least_to_the_most_and_know_which_values_lie_between_others():
    table = {"visits": [2, 0, 5, 3], "height": [1.0, 2.0, 4.0, 3.5], "colour": ["red", "blue", "red", "blue"]}
    found = nomogram(NaiveBayes(kinds={"visits": "poisson"}).fit(table, list("aabb")), table, ("a", "b")).scales
    assert found["visits"].values == (0, 1, 2, 3, 4, 5)
    assert (found["height"].values[0], found["height"].values[-1]) == (1.0, 4.0)
    assert {name: scale.ordered for name, scale in found.items()} == {"visits": True, "height": True, "colour": False}


def test_columns_modelled_together_have_no_nomogram():
    with pytest.raises(ValueError, match="modelled together"):
        nomogram(JOINT.fit(COLUMNS, SPECIES), COLUMNS, ("Gentoo", "Adelie"))


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(["ml", "map", "mean", "predictive"]), st.booleans())
def test_any_model_of_any_rows_adds_up(seed, estimate, in_turn):
    rng = np.random.default_rng(seed)
    y = np.arange(30) % 2
    table = {"n": rng.normal(size=30) + y, "m": rng.normal(size=30), "p": rng.poisson(2 + y, 30) * 1.0}
    table |= {"e": rng.exponential(1 + y), "c": rng.choice(["甲", "乙", "丙"], 30).astype(object)}
    model = NaiveBayes(kinds={"p": "poisson", "e": "exponential"}, joint=[["n", "m"]], estimate=estimate).fit(table, y)
    holed = {name: np.where(rng.random(30) < 0.3, None, cells) for name, cells in table.items()}
    found, joint = explain(model, holed, (1, 0), in_turn), model.log_joint(holed)
    np.testing.assert_allclose(found.log_odds, joint[:, 1] - joint[:, 0], rtol=1e-12, atol=1e-12)


# Gaussian columns that are modelled together


def gaussians(seed: int, columns: int, shared: bool = False, correlated: bool = True, **options):
    """Means, covariances (a matrix for each class, or one) and rows with holes."""
    rng = np.random.default_rng(seed)
    means = rng.normal(size=(2, columns)) * 2 + rng.normal(size=columns) * options.get("far", 0.0)
    roots = rng.normal(size=(1 if shared else 2, columns, columns))
    covariances = roots @ roots.transpose(0, 2, 1) + 0.5 * np.eye(columns)
    if not correlated:
        covariances = covariances * np.eye(columns)
    rows = means[0] + 3 * rng.normal(size=(12, columns))
    rows[4:][rng.random((8, columns)) < 0.3] = np.nan
    return means, covariances, rows


def given_gaussians(means, covariances):
    return GaussianDiscriminant.from_parameters(
        means, dict(enumerate(covariances)) if len(covariances) > 1 else covariances[0]
    )


@pytest.mark.parametrize("far", [0.0, 1e6])
@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("columns", [1, 2, 3, 5])
def test_terms_of_columns_and_pairs_are_the_quadratic_form(columns, shared, far):
    means, covariances, rows = gaussians(columns, columns, shared, far=far)
    found = explain(given_gaussians(means, covariances), rows, (0, 1)).terms
    middle, half = means.mean(axis=0), (means[0] - means[1]) / 2
    names = [f"x{j}" for j in range(columns)]
    assert set(found) >= set(names)
    for n, row in enumerate(rows):
        here = np.flatnonzero(~np.isnan(row))
        if not len(here):
            continue
        a, b = (np.linalg.inv(matrix[np.ix_(here, here)]) for matrix in (covariances[0], covariances[-1]))
        u, d = (row - middle)[here], half[here]
        for place, j in enumerate(here):
            alone = u[place] * ((a + b) @ d)[place] - (a - b)[place, place] * (u[place] ** 2 + d[place] ** 2) / 2
            alone -= np.log(covariances[0][j, j] / covariances[-1][j, j]) / 2
            assert found[names[j]][n] == pytest.approx(alone, rel=1e-7 if far else 1e-10, abs=1e-7 if far else 1e-10)
        if columns > 2 and not shared:
            for (p, i), (q, j) in combinations(enumerate(here), 2):
                pair = -(a - b)[p, q] * (u[p] * u[q] + d[p] * d[q])
                assert found[f"x{i} × x{j}"][n] == pytest.approx(pair, rel=1e-7 if far else 1e-10, abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 5), st.booleans())
def test_terms_of_gaussians_add_up_with_any_cells_missing(seed, columns, shared):
    means, covariances, rows = gaussians(seed, columns, shared)
    model = given_gaussians(means, covariances)
    found, there = explain(model, rows, (0, 1)), model.log_joint(rows)
    largest = sum(np.abs(term) for term in found.terms.values())
    assert (np.abs(found.log_odds - (there[:, 0] - there[:, 1])) <= 1e-11 * (1 + largest)).all()
    other = explain(model, rows, (1, 0))
    for name, term in found.terms.items():
        np.testing.assert_allclose(other.terms[name], -term, rtol=1e-12, atol=1e-12)


def test_a_shared_covariance_leaves_a_term_for_each_column():
    model = LinearDiscriminant(estimate="unbiased").fit(NUMBERS, SPECIES)
    found = explain(model, NUMBERS, ("Gentoo", "Adelie")).terms
    assert list(found) == list(NUMBERS)
    mean = model.means_
    weights = np.linalg.solve(model.covariance_, mean[2] - mean[0])
    complete = np.isfinite(np.stack(list(NUMBERS.values()), axis=1).astype(float)).all(axis=1)
    for j, name in enumerate(NUMBERS):
        expected = weights[j] * (np.asarray(NUMBERS[name], dtype=float) - (mean[2, j] + mean[0, j]) / 2)
        np.testing.assert_allclose(found[name][complete], expected[complete], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("shared", [False, True])
def test_columns_without_correlations_say_what_they_say_by_themselves(shared):
    means, covariances, rows = gaussians(3, 4, shared, correlated=False)
    found = explain(given_gaussians(means, covariances), rows, (0, 1)).terms
    variances = np.diagonal(covariances, axis1=1, axis2=2)
    alone = explain(given_gaussians(means, variances), rows, (0, 1)).terms
    for name, term in found.items():
        np.testing.assert_allclose(term, alone.get(name, np.zeros(len(rows))), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("shared", [False, True])
def test_terms_depend_neither_on_units_nor_on_where_zero_is(shared):
    means, covariances, rows = gaussians(5, 3, shared)
    units, shift = np.array([1e-3, 1.0, 1e4]), np.array([5.0, -7.0, 1e5])
    moved = given_gaussians(means * units + shift, covariances * units[:, None] * units)
    before = explain(given_gaussians(means, covariances), rows, (0, 1)).terms
    after = explain(moved, rows * units + shift, (0, 1)).terms
    for name, term in before.items():
        np.testing.assert_allclose(after[name], term, rtol=1e-7, atol=1e-7)


def test_a_term_with_a_missing_cell_is_nothing():
    means, covariances, _ = gaussians(7, 3)
    rows = np.array([[1.0, np.nan, 2.0], [np.nan, np.nan, 1.0], [np.nan] * 3])
    found = explain(given_gaussians(means, covariances), rows, (0, 1)).terms
    there = {name: np.flatnonzero(term).tolist() for name, term in found.items()}
    assert there == {
        "x0": [0], "x1": [], "x2": [0, 1], "x0 × x1": [], "x0 × x2": [0], "x1 × x2": [], "x0 × x1 × x2": [0],
    }  # fmt: skip


def test_many_pairs_are_added_up_in_print_and_picture():
    means, covariances, rows = gaussians(9, 12)
    found = explain(given_gaussians(means, covariances), rows[:1], (0, 1))
    assert len(found.terms) == 12 + 66 + 1
    assert "x0 × x1 × … (12 columns)" in found.terms
    lines = repr(found).splitlines()
    assert len(lines) == 2 + 24 + 3
    assert any(line.startswith("55 others  ") for line in lines)
    assert sum(float(line.split()[-1]) for line in lines[2:-1]) == pytest.approx(found.log_odds[0], abs=2e-3)
    pytest.importorskip("matplotlib")
    *steps, total = plots.explanation(found).patches
    assert len(steps) == 1 + 24 + 1
    assert total.get_width() == pytest.approx(found.log_odds[0])


def test_more_pairs_than_memory_holds_are_refused_at_once():
    columns, rows = 200, 3000
    model = given_gaussians(np.stack([np.zeros(columns), np.ones(columns)]), np.stack([np.eye(columns)] * 2))
    with pytest.raises(ParameterError, match=r"20,101 terms for each of 3,000 rows.*fewer rows.*in_turn=True"):
        explain(model, np.zeros((rows, columns)), (0, 1))
