"""Models weighed against each other: evidence from summaries, validation and evidence in one table, settings by it."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.base import clone
from sklearn.datasets import load_iris

from suffice import (
    Dirichlet,
    Gamma,
    GaussianDiscriminant,
    LinearDiscriminant,
    Loss,
    NaiveBayes,
    NearestMean,
    QuadraticDiscriminant,
    collect,
    compare,
    evidence_of_columns,
    example,
    leave_one_out,
    load,
    tune,
)
from suffice.errors import ParameterError

same = partial(np.testing.assert_allclose, rtol=1e-9)
FACES = [NaiveBayes(), LinearDiscriminant(), QuadraticDiscriminant(), NearestMean()]


@pytest.fixture(scope="module")
def irises():
    return load_iris(return_X_y=True)


@pytest.fixture
def rng():
    return np.random.default_rng(8)


def test_one_table_of_validation_and_evidence(irises):
    found = compare(FACES, *irises)
    assert [trial.name for trial in found.trials] == [type(model).__name__ for model in FACES]
    for trial, model in zip(found.trials, FACES, strict=True):
        same(trial.validation.posterior, leave_one_out(model, *irises).posterior)
    columns = found.table()
    assert list(columns)[:3] == ["model", "accuracy", "accuracy se"]
    same(columns["log loss"], [trial.validation.log_loss for trial in found.trials])
    assert found.best.name == "LinearDiscriminant"


def test_evidence_needs_no_rows(irises):
    found, from_summary = compare(FACES, *irises), compare(FACES, collect(*irises))
    same(from_summary.table()["log evidence"], found.table()["log evidence"])
    same(found.log_bayes_factor(0, 1), found.trials[0].log_evidence - found.trials[1].log_evidence)


@pytest.mark.parametrize(
    "truth, best", [("diagonal", "NaiveBayes"), ("shared", "LinearDiscriminant"), ("own", "QuadraticDiscriminant")]
)
def test_evidence_finds_the_model_that_made_the_rows(rng, truth, best):
    labels = np.repeat([0, 1], 300)
    mixing = {k: np.eye(3) for k in (0, 1)}
    if truth != "diagonal":
        mixing = dict.fromkeys((0, 1), np.linalg.cholesky([[1, 0.8, 0.3], [0.8, 1, 0.5], [0.3, 0.5, 1]]))
    if truth == "own":
        mixing[1] = mixing[0] @ np.diag([1, -1, 0.5])
    scales = np.array([[1, 2, 1], [2, 1, 1]]) if truth == "diagonal" else np.ones((2, 3))
    rows = np.stack([mixing[k] @ (scales[k] * rng.normal(size=3)) + k for k in labels])
    found = compare([NaiveBayes(), LinearDiscriminant(), QuadraticDiscriminant()], collect(rows, labels))
    assert max(found.trials, key=lambda trial: trial.log_evidence).name == best


def test_evidence_is_the_chain_of_predictives(rng):
    """Ln p(rows | classes) of naive Bayes is the sum of each row's log predictive given the rows before it."""
    table = pd.DataFrame({"n": rng.poisson(3, 12).astype(float), "c": pd.Categorical(rng.choice(list("ab"), 12))})
    labels = np.arange(12) % 2
    priors = {"n": Gamma(2.0, 1.0), "c": Dirichlet({"a": 1.5, "b": 0.5})}
    model = NaiveBayes(kinds={"n": "poisson"}, estimate="predictive", parameter_prior=priors, priors="uniform")
    total = compare([model], table, labels).trials[0].log_evidence
    chain = 0.0
    for row in range(2, 12):
        before = clone(model).fit(table[:row], labels[:row])
        chain += before.log_joint(table[row : row + 1])[0, labels[row]] - np.log(0.5)
    first = compare([model], table[:2], labels[:2]).trials[0].log_evidence
    same(total, first + chain)


def test_evidence_of_a_logarithm_is_that_of_the_number_itself(rng):
    """Ln p(x) = ln p(ln x) − ln x, so that kinds of a column can be weighed against each other."""
    x, labels = rng.lognormal(1.0, 0.8, (200, 1)), np.arange(200) % 2
    kinds = {kind: NaiveBayes(kinds=kind) for kind in ("gaussian", "log-gaussian", "exponential")}
    found = compare(kinds, x, labels)
    of_logs = compare({"ln": NaiveBayes()}, np.log(x), labels)
    same(found["log-gaussian"].log_evidence, of_logs["ln"].log_evidence - np.log(x).sum())
    assert max(found.trials, key=lambda trial: trial.log_evidence).name == "log-gaussian"
    model = NaiveBayes(kinds="log-gaussian", estimate="ml").fit(x, labels)
    shares = [stats.lognorm(np.log(x[labels == k]).std(), 0, np.exp(np.log(x[labels == k]).mean())) for k in (0, 1)]
    same(np.exp(model.score_samples(x)), np.mean([share.pdf(x[:, 0]) for share in shares], axis=0))


def test_columns_that_matter_and_columns_that_do_not(rng):
    labels = np.arange(400) % 2
    table = {
        "matters": rng.normal(labels),
        "does not": rng.normal(size=400),
        "颜色": np.where(rng.random(400) < 0.2 + 0.5 * labels, "红", "绿"),
        "noise": rng.choice(["u", "v"], 400),
    }
    found = {e.columns[0]: e.log_bayes_factor for e in evidence_of_columns(NaiveBayes(), table, labels)}
    assert min(found["matters"], found["颜色"]) > 5
    assert max(found["does not"], found["noise"]) < -1
    summary = collect(table, labels)
    again = {e.columns[0]: e.log_bayes_factor for e in evidence_of_columns(NaiveBayes(), summary)}
    same([again[name] for name in found], list(found.values()))


