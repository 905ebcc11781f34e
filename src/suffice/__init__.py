"""suffice: Bayesian classification from sufficient statistics that add."""

from suffice import plots
from suffice.estimators.discriminants import (
    GaussianDiscriminant,
    LinearDiscriminant,
    NearestMean,
    QuadraticDiscriminant,
)
from suffice.estimators.load import load
from suffice.estimators.naive_bayes import NaiveBayes
from suffice.examples import example
from suffice.families.binomial import Beta
from suffice.families.cells import Dirichlet
from suffice.families.normal_mean import NormalMean
from suffice.families.normal_wishart import NormalInverseGamma, NormalInverseWishart
from suffice.families.rates import Gamma
from suffice.model.collect import collect

__all__ = [
    "Beta",
    "Dirichlet",
    "Gamma",
    "GaussianDiscriminant",
    "LinearDiscriminant",
    "NaiveBayes",
    "NearestMean",
    "NormalInverseGamma",
    "NormalInverseWishart",
    "NormalMean",
    "QuadraticDiscriminant",
    "collect",
    "example",
    "load",
    "plots",
]
