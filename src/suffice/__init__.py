"""suffice: Bayesian classification from sufficient statistics that add."""

from suffice.estimators.naive_bayes import NaiveBayes
from suffice.examples import example
from suffice.families.binomial import Beta
from suffice.families.cells import Dirichlet
from suffice.families.normal_mean import NormalMean
from suffice.families.normal_wishart import NormalInverseGamma, NormalInverseWishart
from suffice.families.rates import Gamma

__all__ = [
    "Beta",
    "Dirichlet",
    "Gamma",
    "NaiveBayes",
    "NormalInverseGamma",
    "NormalInverseWishart",
    "NormalMean",
    "example",
]
