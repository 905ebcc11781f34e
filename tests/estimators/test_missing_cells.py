"""Missing cells among columns modelled together: EM on their patterns is EM on the rows, reaches the maximum, and
prediction leaves out exactly what is missing."""

from functools import reduce
from itertools import product
from operator import add

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import multivariate_normal, multivariate_t

from suffice import (
    GaussianDiscriminant,
    LinearDiscriminant,
    NaiveBayes,
    NormalInverseWishart,
    QuadraticDiscriminant,
    collect,
)
from suffice.errors import (
    ConstantColumnWarning,
    FallingObjectiveError,
    HiddenCellsError,
    NotConvergedWarning,
    ParameterError,
    SingularError,
)
from suffice.families.gaussian.family import Gaussian
from suffice.families.gaussian.shapes import FULL
from suffice.families.memberships import memberships
from suffice.families.protocol import LastStep
from suffice.model.em.loop import Expected, Step
from suffice.model.fit import _converged

ROWS, COLUMNS = 40, 3
ESTIMATES = ["ml", "unbiased", "map", "mean", "predictive"]
shared_or_own = pytest.mark.parametrize("shared", [False, True], ids=["own", "shared"])
weighted = pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
each_estimate = pytest.mark.parametrize("estimate", ESTIMATES)


def drawn(classes=3, rows=ROWS, columns=COLUMNS, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(rows) % classes
    return rng.normal(size=(rows, columns)) @ rng.normal(size=(columns, columns)) + y[:, None], y


def holed(share=0.25, **options):
    """Rows with cells missing here and there, but never all of a row."""
    X, y = drawn(**options)
    rng = np.random.default_rng(1)
    gone = rng.random(X.shape) < share
    gone[np.arange(len(X)), rng.integers(0, X.shape[1], len(X))] = False
    return np.where(gone, np.nan, X), y


def weights(wanted, rows=ROWS):
    return np.random.default_rng(2).uniform(0.2, 3, rows) if wanted else np.ones(rows)


def density(model):
    (part,) = model.joint_.density.parts
    return part


def assert_same(ours, theirs, tolerance=1e-10):
    np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance)


# EM on rows, one by one

PRIOR = {"location": np.array([0.5, -1.0, 2.0]), "kappa": 1.5, "degrees": 6.0, "scatter": np.diag([1.0, 3.0, 2.0])}
NO_PRIOR = {"location": np.zeros(3), "kappa": 0.0, "degrees": 0.0, "scatter": np.zeros((3, 3))}


def started(X, y, w):
    """Means of what is there, and the variance within classes, without correlation."""
    seen = [[~np.isnan(X[:, j]) & (y == k) for j in range(X.shape[1])] for k in np.unique(y)]
    mean = np.array([[np.average(X[at, j], weights=w[at]) for j, at in enumerate(row)] for row in seen])
    there = ~np.isnan(X) * w[:, None]
    within = np.nansum(there * (X - mean[y]) ** 2, axis=0) / there.sum(axis=0)
    return mean, np.stack([np.diag(within)] * len(mean))


def completed(x, mean, covariance):
    """A row as a Gaussian expects it, and what it does not know about the missing cells."""
    gone, here = np.isnan(x), ~np.isnan(x)
    slopes = covariance[np.ix_(gone, here)] @ np.linalg.inv(covariance[np.ix_(here, here)])
    filled, unknown = x.copy(), np.zeros_like(covariance)
    filled[gone] = mean[gone] + slopes @ (x - mean)[here]
    unknown[np.ix_(gone, gone)] = covariance[np.ix_(gone, gone)] - slopes @ covariance[np.ix_(here, gone)]
    return filled, unknown


def maximised(filled, unknown, y, w, shared, prior):
    """Means and covariances: the joint mode under a prior worth `kappa` rows, maximum likelihood without."""
    n, kappa, columns = np.bincount(y, w), prior["kappa"], filled.shape[1]
    mean = np.array([(w * (y == k)) @ filled + kappa * prior["location"] for k in range(len(n))]) / (n + kappa)[:, None]
    off, of_prior = filled - mean[y], mean - prior["location"]
    scatter = [np.einsum("n,nij->ij", w * (y == k), off[:, :, None] * off[:, None] + unknown) for k in range(len(n))]
    scatter = np.array(scatter) + kappa * of_prior[:, :, None] * of_prior[:, None]
    of_mode = prior["degrees"] + columns + 1 if kappa else 0.0  # and one more for each mean
    if shared:
        whole = (scatter.sum(axis=0) + prior["scatter"]) / (n.sum() + of_mode + (len(n) if kappa else 0))
        return mean, np.stack([whole] * len(n))
    return mean, (scatter + prior["scatter"]) / (n + of_mode + (1 if kappa else 0))[:, None, None]


