"""Kinds that are left to the rows: what is tried, what each is worth, and cells that come later."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone

from suffice import EM, NaiveBayes, cross_validate, leave_one_out, load, tune
from suffice.errors import ConstantColumnWarning, KindError, KindHint, UnfitCellWarning
from suffice.judge import tuning

ROWS = 90
RNG = np.random.default_rng(3)
Y = np.arange(ROWS) % 3
TABLE = {
    "wait": RNG.lognormal(Y, 1.0),
    "events": RNG.poisson(3 + 6 * Y) * 1.0,
    "score": np.where(Y == 0, RNG.choice([1, 3, 5], ROWS), np.where(Y == 1, RNG.choice([2, 4], ROWS), 3)),
    "x": np.where(np.arange(ROWS) % 8 == 5, np.nan, RNG.normal(Y)),
    "sky": RNG.choice([*"uv"], ROWS),
}
AUTO = NaiveBayes(kinds="auto")
pytestmark = pytest.mark.filterwarnings("ignore::suffice.errors.KindHint")


def whole_models(monkeypatch):
    """Every trial learned and validated by itself."""
    monkeypatch.setattr(tuning.ByColumn, "of", lambda *_: None)


@pytest.mark.parametrize("folds", [None, 5])
@pytest.mark.parametrize(
    "model",
    [NaiveBayes(), NaiveBayes(smoothing=0, estimate="map"), NaiveBayes(joint=[["wait", "events"]], priors="uniform")],
)
def test_trials_by_column_are_those_of_whole_models(monkeypatch, model, folds):
    weights = RNG.uniform(0.5, 2, ROWS)
    ours = tune(model, TABLE, Y, folds=folds, sample_weight=weights)
    whole_models(monkeypatch)
    theirs = tune(model, TABLE, Y, folds=folds, sample_weight=weights)
    assert [trial.name for trial in ours.trials] == [trial.name for trial in theirs.trials]
    for mine, other in zip(ours.trials, theirs.trials, strict=True):
        np.testing.assert_allclose(mine.validation.log_posterior, other.validation.log_posterior, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(mine.log_evidence, other.log_evidence, rtol=1e-9)
        assert mine.evidence is None or mine.evidence.of == other.evidence.of


@pytest.mark.parametrize(
    "cells", [{"a": ["x", "w"] * 4 + ["x", "z"], "n": [0.0] * 9 + [1.0]}, {"n": [0.0] * 9 + [1.0]}]
)
@pytest.mark.parametrize("settings", [{"smoothing": "auto"}, {"kinds": "auto"}, {"smoothing": "auto", "kinds": "auto"}])
def test_a_value_of_one_row_does_not_stop_it(cells, settings):
    labels = ["p", "q"] * 5
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert np.isfinite(leave_one_out(NaiveBayes(), cells, labels).log_loss)
        assert np.isfinite(NaiveBayes(**settings).fit(cells, labels).tuned_.best.validation.log_loss)


def test_what_weighs_more_than_the_rest_does_not_stop_it():
    table = {"n": np.where(np.arange(ROWS) == 4, 1e8, RNG.normal(size=ROWS)), "wait": TABLE["wait"] * 1e-9}
    assert np.isfinite(AUTO.fit(table, Y).tuned_.best.validation.log_loss)


def test_few_whole_numbers_may_be_categories_or_not():
    model = clone(AUTO).fit(TABLE, Y)
    assert {column.name: column.kind for column in model.joint_.schema.columns}["score"] == "categorical"
    tried = [trial.model.kinds for trial in model.tuned_.trials]
    assert any(kinds.get("score") == "gaussian" for kinds in tried)
    grades = np.repeat(np.arange(10), 9)  # a line, which few rows of a category do not show
    table = {"grade": np.clip(grades + RNG.integers(-1, 2, ROWS), 0, 9)}
    model = clone(AUTO).fit(table, (grades > 4) * 1)
    assert model.tuned_.best.validation.log_loss <= leave_one_out(NaiveBayes(), table, (grades > 4) * 1).log_loss


def test_hidden_labels_are_tried_by_whole_models():
    labels = np.where(np.arange(ROWS) < 12, None, Y)
    model = NaiveBayes(kinds={"wait": "auto"}, em=EM(random_state=0)).fit(TABLE, labels)
    assert "refitted" in model.tuned_.best.validation.how


LATER = {"wait": [0.0, -3.0, np.nan], "x": [1.0, 1.0, 1.0]}


@pytest.fixture
def chosen():
    model = NaiveBayes(kinds="auto").fit({name: TABLE[name] for name in ("wait", "x")}, Y)
    assert model.joint_.schema.columns[0].kind == "log-gaussian"
    return model


def test_cells_that_a_chosen_kind_cannot_hold_are_missing(chosen, tmp_path):
    chosen.save(tmp_path / "model")
    for model in (chosen, load(tmp_path / "model"), chosen.tuned_.best.model):
        with pytest.warns(UnfitCellWarning, match=r"'wait' \(Gaussian after ln.*holds 0 in row 0; .*kinds=\{'wait'"):
            found = model.predict_proba(LATER)
        np.testing.assert_array_equal(found, np.tile(found[2], (3, 1)))
    with pytest.warns(UnfitCellWarning):
        chosen.partial_fit(LATER, [0, 1, 2])
    with pytest.raises(KindError, match="Infinite"):
        chosen.predict_proba({"wait": [np.inf], "x": [0.0]})


def test_a_declared_kind_refuses_them(chosen):
    declared = NaiveBayes(kinds={"wait": "log-gaussian"}).fit({name: TABLE[name] for name in ("wait", "x")}, Y)
    table = {"wait": [1.0], "x": [1.0]}
    np.testing.assert_allclose(declared.predict_proba(table), chosen.predict_proba(table), rtol=1e-12)
    with pytest.raises(KindError, match=r"'wait' .* holds 0 in row 0; expected more than 0"):
        declared.predict_proba(LATER)


def test_a_fold_may_hold_what_others_do_not():
    table = {"wait": np.where(np.arange(ROWS) == 7, 0.0, TABLE["wait"])}
    assert np.isfinite(cross_validate(NaiveBayes(), table, Y).log_loss)
    model = NaiveBayes(kinds="auto").fit({"wait": table["wait"][8:]}, Y[8:])
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        model.predict(table)
    assert [some.category for some in said if some.category not in (KindHint, ConstantColumnWarning)] == [
        UnfitCellWarning
    ]
