"""Choosing among mixtures: every model class, labels that say what was chosen, and arguments that make no sense."""

import matplotlib
import numpy as np
import pandas as pd
import pytest

from estimators.hidden_cases import clumps
from suffice import BayesDecision, LatentClass, Mixture, NaiveBayes, choose, estimate_priors, plots
from suffice.errors import CollapsedError, ParameterError, SufficeError, TableError

matplotlib.use("Agg")

X, which = clumps(60, 2, 2)
CATEGORIES = pd.DataFrame({f"q{j}": np.where((np.arange(60) * 7 + j) % (3 + j) > 1, "yes", "no") for j in range(4)})
EVENTS = pd.DataFrame({"visits": np.random.default_rng(0).poisson(2 + 5 * which)})
MODELS = {
    "latent classes": (LatentClass(), CATEGORIES, False),
    "latent classes with numbers": (LatentClass(kinds={"q0": "categorical"}), CATEGORIES.assign(z=X[:, 0]), True),
    "categories": (Mixture(), CATEGORIES, False),
    "events": (Mixture(kinds="poisson"), EVENTS, False),
    "numbers": (Mixture(), X, True),
    "mixed": (Mixture(shape="diagonal"), CATEGORIES.assign(z=X[:, 0]), True),
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("criterion", ["bic", "icl", "aic"])
def test_every_mixture_can_be_chosen_and_says_what_it_is(name, criterion):
    model, table, numeric = MODELS[name]
    found = choose(model.set_params(restarts=1), table, (1, 2), criterion=criterion)
    assert type(found.best) is type(model)
    assert [candidate.components for candidate in found.candidates] == [1, 2]
    columns = set(found.table())
    assert ({"shape", "shared"} <= columns) is numeric
    assert ("own" in repr(found)) is numeric
    assert found.best.bic(table) == found.candidates[found.winner].values["bic"]
    assert (plots.choice(found).get_legend() is not None) is numeric
    matplotlib.pyplot.close("all")


def test_the_shape_is_the_one_that_was_fitted():
    found = choose(LatentClass(kinds="gaussian", restarts=1), X, (1,))
    assert found.candidates[0].form == "diagonal, own"


@pytest.mark.parametrize("model, table", [(LatentClass(), CATEGORIES), (LatentClass(), X), (Mixture(), CATEGORIES)])
@pytest.mark.parametrize("asked", [{"shapes": ("full",)}, {"shared": (True, False)}])
def test_shapes_are_refused_where_there_is_none_to_choose(model, table, asked):
    with pytest.raises(ParameterError, match=r"about the covariance of numeric columns.*Leave them out"):
        choose(model, table, (1, 2), **asked)


NONSENSE = {
    "components": (
        3,
        "3",
        [],
        [0],
        [2.0],
        [True],
        ["a"],
        None,
        [2, None],
        {2: 3},
        [np.nan],
        [-1],
        2.5,
        object(),
        np.array(2),
    ),
    "shapes": ("full", [], ["round"], [None], [1], 3, [["full"]], {"full": 1}),
    "shared": (True, False, "yes", [], [1], [None], ["True"], 3),
    "criterion": ("BIC", None, 3, ["bic"], "", np.array(["bic"])),
    "sample_weight": ([1], -1, [-1.0] * 60, np.ones((60, 2)), [np.nan] * 60, {"w": 1}),
}
EXPECTED = {
    "components": "components must be whole numbers, 1 or more, such as",
    "shapes": "shapes must be some of full|shapes=.* is not known; use one of full",
    "shared": "shared must be some of True and False|shared must be True or False",
    "criterion": "criterion=.* is not known; use one of bic, icl, aic",
    "sample_weight": "weight",
}


@pytest.mark.parametrize("name", NONSENSE)
def test_arguments_that_make_no_sense_are_refused_before_any_fit(name, monkeypatch):
    monkeypatch.setattr(Mixture, "fit", None)
    for given in NONSENSE[name]:
        with pytest.raises(ParameterError, match=EXPECTED[name]):
            choose(Mixture(), X, **{"components": (1, 2), name: given})
    with pytest.raises(TableError, match="Only a table with named columns has one called 'a'"):
        choose(Mixture(), X, (1, 2), sample_weight="a")


@pytest.mark.parametrize("model", [NaiveBayes(), Mixture, "mixture", None, 3])
def test_only_mixtures_are_chosen_among(model):
    with pytest.raises(ParameterError, match="choose needs a Mixture or LatentClass"):
        choose(model, X)


@pytest.mark.parametrize(
    "options",
    [{"max_iter": 0}, {"tol": "a"}, {"kinds": "round"}, {"parameter_prior": 3}, {"start": 1}],
)
def test_a_model_that_makes_no_sense_is_an_error_not_a_note(options):
    with pytest.raises(SufficeError) as caught:
        choose(Mixture(**options), X, (1, 2))
    assert not isinstance(caught.value, CollapsedError)


def test_more_components_than_rows_are_a_note():
    found = choose(Mixture(restarts=1), X[:4], (1, 9))
    assert "4 samples for 9 components" in found.candidates[1].note
    assert found.best.components == 1


def test_nothing_that_could_be_fitted_is_no_picture():
    found = choose(Mixture(restarts=1), X[:4], (9,))
    for ask in (lambda: found.best, lambda: plots.choice(found)):
        with pytest.raises(ParameterError, match="None of the mixtures could be fitted"):
            ask()
    matplotlib.pyplot.close("all")


@pytest.mark.parametrize("model, table", [(Mixture(2, restarts=1), X), (LatentClass(2, restarts=1), CATEGORIES)])
def test_components_are_no_classes(model, table):
    with pytest.raises(ParameterError, match="BayesDecision decides on top of a classifier"):
        BayesDecision(model).fit(table, which)
    with pytest.raises(ParameterError, match="Estimating priors needs the posteriors of a fitted classifier"):
        estimate_priors(model.fit(table), table)
    with pytest.raises(ParameterError, match="Regions need a fitted classifier"):
        plots.regions(model, table, which)