def learned_by_rows(X, y, w, shared, prior, steps):
    mean, covariance = started(X, y, w)
    for _ in range(steps):
        rows = [completed(x, mean[k], covariance[k]) for x, k in zip(X, y, strict=True)]
        filled, unknown = (np.array(part) for part in zip(*rows, strict=True))
        mean, covariance = maximised(filled, unknown, y, w, shared, prior)
    return mean, covariance


@pytest.mark.parametrize("steps", [1, 2, 7])
@pytest.mark.parametrize("prior", [NO_PRIOR, PRIOR], ids=["ml", "map"])
@weighted
@shared_or_own
def test_every_step_is_the_step_on_the_rows(shared, weighted, prior, steps):
    (X, y), w, family = holed(), weights(weighted), Gaussian(3, FULL, shared)
    classes = int(y.max()) + 1
    statistics = family.statistics(X, memberships(y, classes, w))
    belief = NormalInverseWishart(**prior).on(family, classes) if prior["kappa"] else family.flat(classes)
    found = family.initial_parameters(statistics)
    for _ in range(steps):
        found = belief.after(statistics.expected(found)).mode()
    mean, covariance = learned_by_rows(X, y, w, shared, prior, steps)
    assert_same(found.mean, mean)
    assert_same(np.broadcast_to(found.covariance, covariance.shape), covariance)


@shared_or_own
def test_it_ends_where_rows_end(shared):
    X, y = holed()
    mean, covariance = learned_by_rows(X, y, weights(False), shared, NO_PRIOR, 250)
    found = density(GaussianDiscriminant(shared=shared, estimate="ml").fit(X, y))
    assert_same(found.mean, mean, 1e-5)
    assert_same(np.broadcast_to(found.covariance, covariance.shape), covariance, 1e-5)


# the maximum itself


def unpacked(parameters):
    """Mean and covariance of two columns from five free numbers."""
    root = np.array([[np.exp(parameters[2]), 0.0], [parameters[3], np.exp(parameters[4])]])
    return parameters[:2], root @ root.T


def log_likelihood(X, mean, covariance):
    seen = [~np.isnan(x) for x in X]
    return sum(
        multivariate_normal.logpdf(x[o], mean[o], covariance[np.ix_(o, o)]) for x, o in zip(X, seen, strict=True)
    )


@pytest.mark.parametrize("seed", range(3))
def test_no_other_gaussian_fits_better(seed):
    X, y = holed(classes=1, rows=25, columns=2, seed=seed)
    best = minimize(lambda parameters: -log_likelihood(X, *unpacked(parameters)), np.zeros(5), tol=1e-10, method="BFGS")
    mean, covariance = unpacked(best.x)
    found = density(QuadraticDiscriminant(estimate="ml").fit(X, y))
    assert_same(found.mean[0], mean, 1e-5)
    assert_same(found.covariance[0], covariance, 1e-5)


@pytest.mark.parametrize("estimate", ["ml", "map"])
@pytest.mark.filterwarnings("ignore::suffice.errors.NotConvergedWarning")
@shared_or_own
def test_the_objective_rises_step_by_step(monkeypatch, shared, estimate):
    X, y = holed(0.5)
    model, reached = GaussianDiscriminant(shared=shared, estimate=estimate), []
    for steps in range(1, 12):
        monkeypatch.setattr("suffice.model.fit.MOST_STEPS", steps)
        reached.append(objective(model.fit(X, y), X, y))
    assert (np.diff(reached) > -1e-9).all()


def objective(model, X, y):
    """Ln p of the cells given the classes, and what MAP adds to it."""
    piece, found = next(model.recipe().design(model.summary_).pieces(model.summary_)), density(model)
    family = piece.family
    prior = family.weak(piece.statistics) if model.estimate_ == "map" else family.flat(len(model.classes_))
    return (model.log_joint(X) - np.log(model.priors_))[np.arange(len(y)), y].sum() + prior.log_density(found).sum()


@pytest.mark.parametrize("estimate", ["ml", "map"])
def test_a_class_of_complete_rows_has_the_closed_form(estimate):
    """What is missing in other classes does not matter; nor for map, where the prior is given."""
    X, y = holed()
    X[y == 0] = drawn()[0][y == 0]
    given = {("x0", "x1", "x2"): NormalInverseWishart(**PRIOR)} if estimate == "map" else "weak"
    model = QuadraticDiscriminant(estimate=estimate, parameter_prior=given)
    alone = density(model.fit(X[y == 0], y[y == 0]))
    among = density(model.fit(X, y))
    assert_same(among.mean[0], alone.mean[0])
    assert_same(among.covariance[0], alone.covariance[0])


