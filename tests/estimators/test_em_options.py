"""Options of EM: every face refuses what makes no sense, before any work and in our own words."""

from contextlib import suppress

import numpy as np
import pytest
from numpy.linalg import LinAlgError
from sklearn.exceptions import ConvergenceWarning

from estimators.hidden_cases import clumps
from suffice import (
    EM,
    GaussianDiscriminant,
    LatentClass,
    LinearDiscriminant,
    Mixture,
    NaiveBayes,
    NearestMean,
    QuadraticDiscriminant,
    collect,
)
from suffice.errors import NotConvergedWarning, ParameterError, SingularError, SufficeError

X, which = clumps(30, 2)
CATEGORIES = np.where(np.median(X, axis=0) < X, "much", "little")

NO_COUNT = [0, -1, 1.5, 2.0, True, np.True_, "a", None, np.nan, np.inf, [3], np.array([1, 2]), 1j, object()]
NONSENSE = {
    "max_iter": NO_COUNT,
    "restarts": NO_COUNT,
    "tol": [-1, -1e-300, np.nan, np.inf, "a", None, True, [1e-3], np.array([1, 2]), 1j],
    "random_state": ["a", 2.5, -1, True, object(), [0.5], np.nan],
}
REMEDY = {
    "max_iter": "max_iter, the most steps EM may take, must be a whole number, 1 or more; found",
    "restarts": "restarts, the number of starts of EM, must be a whole number, 1 or more; found",
    "tol": "tol, how many nats per row a step of EM must gain to go on, must be 0 or more; found",
    "random_state": "random_state must be a whole number, 0 or more, a NumPy generator or None; found",
}
CLASSIFIERS = [NaiveBayes, GaussianDiscriminant, LinearDiscriminant, QuadraticDiscriminant, NearestMean]
WAYS = {
    **{model.__name__: lambda model=model, **options: model(**options).fit(X) for model in (Mixture, LatentClass)},
    **{
        f"{model.__name__}, {name}": lambda model=model, y=y, **how: model(em=EM(**how)).fit(X, y)
        for model in CLASSIFIERS
        for name, y in (("known", which), ("hidden", np.where(np.arange(30) < 20, which, None)))
    },
    "several components": lambda **how: NaiveBayes(components=2, em=EM(**how)).fit(X, which),
    "in batches": lambda **how: NaiveBayes(em=EM(**how)).partial_fit(X, which),
    "from a summary": lambda **how: NaiveBayes.from_summary(collect(X, which), em=EM(**how)),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("option", NONSENSE)
def test_controls_that_make_no_sense_are_refused_by_every_face(way, option):
    for given in NONSENSE[option]:
        with pytest.raises(ParameterError, match=REMEDY[option]):
            WAYS[way](**{option: given})


@pytest.mark.parametrize("components", [0, -1, 2.5, 2.0, True, np.True_, "two", None, [2], np.array(2), np.nan])
@pytest.mark.parametrize("model", [Mixture, LatentClass, NaiveBayes, QuadraticDiscriminant])
def test_a_number_of_components_is_a_whole_number(model, components):
    with pytest.raises(ParameterError, match=r"components must be a whole number, 1 or more.*; found"):
        model(components=components).fit(X, which)


@pytest.mark.parametrize("option", ["tol", "max_iter", "restarts", "random_state", "components"])
def test_numbers_of_numpy_are_numbers(option):
    given = {"tol": np.float32(1e-3)}.get(option, np.int16(2))
    assert Mixture(**{"components": 2, option: given}).fit(X).converged_


@pytest.mark.parametrize("seed", [None, 7, np.random.default_rng(0), np.random.SeedSequence(3)])
def test_every_kind_of_seed_serves(seed):
    assert Mixture(2, random_state=seed).fit(X).converged_


ANYTHING = [None, True, 0, -1, 1.5, "a", "", np.nan, [], [1], (1, 2), {"q": 1}, object(), np.ones(3), b"a", 1j, int]
FITTED = {Mixture: X, LatentClass: CATEGORIES}
OPTIONS = [(model, option) for model in FITTED for option in model().get_params()]


@pytest.mark.parametrize("model, option", OPTIONS, ids=lambda part: getattr(part, "__name__", part))
def test_whatever_a_mixture_is_given_it_fits_or_says_what_it_expected(model, option):
    for given in ANYTHING:
        with suppress(SufficeError):
            model(**{"components": 2, "restarts": 1, option: given}).fit(FITTED[model])


@pytest.mark.parametrize("noise", [3, "a", [1], {0: 1}, {0: {0: 1.0}}, {0: 0.5, 1: 0.5}])
def test_label_noise_that_is_none_is_refused(noise):
    with pytest.raises(ParameterError, match="label_noise must be 'estimate', or"):
        NaiveBayes(em=EM(label_noise=noise)).fit(X, which)


def test_a_warning_that_users_of_scikit_learn_filter_and_an_error_that_those_of_numpy_catch():
    with pytest.warns(ConvergenceWarning, match="raise max_iter, or tol") as told:
        Mixture(2, max_iter=2, restarts=1, start="random").fit(X)
    assert told[0].category is NotConvergedWarning
    with pytest.raises(LinAlgError) as caught:
        LinearDiscriminant(estimate="unbiased").fit(np.repeat(X, 2, axis=1), which)
    assert type(caught.value) is SingularError
