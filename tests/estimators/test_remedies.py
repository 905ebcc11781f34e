"""What errors advise: only parameters that the model has, and that would change something; and advice that helps."""

import json
import re

import numpy as np
import pytest

from suffice import (
    GaussianDiscriminant,
    LatentClass,
    LinearDiscriminant,
    Mixture,
    NaiveBayes,
    NearestMean,
    QuadraticDiscriminant,
)
from suffice.errors import CollapsedError, SingularError

rng = np.random.default_rng(0)
y = np.arange(40) % 2
DEPENDENT = rng.normal(size=(40, 1)) * np.ones((1, 3))
FEW = rng.normal(size=(41, 3))
FEW_LABELS = np.array([*y, 2])
STILL = np.where(y[:, None] == 0, 1.0, rng.normal(size=(40, 2)))
CASES = {
    "columns that follow from each other": (DEPENDENT, y),
    "a class of one row": (FEW, FEW_LABELS),
    "a class that does not vary": (STILL, y),
    "fewer rows than columns": (rng.normal(size=(12, 30)), y[:12]),
}
MODELS = [
    model
    for estimate in ({"estimate": "ml"}, {"estimate": "map", "parameter_prior": "flat"}, {"estimate": "unbiased"})
    for model in (
        *(QuadraticDiscriminant(shape, **estimate) for shape in ("full", "diagonal")),
        GaussianDiscriminant(**estimate),
        GaussianDiscriminant(shared=True, **estimate),
        LinearDiscriminant(**estimate),
        NearestMean(**estimate),
        NaiveBayes(**estimate),
        NaiveBayes(joint=[["x0", "x1"]], **estimate),
    )
]


def advised(error):
    """Parameters that a message says to use, with the values it says."""
    advice = str(error).rpartition("Use ")[2]
    found = dict(re.findall(r"(\w+)=('\w+'|[\w.]*\w)", advice))
    return {name: value.strip("'") if "'" in value else json.loads(value.lower()) for name, value in found.items()}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_advice_names_parameters_that_the_model_has_and_each_helps(model, case):
    X, labels = CASES[case]
    try:
        model.fit(X, labels)
    except SingularError as error:
        told, parameters = advised(error), model.get_params()
    else:
        return
    assert told
    for name, value in told.items():
        assert name in parameters
        assert value != parameters[name]
        changed = parameters | {name: value}
        if value == "map":  # the prior that comes with it, not the one that was asked for
            changed |= {"parameter_prior": "weak"}
        assert type(model)(**changed).fit(X, labels).classes_ is not None


TWINS = np.repeat([[0.5, 1.5], [1.5, 3.5]], 10, axis=0)
COLLAPSING = [
    *(Mixture(3, shape, shared, parameter_prior="flat") for shape in ("full", "diagonal") for shared in (False, True)),
    LatentClass(3, kinds="gaussian", parameter_prior="flat"),
    NaiveBayes(kinds="gaussian", components=3, estimate="ml"),
    QuadraticDiscriminant(components=3, estimate="ml"),
    LinearDiscriminant(components=3, estimate="ml"),
]


@pytest.mark.parametrize("model", COLLAPSING, ids=repr)
def test_where_components_collapse_advice_is_about_the_model_too(model):
    with pytest.raises(CollapsedError, match=r"EM failed from every start.*Use fewer components") as caught:
        model.fit(TWINS, np.arange(20) % 2)
    told, parameters = advised(caught.value), model.get_params()
    assert told
    for name, value in told.items():
        assert name in parameters
        assert value != parameters[name]
    prior = {name: value for name, value in told.items() if name in ("parameter_prior", "estimate")}
    assert type(model)(**parameters | prior).fit(TWINS, np.arange(20) % 2).joint_ is not None


@pytest.mark.parametrize("face", [LinearDiscriminant, QuadraticDiscriminant])
@pytest.mark.parametrize("estimate", ["unbiased", "ml"])
@pytest.mark.parametrize("weights", [None, np.full(20, 0.3), np.arange(20) + 1.0])
def test_fewer_rows_than_columns_are_refused_without_an_eigenvalue(face, estimate, weights, monkeypatch):
    """What a factorisation of low rank knows at once: eigenvalues of many columns take a hundred times as long."""
    for name in ("eigh", "eigvalsh", "svd"):
        monkeypatch.delattr(np.linalg, name)
    model = face(estimate=estimate)
    with pytest.raises(SingularError, match="linear dependence between"):
        model.fit(np.random.default_rng(0).normal(size=(20, 200)), np.arange(20) % 2, sample_weight=weights)


@pytest.mark.parametrize("seed", range(10))
def test_columns_that_are_named_depend_on_each_other(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 8)) * 10.0 ** rng.integers(-6, 7, 8)
    some = rng.choice(8, 4, replace=False)
    X[:, some[0]] = (X[:, some[1:]] / X[:, some[1:]].std(axis=0)).sum(axis=1)
    with pytest.raises(SingularError) as caught:
        LinearDiscriminant(estimate="unbiased").fit(X, np.arange(60) % 3)
    assert sorted(caught.value.columns) == sorted(some)