# prediction


def expected_log_density(found, x, k):
    """Of the cells that are there, by scipy."""
    o = ~np.isnan(x)
    if hasattr(found, "degrees"):
        scale = np.broadcast_to(found.squared_scale, (len(found.mean), COLUMNS, COLUMNS))[k][np.ix_(o, o)]
        df = np.broadcast_to(found.degrees[:, 0], len(found.mean))[k]
        return multivariate_t.logpdf(x[o], found.mean[k, o], scale, df)
    covariance = np.broadcast_to(found.covariance, (len(found.mean), COLUMNS, COLUMNS))[k][np.ix_(o, o)]
    return multivariate_normal.logpdf(x[o], found.mean[k, o], covariance)


@each_estimate
@shared_or_own
def test_prediction_leaves_out_what_is_missing(shared, estimate):
    model = GaussianDiscriminant(shared=shared, estimate=estimate).fit(*drawn())
    X, _ = holed(0.5)
    expected = [[expected_log_density(density(model), x, k) for k in range(3)] for x in X]
    assert_same(model.log_joint(X), expected + np.log(model.priors_))


@each_estimate
@pytest.mark.parametrize("shape", ["full", "diagonal", "spherical"])
@shared_or_own
def test_a_row_with_nothing_in_it_keeps_the_priors(shape, shared, estimate):
    given = {0: 0.2, 1: 0.7, 2: 0.1}
    model = GaussianDiscriminant(shape, shared, estimate=estimate, priors=given).fit(*drawn())
    assert_same(model.predict_proba(np.full((2, COLUMNS), np.nan)), [list(given.values())] * 2)


@each_estimate
@pytest.mark.parametrize("shape", ["full", "diagonal", "spherical"])
@shared_or_own
def test_a_row_with_nothing_in_it_only_counts(shape, shared, estimate):
    X, y = drawn()
    model = GaussianDiscriminant(shape, shared, estimate=estimate)
    without = model.fit(X, y).log_joint(X) - np.log(model.priors_)
    model.fit(np.vstack([X, np.full((4, COLUMNS), np.nan)]), [*y, 0, 1, 1, 1])
    assert_same(model.log_joint(X) - np.log(model.priors_), without)
    assert model.summary_.statistics.weight.tolist() == [15, 16, 13]
    assert_same(model.priors_, np.array([15, 16, 13]) / 44)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("shape", ["full", "diagonal"])
def test_scores_of_a_row_with_missing_cells_are_those_of_the_others(classes, shape):
    X, y = drawn(classes)
    model = LinearDiscriminant(shape=shape, estimate="map").fit(X, y)
    X[0, 1] = np.nan
    scores = model.decision_function(X).reshape(len(X), -1)
    expected = np.diff(model.log_joint(X), axis=1)
    assert_same(scores if classes == 2 else np.diff(scores, axis=1), expected)
    np.testing.assert_array_equal(np.isnan(model.transform(X)).all(axis=1), np.arange(ROWS) == 0)


# what EM cannot do


@shared_or_own
def test_what_em_need_not_raise_is_refused(shared):
    with pytest.raises(HiddenCellsError, match=r"estimate='unbiased'.*estimate='map' or 'ml'"):
        GaussianDiscriminant(shared=shared, estimate="unbiased").fit(*holed())


def test_other_last_steps_are_of_the_belief_where_em_ends():
    """The same belief: means and predictives have the location of the mode, and wider spreads by one factor."""
    X, y = holed()
    mode, mean, predictive = (
        LinearDiscriminant(estimate=estimate).fit(X, y) for estimate in ("map", "mean", "predictive")
    )
    for other in (mean, predictive):
        np.testing.assert_allclose(other.means_, mode.means_, rtol=1e-9)
    wider = mean.covariance_ / mode.covariance_
    assert (wider > 1).all()
    np.testing.assert_allclose(wider, np.broadcast_to(wider[:1, :1], wider.shape), rtol=1e-9)
    each = predictive.joint_.density.parts[0]
    factor = each.squared_scale / np.broadcast_to(mode.covariance_, each.squared_scale.shape)
    np.testing.assert_allclose(factor, np.broadcast_to(factor[:, :1, :1], factor.shape), rtol=1e-9)


