"""Intervals of what EM has found: the information is the curvature of the log posterior, and says so in tables."""

from functools import partial

import numpy as np
import pandas as pd
import pytest

from suffice import EM, GaussianDiscriminant, LatentClass, Mixture, NaiveBayes, NormalMean, QuadraticDiscriminant, load
from suffice.data.source import Source
from suffice.errors import HiddenLabelsError, NoIntervalWarning, ParameterError, SingularError
from suffice.families.rates.gamma import GammaPrior
from suffice.learn.mixture import unlabelled as rows_of
from suffice.model.em.bootstrap import best_match, drawn, learned_again
from suffice.model.em.hidden import Parameters
from suffice.model.em.information import observed
from suffice.model.em.run import run

same = partial(np.testing.assert_allclose, rtol=1e-7)
TO_THE_END = {"tol": 1e-11, "max_iter": 3000}
MIXTURE = partial(Mixture, 2, restarts=1, **TO_THE_END)


def numbers(seed=0, n=120, holes=0.0):
    rng = np.random.default_rng(seed)
    first = rng.normal([0, 0], [1, 2], (n // 2, 2))
    second = rng.normal(0, 1, (n - n // 2, 2)) @ [[1.0, 0.6], [0.0, 0.8]] + [3, 4]
    rows = np.concatenate([first, second])
    return np.where(rng.random(rows.shape) < holes, np.nan, rows)


def items(seed=0, n=200, holes=0.0, levels=3):
    """Four questions that two latent classes answer in different ways."""
    rng = np.random.default_rng(seed)
    answers = np.array([0.7, 0.2, 0.1] if levels == 3 else [0.8, 0.2])
    kind = (np.arange(n) < 0.4 * n).astype(int)
    table = {f"q{j}": [str(rng.choice(levels, p=np.roll(answers, k * (1 + j % 2)))) for k in kind] for j in range(4)}
    return pd.DataFrame(table).mask(rng.random((n, 4)) < holes)


def mixed(seed=0, n=120):
    rng = np.random.default_rng(seed)
    kind = np.arange(n) % 2
    return pd.DataFrame(
        {
            "events": rng.poisson(np.array([1.0, 6.0])[kind]),
            "wait": rng.exponential(np.array([1.0, 0.3])[kind]),
            "size": np.exp(rng.normal(np.array([0.0, 1.5])[kind], 0.5)),
            "walk": rng.wald(np.array([1.0, 4.0])[kind], 6.0),
            "angle": rng.vonmises(np.array([0.0, 2.0])[kind], 3.0),
            "hits": rng.binomial(5, np.array([0.2, 0.7])[kind]),
        }
    )


KINDS = {
    "events": "poisson",
    "wait": "exponential",
    "walk": "inverse-gaussian",
    "size": "log-gaussian",
    "angle": ("von-mises", 3.0),
}


def unlabelled(model, table, weights=None):
    recipe, known = model.recipe(), rows_of(table, weights)
    return recipe.posed(known, recipe.plan(known.table)), recipe.control()


def labelled(model, table, labels):
    """The problem of a classifier whose labels are hidden."""
    known = Source.of(table, labels, None).known(None)
    recipe = model.recipe()
    return recipe.posed(known, recipe.plan(known.table), recipe.label_evidence(known.labels)), recipe.control()


def half_known(n=120):
    labels = np.array(["a"] * (n // 2) + ["b"] * (n - n // 2), dtype=object)
    labels[::2] = None
    return labels


NOISE = {"a": {"a": 0.9, "b": 0.1}, "b": {"a": 0.2, "b": 0.8}}
HOW = partial(EM, unlabelled_weight=1, restarts=1, **TO_THE_END)


def discriminant(components=1, priors=None, **how):
    return QuadraticDiscriminant(components=components, priors=priors, em=HOW(**how))


PROBLEMS = {
    "full": lambda: unlabelled(MIXTURE(), numbers()),
    "shared": lambda: unlabelled(MIXTURE(shared=True), numbers()),
    "diagonal": lambda: unlabelled(MIXTURE(shape="diagonal"), numbers()),
    "spherical, shared": lambda: unlabelled(MIXTURE(shape="spherical", shared=True), numbers()),
    "flat": lambda: unlabelled(MIXTURE(parameter_prior="flat"), numbers()),
    "missing cells": lambda: unlabelled(MIXTURE(), numbers(holes=0.2)),
    "missing cells, shared": lambda: unlabelled(MIXTURE(shared=True), numbers(holes=0.2)),
    "missing cells by themselves, weights": lambda: unlabelled(
        MIXTURE(shape="diagonal"), numbers(holes=0.2), np.random.default_rng(1).uniform(0.3, 2.0, 120)
    ),
    "known variance": lambda: unlabelled(
        MIXTURE(parameter_prior={"x0": NormalMean(1, 9, 1.5)}, shape="diagonal"), numbers()[:, :1]
    ),
    "latent classes": lambda: unlabelled(LatentClass(2, restarts=1, **TO_THE_END), items(holes=0.1)),
    "many kinds": lambda: unlabelled(MIXTURE(kinds=KINDS | {"hits": ("binomial", 5)}), mixed()),
    "hidden labels": lambda: labelled(discriminant(), numbers(), half_known()),
    "given priors": lambda: labelled(discriminant(priors={"a": 0.3, "b": 0.7}), numbers(), half_known()),
    "several components": lambda: labelled(discriminant(components={"b": 2}), numbers(), half_known()),
    "several components, given priors": lambda: labelled(
        discriminant(components={"b": 2}, priors="uniform"), numbers(), half_known()
    ),
    "smoothed priors": lambda: labelled(
        NaiveBayes(components={"b": 2}, priors="smoothed", smoothing=2.0, em=HOW(unlabelled_weight="auto")),
        numbers(),
        half_known(),
    ),
    "noisy labels": lambda: labelled(
        discriminant(label_noise=NOISE), numbers(), np.array(["a", "b"])[np.arange(120) // 60]
    ),
}


@pytest.mark.parametrize("name", PROBLEMS)
def test_the_observed_information_is_the_curvature_of_the_log_posterior(name):
    problem, control = PROBLEMS[name]()
    joint = run(problem, "kmeans", control).joint
    atlas, information = observed(problem.rows, Parameters(joint.prevalence, joint.density), outer=False)
    assert not atlas.edges.any()
    assert atlas.size == problem.rows.parameters

    def worth(step):
        parameters = atlas.moved(step)
        parameters = Parameters(parameters.prevalence, parameters.density, problem.rows.label_evidence.confusion)
        return problem.rows.expect(parameters).log_likelihood + problem.rows.log_prior(parameters)

    rng = np.random.default_rng(5)
    here = worth(np.zeros(atlas.size))
    for _ in range(4):
        along = rng.standard_normal(atlas.size)
        along /= np.linalg.norm(along)
        ahead, behind = worth(3e-3 * along), worth(-3e-3 * along)
        assert along @ information @ along == pytest.approx((2 * here - ahead - behind) / 9e-6, rel=1e-4)
        assert abs(ahead - behind) / 6e-3 < 1e-2  # a maximum


def test_outer_products_of_scores_are_those_of_polca():
    """The formula of its source: scores of log odds, their cross products inverted, the delta method for shares."""
    table = items(2, 300)
    model = LatentClass(2, smoothing=0, intervals="scores", restarts=3, **TO_THE_END).fit(table)
    tables, errors, shares = model.tables(), model.standard_errors(), model.predict_proba(table)
    scores, maps = [shares[:, 1:] - model.weights_[1:]], []
    for column in table:
        levels = sorted(set(table[column]))
        seen = np.stack([table[column] == level for level in levels], axis=1)
        chances = np.stack([tables[column][level] for level in levels], axis=1)  # (K, S)
        for k in range(2):
            scores.append(shares[:, k : k + 1] * (seen - chances[k])[:, 1:])
            maps.append((np.diag(chances[k]) - np.outer(chances[k], chances[k]))[:, 1:])
    scores = np.concatenate(scores, axis=1)
    covariance = np.linalg.inv(scores.T @ scores)
    weight = np.prod(model.weights_) * np.sqrt(covariance[0, 0])
    same(errors["component"]["weight"], weight)
    for number, column in enumerate(table):
        for k in range(2):
            at = 1 + 2 * (2 * number + k)
            mapped = maps[2 * number + k]
            expected = np.sqrt(np.diag(mapped @ covariance[at : at + 2, at : at + 2] @ mapped.T))
            found = [errors[column][level][k] for level in sorted(set(table[column]))]
            same(found, expected, rtol=1e-5)


def test_an_estimate_at_the_end_of_what_can_be_has_no_interval():
    table = items(0, 150)
    table["q4"] = np.where(np.arange(150) < 60, "no", np.where(np.arange(150) % 2, "no", "yes"))
    model = LatentClass(2, smoothing=0, intervals="information", **TO_THE_END).fit(table)
    with pytest.warns(NoIntervalWarning, match=r"No interval \(NaN\) for 2 of the entries.* at the end of its range"):
        found = model.tables(level=0.9)["q4"]
    low, high = model.predict_interval(table, draws=50)
    assert (low <= high).all()
    end = found["yes"] < 1e-3
    assert end.sum() == 1
    for heading in ("yes", "no"):
        low, high = found[f"{heading} low"], found[f"{heading} high"]
        assert np.isnan(low[end]).all()
        assert np.isnan(high[end]).all()
        assert ((low < found[heading]) & (found[heading] < high))[~end].all()


def test_intervals_hold_the_estimate_and_narrow_with_the_level():
    rows = numbers(n=200)
    model = MIXTURE(intervals="information").fit(rows)
    wide, narrow = model.tables(level=0.95), model.tables(level=0.5)
    for title, table in model.tables().items():
        for heading in set(table) - {"component"}:
            ends = [wide[title][f"{heading} low"], narrow[title][f"{heading} low"], table[heading]]
            ends += [narrow[title][f"{heading} high"], wide[title][f"{heading} high"]]
            assert (np.diff(ends, axis=0) > 0).all()
    low, high = model.predict_interval(rows, draws=300)
    inside = (low <= model.predict_proba(rows)) & (model.predict_proba(rows) <= high)
    assert low.min() >= 0
    assert high.max() <= 1
    assert inside.mean() > 0.95


def test_with_all_labels_but_one_known_the_intervals_are_those_of_complete_rows():
    """Means of components: ± 1.96 σ/√n, and the log odds of their shares as a binomial has them."""
    rows, labels = numbers(n=200)[:, :1], np.repeat(["a", "b"], 100).astype(object)
    labels[0] = None
    model = NaiveBayes(estimate="ml", em=HOW(intervals="information", restarts=10))
    found = model.fit(rows, labels).standard_errors()
    table = NaiveBayes(estimate="ml").fit(rows, labels, sample_weight=[labels[i] is not None for i in range(200)])
    spread = table.tables()["x0"]["sd"]
    same(found["x0"]["mean"], spread / 10, rtol=0.02)
    same(found["x0"]["sd"], spread / np.sqrt(200), rtol=0.02)
    same(found["class"]["prior"], np.sqrt(0.25 / 200), rtol=0.02)


def test_classes_of_several_components_have_intervals():
    model = discriminant(components={"b": 2}, intervals="information").fit(numbers(), half_known())
    low, high = model.predict_interval(numbers()[:5], draws=100)
    assert low.shape == high.shape == (5, 2)
    assert set(model.tables(level=0.9)["class"]) == {"class", "prior", "prior low", "prior high"}
    given = discriminant(priors="uniform", intervals="information").fit(numbers(), half_known())
    assert set(given.tables(level=0.9)["class"]) == {"class", "prior"}


def test_the_bootstrap_agrees_with_the_information():
    rows = numbers(n=300)
    first, second = (MIXTURE(shape="diagonal", intervals=way).fit(rows) for way in ("information", ("bootstrap", 60)))
    one, other = first.standard_errors(), second.standard_errors()
    same(other["x0"]["mean"], one["x0"]["mean"], rtol=0.4)
    same(other["component"]["weight"], one["component"]["weight"], rtol=0.4)
    low, high = second.predict_interval(rows[:4], draws=50)
    assert (low <= high).all()
    assert (second.tables(level=0.9)["x0"]["sd low"] < first.tables()["x0"]["sd"]).all()


def test_drawn_rows_weigh_as_much_as_the_rows():
    weights = np.array([1.0, 0.0, 3.0, 0.5])
    found = drawn(weights, np.random.default_rng(0))
    assert found.sum() == pytest.approx(4.5)
    assert found[1] == 0
    overlap = np.array([[1.0, 9.0, 2.0], [8.0, 7.0, 1.0], [0.0, 3.0, 5.0]])
    assert best_match(overlap, np.zeros(3, dtype=int)).tolist() == [1, 0, 2]
    assert best_match(overlap, np.array([0, 1, 1])).tolist() == [0, 1, 2]


@pytest.mark.parametrize("names", [("mean x", "sd y"), ("sdnn", "mean"), ("correlation of mean x", "y")])
@pytest.mark.parametrize("shape", ["full", "diagonal"])
def test_no_name_of_a_column_changes_its_intervals(names, shape):
    """Not even one that reads like a title or a heading of the tables."""
    cells, start = numbers() * [1, -1], np.repeat([0, 1], 60)

    def ends(first, second):
        model = MIXTURE(shape, intervals="information", start=start).fit({first: cells[:, 0], second: cells[:, 1]})
        _, *tables = model.tables(level=0.9).values()
        return [entry for table in tables for entry in list(table.values())[1:]]

    same(ends(*names), ends("u", "v"))


def test_what_has_no_information_is_refused_with_the_reason(monkeypatch, tmp_path):
    rows = numbers()
    with pytest.raises(HiddenLabelsError, match="intervals='information'"):
        MIXTURE().fit(rows).tables(level=0.9)
    with pytest.raises(ParameterError, match=r"intervals must be None, 'information'.*found 'louis'"):
        MIXTURE(intervals="louis").fit(rows)
    with pytest.raises(ParameterError, match=r"intervals must be None, 'information'.*found \('information', 50\)"):
        MIXTURE(intervals=("information", 50)).fit(rows)
    with pytest.raises(ParameterError, match="2 draws or more; found 1"):
        GaussianDiscriminant(em=EM(intervals=("bootstrap", 1))).fit(rows, half_known())
    noisy = discriminant(label_noise="estimate", intervals="scores")
    with pytest.raises(ParameterError, match="confusion table is learned too"):
        noisy.fit(rows, np.repeat(["a", "b"], 60))
    monkeypatch.setattr("suffice.model.em.information.MOST_PARAMETERS", 5)
    with pytest.raises(ParameterError, match="11 parameters; intervals for more than 5"):
        MIXTURE(intervals="information").fit(rows)
    monkeypatch.undo()
    fitted = MIXTURE(intervals="information").fit(rows)
    fitted.save(tmp_path / "model")
    with pytest.raises(HiddenLabelsError, match="not saved in files"):
        load(tmp_path / "model").predict_interval(rows)
    monkeypatch.setattr(GammaPrior, "chart", lambda self, density, statistics: None)
    with pytest.raises(ParameterError, match="family of 'events' has no chart"):
        MIXTURE(kinds={"events": "poisson"}, intervals="information").fit(mixed()[["events"]])


def test_rows_that_do_not_determine_the_parameters_have_no_intervals():
    """Two questions with two answers each leave three numbers for five parameters."""
    table = items(0, 100, levels=2)[["q0", "q1"]]
    start, control = np.arange(100) % 2, {"tol": 1e-15, "max_iter": 5000}
    model = LatentClass(2, smoothing=0, intervals="information", start=start, **control).fit(table)
    with pytest.raises(SingularError, match="no inverse: the rows do not determine"):
        model.standard_errors()


@pytest.mark.parametrize("form", [{"shared": True}, {"shape": "spherical", "shared": True}, {"shape": "full"}], ids=str)
@pytest.mark.parametrize("holes", [0.0, 0.2])
def test_a_draw_of_the_bootstrap_is_a_fit_to_the_rows_drawn(form, holes):
    rows, settings = numbers(holes=holes), form | {"parameter_prior": "flat"}
    model = MIXTURE(**settings).fit(rows)
    weights = drawn(np.ones(len(rows)), np.random.default_rng(3))
    problem, control = unlabelled(MIXTURE(**settings), rows)
    found = learned_again(problem.rows, Parameters(model.joint_.prevalence, model.joint_.density), weights, control)
    expected = MIXTURE(**settings, start=model).fit(rows, sample_weight=weights).joint_
    same(found.prevalence, expected.prevalence, rtol=1e-6)
    for part, other in zip(found.density.known, expected.density.known, strict=True):
        for name, array in part.arrays().items():
            same(array, other.arrays()[name], rtol=1e-5, atol=1e-8)
