"""The tags of estimators say what they take: tried with a table of each sort."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.utils import get_tags

from suffice import (
    BayesDecision,
    GaussianDiscriminant,
    LatentClass,
    LinearDiscriminant,
    Mixture,
    NaiveBayes,
    NearestMean,
    QuadraticDiscriminant,
)
from suffice.errors import SufficeError

RNG = np.random.default_rng(0)
Y = np.arange(40) % 2
KINDS = [
    None,
    {},
    "gaussian",
    "log-gaussian",
    "categorical",
    "binary",
    "poisson",
    "exponential",
    "counts",
]
MODELS = [
    *(NaiveBayes(kinds=kinds) for kinds in KINDS),
    *(Mixture(1, kinds=kinds) for kinds in KINDS),
    LatentClass(1),
    LinearDiscriminant(),
    QuadraticDiscriminant(),
    QuadraticDiscriminant(shrink_spherical=0.5),
    GaussianDiscriminant(shape="diagonal"),
    NearestMean(),
    BayesDecision(LinearDiscriminant()),
    BayesDecision(NaiveBayes(kinds="counts")),
    BayesDecision(LogisticRegression()),
]


def cells(model):
    """Numbers that every kind takes, but for ln of 0."""
    least = 1 if getattr(model, "kinds", None) == "log-gaussian" else 0
    return RNG.integers(0, 2, (40, 3)) + least + (0.0 if getattr(model, "kinds", 0) is not None else 0.5)


def changed(table, value):
    out = table.copy()
    out[5, 1] = value
    return out


SORTS = {
    "string": lambda table: np.where(table > table.min(), "u", "v").astype(object),
    "allow_nan": lambda table: changed(table, np.nan),
    "sparse": sparse.csr_array,
}


@pytest.mark.filterwarnings("ignore::suffice.errors.SufficeWarning")
@pytest.mark.parametrize("sort", SORTS)
@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_tags_say_what_is_taken(model, sort):
    tags = get_tags(model).input_tags
    table = SORTS[sort](cells(model))
    assert tags.categorical == tags.string
    if getattr(tags, sort):
        model.fit(table, Y)
    else:
        with pytest.raises((SufficeError, ValueError, TypeError)):
            model.fit(table, Y)


@pytest.mark.filterwarnings("ignore::suffice.errors.SufficeWarning")
@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_tags_say_whether_numbers_may_be_negative(model):
    negative = changed(cells(model), -1.0)
    if get_tags(model).input_tags.positive_only:
        with pytest.raises(SufficeError, match=r"Negative|without a logarithm"):
            model.fit(negative, Y)
    else:
        model.fit(negative, Y)