@pytest.mark.parametrize("step", [LastStep.MEAN, LastStep.PREDICTIVE], ids=lambda step: step.name.lower())
def test_own_covariances_end_with_the_prior_of_their_last_step(step):
    """Rows as EM left them, around the same means; what is believed beforehand is as wide as that step asks for."""
    X, y = holed()
    name = step.name.lower()
    mode, other = (QuadraticDiscriminant(estimate=estimate).fit(X, y) for estimate in ("map", name))
    piece = next(mode.recipe().design(mode.summary_).pieces(mode.summary_))
    weak, made = piece.family.weak(piece.statistics), piece.family.weak_for(piece.statistics, step)
    rows = np.bincount(y)[:, None, None]
    scatter = mode.covariance_ * (weak.divisor(LastStep.MODE)[:, :, None] + rows) - weak.scatter + made.scatter
    np.testing.assert_allclose(other.means_, mode.means_, rtol=1e-9)
    expected = scatter / (weak.divisor(step)[:, :, None] + rows)
    found = other.joint_.density.parts[0]
    if step is LastStep.PREDICTIVE:
        expected = expected * (1 + 1 / (weak.kappa[:, :1, None] + rows))
    np.testing.assert_allclose(
        found.squared_scale if step is LastStep.PREDICTIVE else found.covariance, expected, rtol=1e-6
    )


@pytest.mark.filterwarnings("ignore::suffice.errors.UndeterminedWarning")
@shared_or_own
def test_a_column_that_does_not_vary_within_classes(shared):
    X, y = holed()
    X[:, 0] = 2.0 * y
    assert np.isfinite(GaussianDiscriminant(shared=shared).fit(X, y).log_joint(X)).all()


@pytest.mark.parametrize("option", ["shrink_shared", "shrink_spherical"])
@pytest.mark.parametrize("estimate", ["auto", "ml", "map"])
def test_shrinkage_is_refused(option, estimate):
    with pytest.raises(HiddenCellsError, match=r"shrinkage.*without shrinkage"):
        GaussianDiscriminant(estimate=estimate, **{option: 0.1}).fit(*holed())


@pytest.mark.parametrize("face", [QuadraticDiscriminant(), LinearDiscriminant(), NaiveBayes(joint=[["x0", "x1"]])])
def test_auto_is_what_a_prior_and_em_can_give_and_says_so(face):
    X, y = holed()
    automatic, used = face.fit(X, y).log_joint(X), "mean" if isinstance(face, LinearDiscriminant) else "predictive"
    assert face.estimate_ == used
    assert f"estimate {used}" in str(face)
    assert_same(face.set_params(estimate=used).fit(X, y).log_joint(X), automatic)


@pytest.mark.parametrize("shape", ["diagonal", "spherical"])
@each_estimate
def test_columns_by_themselves_need_no_em(shape, estimate):
    X, y = holed()
    assert GaussianDiscriminant(shape, estimate=estimate).fit(X, y).estimate_ == estimate
    assert GaussianDiscriminant(shape).fit(X, y).estimate_ == "unbiased"


@pytest.mark.parametrize("shape", ["full", "diagonal", "spherical"])
@pytest.mark.parametrize("estimate", ["ml", "unbiased"])
@shared_or_own
def test_a_mean_of_which_nothing_was_seen_is_not_made_up(shape, shared, estimate):
    """Neither 0, which depends on the origin, nor wherever EM began."""
    X, y = drawn()
    X[y == 1, 2] = np.nan
    with pytest.raises((SingularError, HiddenCellsError), match=r"class 1.*'x2'|estimate='unbiased' EM"):
        GaussianDiscriminant(shape, shared, estimate=estimate).fit(X, y)


@shared_or_own
@pytest.mark.parametrize("shape", ["full", "diagonal", "spherical"])
def test_map_knows_something_about_every_mean(shape, shared):
    X, y = drawn()
    X[y == 1, 2] = np.nan
    model = GaussianDiscriminant(shape, shared, estimate="map").fit(X, y)
    assert np.isfinite(model.log_joint(drawn()[0])).all()


def test_a_column_never_seen_is_left_out():
    X, y = holed()
    with pytest.warns(ConstantColumnWarning, match="'x3'"):
        model = QuadraticDiscriminant().fit(np.column_stack([X, np.full(ROWS, np.nan)]), y)
    expected = QuadraticDiscriminant().fit(X, y).log_joint(X)
    assert_same(model.log_joint(np.column_stack([X, np.ones(ROWS)])), expected)


# summaries