def test_paired_difference(irises):
    found = compare(FACES, *irises)
    a, b = (found[name].validation.log_losses for name in ("NaiveBayes", "LinearDiscriminant"))
    difference = found.difference("NaiveBayes", "LinearDiscriminant")
    same([difference, difference.se], [np.mean(a - b), np.std(a - b, ddof=1) / np.sqrt(150)])


def test_what_fails_stays_in_the_table_with_its_reason(irises):
    table, labels = irises
    holed = table.copy()
    holed[3, 1] = np.nan
    found = compare([NaiveBayes(), LinearDiscriminant()], holed, labels)
    assert found.trials[1].validation is None
    assert "cross_validate" in found.trials[1].note
    assert "Cells are missing" in repr(found)
    assert found.best.name == "NaiveBayes"
    with pytest.raises(ParameterError, match="has not been validated: Cells are missing"):
        found.difference(0, 1)
    with pytest.raises(ParameterError, match="None of the models could be validated"):
        _ = compare([LinearDiscriminant()], holed, labels).best
    by_folds = compare([NaiveBayes(), LinearDiscriminant()], holed, labels, folds=5)
    assert by_folds.trials[1].validation is not None


def test_shrinkage_has_no_evidence(irises):
    assert np.isnan(compare([GaussianDiscriminant(shrink_shared=0.5)], *irises).trials[0].log_evidence)
    found = compare([GaussianDiscriminant(shrink_shared=0.5)], collect(*irises))
    assert "no evidence" in found.trials[0].note


def test_an_unknown_trial(irises):
    with pytest.raises(ParameterError, match="There is no trial 'svm'; there are"):
        compare(FACES, *irises)["svm"]


def test_tuning_tries_everything_and_takes_the_best(irises):
    found = tune(GaussianDiscriminant(), *irises)
    assert len(found.trials) == 72
    assert found.best.criterion == min(trial.criterion for trial in found.trials)
    same(found.best.model.predict_proba(irises[0]), clone(found.best.model).fit(*irises).predict_proba(irises[0]))
    assert "the best of 72; table() has them all" in repr(found)


def test_tuning_by_a_loss_of_your_own(irises):
    loss = Loss({0: {0: 0, 1: 1, 2: 1}, 1: {0: 5, 1: 0, 2: 1}, 2: {0: 9, 1: 20, 2: 0}})
    found = tune(LinearDiscriminant(), *irises, loss=loss)
    assert found.best.validation.mean_loss == min(trial.validation.mean_loss for trial in found.trials)


def test_auto_is_tune(irises):
    model = GaussianDiscriminant(shape="auto", shared="auto", shrink_shared=0.1).fit(*irises)
    found = tune(GaussianDiscriminant(shrink_shared=0.1), *irises, over=["shape", "shared"])
    assert [trial.name for trial in model.tuned_.trials] == [trial.name for trial in found.trials]
    same(model.predict_proba(irises[0]), found.best.model.predict_proba(irises[0]))


def test_auto_kinds_and_smoothing(tmp_path):
    penguins, species = example("penguins")
    model = NaiveBayes(kinds={"body_mass_g": "auto", "year": "ignore"}, smoothing="auto").fit(penguins, species)
    tried = [trial.name for trial in model.tuned_.trials]
    assert any("'body_mass_g': 'log-gaussian'" in name for name in tried)
    assert not any("bill_length_mm" in name for name in tried)
    model.save(tmp_path / "chosen.suffice")
    same(load(tmp_path / "chosen.suffice").predict_proba(penguins), model.predict_proba(penguins), rtol=0)


def test_counts_of_events_are_found_to_be_counts(rng):
    labels = np.arange(600) % 2
    table = {"n": rng.poisson(1 + 2 * labels).astype(float), "t": rng.lognormal(labels, 1.0)}
    model = NaiveBayes(kinds="auto").fit(table, labels)
    kinds = {column.name: column.kind for column in model.joint_.schema.columns}
    assert kinds["t"] == "log-gaussian"
    plain = leave_one_out(NaiveBayes(), table, labels).log_loss
    assert model.tuned_.best.validation.log_loss < plain


@pytest.mark.parametrize("model", [NaiveBayes(smoothing="auto"), QuadraticDiscriminant(shrink_shared="auto")])
def test_auto_needs_rows(irises, model):
    settings = {name: value for name, value in model.get_params().items() if value == "auto" and name != "estimate"}
    with pytest.raises(ParameterError, match="='auto' is chosen by fit"):
        type(model).from_summary(collect(*irises), **settings)
    with pytest.raises(ParameterError, match="='auto' is chosen by fit"):
        clone(model).partial_fit(*irises)
    with pytest.raises(ParameterError, match="='auto' is chosen by fit"):
        leave_one_out(model, *irises)


def test_nothing_to_tune(irises):
    with pytest.raises(ParameterError, match=r"Of NearestMean there can be tuned \[\]"):
        tune(NearestMean(), *irises)
    with pytest.raises(ParameterError, match=r"there can be tuned \['shape', 'shrink_spherical'\]; found \['priors'\]"):
        tune(LinearDiscriminant(), *irises, over=["priors"])


def test_auto_goes_by_folds_where_cells_are_missing_under_a_full_covariance(rng):
    labels = rng.integers(0, 2, 300)
    table = rng.multivariate_normal([0, 0], [[1, 0.95], [0.95, 1]], 300)
    table[:, 0] += 0.8 * labels
    table[0, 1] = np.nan
    model = LinearDiscriminant(shape="auto").fit(table, labels)
    assert model.tuned_.best.name == "shape=full"
    assert {trial.validation.how for trial in model.tuned_.trials} == {"10-fold cross-validation"}
