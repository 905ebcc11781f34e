"""Explanations add up to the model's own log odds, and missing cells say nothing."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suffice import GaussianDiscriminant, LinearDiscriminant, NaiveBayes, NearestMean, example, explain, nomogram

COLUMNS, SPECIES = example("penguins")
NUMBERS = {name: COLUMNS[name] for name in ("bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g")}
MIXED = NaiveBayes(kinds={"year": "poisson"})
JOINT = NaiveBayes(kinds={"year": ("binomial", 3000)}, joint=[["bill_length_mm", "body_mass_g"]])
MODELS = [
    (MIXED, COLUMNS),
    (NaiveBayes(kinds={"year": "poisson"}, estimate="predictive"), COLUMNS),
    (JOINT, COLUMNS),
    (LinearDiscriminant(), NUMBERS),
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
