"""What a model is when nothing is asked for: how it answers, and where its parameters are seen."""

import numpy as np
import pytest
from scipy import stats

from suffice import EM, NaiveBayes, boundary, example, load
from suffice.errors import FileError, ParameterError
from suffice.model.joint import Joint

COLUMNS, SPECIES = example("penguins")
COLUMNS = {name: cells for name, cells in COLUMNS.items() if name != "year"}
SOME = [name if row % 3 else None for row, name in enumerate(SPECIES)]
FEW = [None if row % 3 else name for row, name in enumerate(SPECIES)]
PLUG_IN, PREDICTIVE = NaiveBayes(estimate="map").fit(COLUMNS, SPECIES), NaiveBayes(estimate="predictive")


def test_naive_bayes_integrates_parameters_out():
    model = NaiveBayes().fit(COLUMNS, SPECIES)
    assert model.estimate_ == "predictive"
    np.testing.assert_array_equal(model.predict_proba(COLUMNS), PREDICTIVE.fit(COLUMNS, SPECIES).predict_proba(COLUMNS))


@pytest.mark.parametrize(
    ("settings", "labels"),
    [({"parameter_prior": "reference"}, SPECIES), ({"em": EM(unlabelled_weight=1.0)}, FEW)],
    ids=["a prior", "few labels"],
)
def test_where_a_prior_is_given_or_most_labels_are_hidden_it_has_the_mode(settings, labels):
    assert NaiveBayes(**settings).fit(COLUMNS, labels).estimate_ == "map"


def test_where_most_rows_have_labels_the_rows_that_em_ends_with_are_learned_from_as_others_are():
    """Also by a file, by intervals, and by what needs parameters."""
    model = NaiveBayes(em=EM(unlabelled_weight=1.0)).fit(COLUMNS, SOME)
    mode = NaiveBayes(em=EM(unlabelled_weight=1.0), estimate="map").fit(COLUMNS, SOME)
    again = NaiveBayes(estimate="predictive").from_summary(model.summary_)
    assert (model.estimate_, mode.estimate_) == ("predictive", "map")
    np.testing.assert_array_equal(model.predict_proba(COLUMNS), again.predict_proba(COLUMNS))
    for title, table in mode.tables().items():
        for heading, cells in table.items():
            np.testing.assert_array_equal(model.tables()[title][heading], cells)
    assert model.bic(COLUMNS, SPECIES) == mode.bic(COLUMNS, SPECIES)
    np.testing.assert_array_equal(model.trace_.objective, mode.trace_.objective)


def test_it_does_so_out_of_a_file_too(tmp_path):
    model = NaiveBayes(em=EM(unlabelled_weight=1.0)).fit(COLUMNS, SOME)
    model.save(tmp_path / "some.suffice")
    same = load(tmp_path / "some.suffice")
    assert same.estimate_ == "predictive"
    np.testing.assert_array_equal(same.predict_proba(COLUMNS), model.predict_proba(COLUMNS))


def test_parameters_that_are_asked_for_are_the_most_probable_ones():
    model = NaiveBayes().fit(COLUMNS, SPECIES)
    for title, table in PLUG_IN.tables().items():
        for heading, cells in table.items():
            np.testing.assert_array_equal(model.tables()[title][heading], cells)
    filled, other = (some.impute(COLUMNS) for some in (model, PLUG_IN))
    assert filled.keys() == other.keys()
    assert model.bic(COLUMNS, SPECIES) == PLUG_IN.bic(COLUMNS, SPECIES)
    assert str(model) == str(PLUG_IN).replace("estimate map", "estimate predictive")


def test_asked_for_by_name_the_predictive_has_none():
    model = PREDICTIVE.fit(COLUMNS, SPECIES)
    with pytest.raises(ParameterError, match="estimate='map'"):
        model.impute(COLUMNS)
    with pytest.raises(ParameterError, match="integrates them out"):
        model.aic(COLUMNS, SPECIES)
    numbers = {name: COLUMNS[name] for name in ("bill_length_mm", "bill_depth_mm")}
    with pytest.raises(ParameterError, match="estimate='map'"):
        boundary(NaiveBayes().fit(numbers, SPECIES), "Gentoo", "Adelie")


@pytest.mark.parametrize("away", [1.0, 1e8, 1e120])
def test_student_densities_of_columns_hold_however_far_away(away):
    model = NaiveBayes().fit({"x": [0.0, 1.0, 3.0, 1e-3, 4.0, 2.0]}, list("ababab"))
    density = model.joint_.density.parts[0]
    scale = np.sqrt(density.squared_scale[:, 0])
    expected = stats.t(np.broadcast_to(density.degrees, (2, 1))[:, 0], density.mean[:, 0], scale).logpdf(away)
    if away < 1e100:
        np.testing.assert_allclose(model.log_density({"x": [away]})[0], expected, rtol=1e-9)
    else:  # scipy squares it
        nearer = model.log_density({"x": [away / 10]})[0]
        slope = (np.broadcast_to(density.degrees, (2, 1))[:, 0] + 1) * np.log(10)
        np.testing.assert_allclose(nearer - model.log_density({"x": [away]})[0], slope, rtol=1e-9)


def test_a_file_with_another_word_there_is_refused():
    found = NaiveBayes(em=EM(unlabelled_weight=1.0)).fit(COLUMNS, SOME).model_.found
    header, arrays = found.packed()
    assert Joint.unpacked(header, arrays, found.schema).answered_by == "predictive"
    with pytest.raises(FileError, match="an estimate that there is not: 'predictivo'"):
        Joint.unpacked(header | {"answered_by": "predictivo"}, arrays, found.schema)