@pytest.mark.parametrize("estimate", ["ml", "map"])
@shared_or_own
def test_merged_patterns_are_pooled_rows(shared, estimate):
    X, y = holed()
    order = np.argsort(np.isnan(X) @ [4, 2, 1], kind="stable")  # so that each batch has patterns of its own
    merged = reduce(add, (collect(X[some], y[some]) for some in order.reshape(4, -1)))
    assert merged == collect(X, y)
    expected = GaussianDiscriminant(shared=shared, estimate=estimate).fit(X, y).log_joint(X)
    found = GaussianDiscriminant.from_summary(merged, shared=shared, estimate=estimate).log_joint(X)
    assert_same(found, expected, 1e-8)


@weighted
def test_a_summary_with_patterns_is_the_fit(weighted):
    (X, y), w = holed(), weights(weighted)
    summary = collect(X, y, sample_weight=w)
    for face in (QuadraticDiscriminant, LinearDiscriminant, NaiveBayes):
        expected = face().fit(X, y, sample_weight=w).log_joint(X)
        assert_same(face.from_summary(summary).log_joint(X), expected)


def test_batches_are_one_fit():
    X, y = holed()
    parts = QuadraticDiscriminant()
    for some in np.split(np.arange(ROWS), [1, 9, 30]):
        parts.partial_fit(X[some], y[some])
    assert_same(parts.log_joint(X), QuadraticDiscriminant().fit(X, y).log_joint(X), 1e-9)


def every_pattern(columns=10):
    """A row for each pattern of missing cells but the empty one."""
    gone = ~np.array(list(product([True, False], repeat=columns)))[:-1]
    X, y = drawn(2, len(gone), columns)
    return np.where(gone, np.nan, X), y


def test_too_many_patterns_are_refused():
    with pytest.raises(ParameterError, match=r"more than 1000 different patterns over 10 columns.*joint=False"):
        QuadraticDiscriminant().fit(*every_pattern())


def test_too_many_patterns_in_two_summaries_are_refused():
    X, y = every_pattern()
    first, second = collect(X[:600], y[:600]), collect(X[600:], y[600:])
    with pytest.raises(ParameterError, match="more than 1000 different patterns"):
        first + second


def test_too_many_patterns_are_fine_for_columns_by_themselves():
    X, y = every_pattern()
    expected = NaiveBayes(estimate="map").fit(X, y).log_joint(X)
    assert_same(NaiveBayes.from_summary(collect(X, y, joint=False), estimate="map").log_joint(X), expected)
    assert_same(GaussianDiscriminant("diagonal", estimate="map").fit(X, y).log_joint(X), expected)


# beside categories


def mixed():
    X, y = holed(columns=2)
    rng = np.random.default_rng(3)
    colours = rng.choice(np.array(["red", "blue", None], dtype=object), ROWS)
    return {"a": X[:, 0], "colour": colours, "b": X[:, 1]}, y


@pytest.mark.parametrize("estimate", ["auto", "ml", "map"])
def test_numbers_together_beside_categories(estimate):
    table, y = mixed()
    model = NaiveBayes(joint=[["a", "b"]], estimate=estimate).fit(table, y)
    numbers, colours = ({name: table[name] for name in some} for some in (["a", "b"], ["colour"]))
    apart = QuadraticDiscriminant(estimate=estimate).fit(numbers, y).log_joint(numbers)
    apart += NaiveBayes(estimate=estimate).fit(colours, y).log_joint(colours)
    assert_same(model.log_joint(table), apart - np.log(model.priors_))


def test_beside_categories_too_em_is_refused_what_it_cannot_do():
    table, y = mixed()
    with pytest.raises(HiddenCellsError, match="estimate='unbiased'"):
        NaiveBayes(joint=[["a", "b"]], estimate="unbiased").fit(table, y)


def test_two_columns_that_no_row_has_both_of_are_named():
    X, _ = drawn()
    X[:20, 0] = X[20:, 2] = np.nan
    table = dict(zip("abc", X.T, strict=True))
    with pytest.raises(SingularError, match="there is no row with both of 'a', 'c'"):
        QuadraticDiscriminant(estimate="ml").fit(table, np.zeros(ROWS))


class Lowered:
    """EM whose third step falls, as rounding may make it where six rows of columns 1e11 apart in spread are all."""

    def steps(self, first):
        yield Step(QuadraticDiscriminant(estimate="ml").fit(*drawn()).joint_.density.parts[0], first, 1.0, 1.0, 0.0)
        yield Step(QuadraticDiscriminant(estimate="map").fit(*drawn()).joint_.density.parts[0], first, 2.0, 2.0, 0.0)
        raise FallingObjectiveError("EM lowered its objective.")


def test_where_floats_have_no_more_digits_em_stops_and_says_so():
    with pytest.warns(NotConvergedWarning, match="stopped where floats have no more digits"):
        found = _converged(Lowered(), Expected(None, np.nan, np.nan))
    assert found.objective == 2.0
