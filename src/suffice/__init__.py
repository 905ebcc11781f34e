"""suffice: Bayesian classification from sufficient statistics that add."""

from suffice import plots
from suffice.decide.decide import decide, error_probability
from suffice.decide.loss import Loss
from suffice.decide.two_classes import ratio_test
from suffice.estimators.decision import (
    BayesDecision,
    bayes_error,
    boundary,
    error_bound,
    estimate_priors,
    explain,
    nomogram,
)
from suffice.estimators.discriminants import (
    GaussianDiscriminant,
    LinearDiscriminant,
    NearestMean,
    QuadraticDiscriminant,
)
from suffice.estimators.load import load
from suffice.estimators.naive_bayes import NaiveBayes
from suffice.examples import example
from suffice.families.beliefs import (
    Beta,
    Dirichlet,
    Gamma,
    InverseGamma,
    NormalInverseGamma,
    NormalInverseWishart,
    NormalMean,
)
from suffice.model.collect import collect

__all__ = [
    "BayesDecision",
    "Beta",
    "Dirichlet",
    "Gamma",
    "GaussianDiscriminant",
    "InverseGamma",
    "LinearDiscriminant",
    "Loss",
    "NaiveBayes",
    "NearestMean",
    "NormalInverseGamma",
    "NormalInverseWishart",
    "NormalMean",
    "QuadraticDiscriminant",
    "bayes_error",
    "boundary",
    "collect",
    "decide",
    "error_bound",
    "error_probability",
    "estimate_priors",
    "example",
    "explain",
    "load",
    "nomogram",
    "plots",
    "ratio_test",
]
