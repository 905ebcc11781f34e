"""What texts compute from a classifier: p(x | class), rows drawn, likelihoods of labelled rows, discriminant values."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.stats import chisquare, multivariate_normal, norm
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError

from suffice import (
    GaussianDiscriminant,
    LatentClass,
    LinearDiscriminant,
    Mixture,
    NaiveBayes,
    NearestMean,
    QuadraticDiscriminant,
    example,
)
from suffice.errors import ImpossibleRowWarning, ParameterError

IRISES, SPECIES = load_iris(return_X_y=True)
MELONS, RIPE = example("watermelon")
MELONS = {name: cells for name, cells in MELONS.items() if name != "编号"}
CLASSIFIERS = [
    NaiveBayes(),
    NaiveBayes(estimate="predictive"),
    QuadraticDiscriminant(),
    QuadraticDiscriminant(estimate="predictive"),
    LinearDiscriminant(),
    LinearDiscriminant(estimate="predictive"),
    LinearDiscriminant(components=2, estimate="map"),
    NearestMean(),
    GaussianDiscriminant(components={0: 1, 1: 2, 2: 2}, estimate="map"),
]


@pytest.mark.parametrize("face", [NaiveBayes, LinearDiscriminant, GaussianDiscriminant, Mixture, LatentClass])
@pytest.mark.parametrize(
    "asked",
    [
        lambda model: model.tables(),
        lambda model: model.tables(level=0.9),
        lambda model: model.standard_errors(),
        lambda model: model.impute(IRISES),
        lambda model: model.sample(3),
        lambda model: model.means_,
        lambda model: model.predict_interval(IRISES),
        lambda model: model.score_samples(IRISES),
        lambda model: model.aic(IRISES, None if isinstance(model, Mixture | LatentClass) else SPECIES),
        lambda model: model.save("never written"),
    ],
)
def test_what_has_learned_nothing_says_so(face, asked):
    with pytest.raises(NotFittedError, match="is not fitted yet"):
        asked(face())


def test_log_density_is_that_of_scipy():
    model = QuadraticDiscriminant().fit(IRISES, SPECIES)
    groups = [IRISES[k == SPECIES] for k in range(3)]
    expected = [multivariate_normal(some.mean(axis=0), np.cov(some.T)).logpdf(IRISES) for some in groups]
    np.testing.assert_allclose(model.log_density(IRISES), np.stack(expected, axis=1), rtol=1e-9)


def test_log_density_of_the_melons_by_hand():
    """P(青绿 | 是) = 3/8, as in the texts, and the density of 密度 0.697 there."""
    model = NaiveBayes(estimate="unbiased", smoothing=0).fit({"色泽": MELONS["色泽"], "密度": MELONS["密度"]}, RIPE)
    good = np.array(MELONS["密度"])[np.array(RIPE) == "是"]
    expected = np.log(3 / 8) + norm(good.mean(), good.std(ddof=1)).logpdf(0.697)
    assert model.log_density({"色泽": ["青绿"], "密度": [0.697]})[0, 1] == pytest.approx(expected, abs=1e-12)


def test_log_density_of_a_class_without_a_share():
    model = NaiveBayes(priors={"否": 1.0, "是": 0.0}).fit(MELONS, RIPE)
    even = NaiveBayes(priors="uniform").fit(MELONS, RIPE)
    np.testing.assert_allclose(model.log_density(MELONS), even.log_joint(MELONS) + np.log(2), rtol=1e-12)


@pytest.mark.parametrize("model", CLASSIFIERS, ids=repr)
def test_density_prior_and_joint_agree(model):
    model.fit(IRISES, SPECIES)
    found = model.log_density(IRISES) + np.log(model.priors_)
    np.testing.assert_allclose(found, model.log_joint(IRISES), rtol=1e-10, atol=1e-9)


@pytest.mark.parametrize("model", CLASSIFIERS, ids=repr)
def test_rows_are_drawn_from_every_classifier(model):
    rows, labels = model.fit(IRISES, SPECIES).sample(4000, random_state=1)
    assert rows.shape == (4000, 4)
    assert chisquare(np.bincount(labels), 4000 * model.priors_).pvalue > 1e-4
    own = rows[labels == 1]
    spread = own.std(axis=0) / np.sqrt(len(own))
    assert (np.abs(own.mean(axis=0) - IRISES[SPECIES == 1].mean(axis=0)) < 6 * spread).all()


@pytest.mark.parametrize("form", [pd.DataFrame, pl.DataFrame, dict], ids=["pandas", "polars", "dict"])
def test_drawn_rows_come_in_the_form_of_the_table(form):
    table = form(MELONS)
    model = NaiveBayes().fit(table, RIPE)
    rows, labels = model.sample(500, random_state=0)
    assert type(rows) is type(table)
    assert list(rows) == list(MELONS) if form is dict else list(rows.columns) == list(MELONS)
    assert set(rows["色泽"]) == set(MELONS["色泽"])
    assert set(labels) == {"是", "否"}
    assert np.isfinite(model.predict_log_proba(rows)).all()


def test_counts_are_drawn_as_whole_numbers():
    kinds = {"n": "poisson", "k": ("binomial", 3), "b": "binary", "r": ("negative-binomial", 2)}
    table = pl.DataFrame(
        {"n": [0, 4, 2, 7], "k": [0, 3, 1, 2], "b": [0, 1, 1, 0], "r": [5, 0, 1, 2], "x": [0.5, 1, 2, 3]}
    )
    rows, _ = NaiveBayes(kinds=kinds).fit(table, list("aabb")).sample(5, random_state=0)
    assert rows.schema == table.schema


def test_text_without_names_is_drawn_as_text():
    table = np.array([MELONS["色泽"], MELONS["根蒂"]], dtype=object).T
    rows, _ = NaiveBayes().fit(table, RIPE).sample(20, random_state=0)
    assert rows.shape == (20, 2)
    assert set(rows[:, 0]) <= set(MELONS["色泽"])


def test_likelihood_of_labelled_rows_and_its_criteria():
    """Two Gaussians of two columns, own covariances: 2 · (2 + 3) + 1 numbers, N − 1 in the estimate."""
    rows, labels = IRISES[:100, :2], SPECIES[:100]
    model = QuadraticDiscriminant().fit(rows, labels)
    groups = [rows[labels == k] for k in range(2)]
    densities = [multivariate_normal(some.mean(axis=0), np.cov(some.T)).logpdf(some) for some in groups]
    expected = sum(part.sum() for part in densities) + 100 * np.log(0.5)
    assert model.log_likelihood(rows, labels) == pytest.approx(expected, rel=1e-12)
    assert model.bic(rows, labels) == pytest.approx(11 * np.log(100) - 2 * expected, rel=1e-12)
    assert model.aic(rows, labels) == pytest.approx(2 * 11 - 2 * expected, rel=1e-12)
    weights = np.arange(100) % 3
    each = model.log_joint(rows)[np.arange(100), labels]
    assert model.log_likelihood(rows, labels, weights) == pytest.approx(weights @ each)


@pytest.mark.parametrize(
    ("model", "free"),
    [
        (LinearDiscriminant(), 3 * 4 + 10 + 2),
        (LinearDiscriminant(priors="uniform"), 3 * 4 + 10),
        (NearestMean(), 3 * 4 + 1 + 2),
        (NaiveBayes(estimate="map"), 3 * 8 + 2),
        (NaiveBayes(kinds="exponential", estimate="map"), 3 * 4 + 2),
    ],
    ids=repr,
)
def test_parameters_are_counted(model, free):
    model.fit(IRISES, SPECIES)
    assert model.aic(IRISES, SPECIES) == pytest.approx(2 * free - 2 * model.log_likelihood(IRISES, SPECIES))


def test_likelihoods_that_cannot_be():
    model = NaiveBayes(estimate="predictive").fit(MELONS, RIPE)
    with pytest.raises(ParameterError, match="need a number of parameters"):
        model.bic(MELONS, RIPE)
    with pytest.raises(ParameterError, match="There is no class '半熟'"):
        model.log_likelihood(MELONS, ["半熟"] * 17)
    never = NaiveBayes(smoothing=0).fit({"x": ["a", "a", "b", "b", "c"]}, [0, 0, 1, 1, 1])
    assert never.log_likelihood({"x": ["b"]}, [0]) == -np.inf


@pytest.mark.parametrize("model", CLASSIFIERS, ids=repr)
def test_decision_values_are_those_of_posteriors(model):
    some = SPECIES < 2 if isinstance(model.components, int) else SPECIES >= 0
    model.fit(IRISES[some], SPECIES[some])
    values, logs = model.decision_function(IRISES), model.predict_log_proba(IRISES)
    if len(model.classes_) == 2:
        np.testing.assert_allclose(values, logs[:, 1] - logs[:, 0], rtol=1e-8, atol=1e-8)
    else:
        np.testing.assert_allclose(values, model.log_joint(IRISES), rtol=1e-12)


def test_decision_values_are_always_finite():
    table, classes = {"x": ["a", "a", "b", "b", "c"], "y": ["u", "v", "u", "v", "u"]}, [0, 0, 1, 1, 2]
    model = NaiveBayes(smoothing=0, priors=[0.5, 0.5, 0.0]).fit(table, classes)
    assert model.decision_function({"x": ["a"], "y": ["u"]})[0] == pytest.approx([np.log(0.25), -1e100, -1e100])
    two = NaiveBayes(smoothing=0, priors=[0.2, 0.8]).fit({"x": ["a", "a", "b"], "y": ["u", "u", "v"]}, [0, 0, 1])
    assert two.decision_function({"x": ["a", "b"], "y": ["u", "v"]}).tolist() == [-1e100, 1e100]
    with pytest.warns(ImpossibleRowWarning):
        assert two.decision_function({"x": ["a"], "y": ["v"]}) == pytest.approx([np.log(4)])
    linear = LinearDiscriminant(priors=[1.0, 0.0, 0.0]).fit(IRISES, SPECIES)
    assert np.isfinite(linear.decision_function(IRISES)).all()
