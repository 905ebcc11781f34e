"""The public names and where each is defined; `__init__.py` reads this file, type checkers do too."""

from suffice import errors, plots, testing
from suffice.beliefs.constructors import (
    Beta,
    Dirichlet,
    Gamma,
    InverseGamma,
    NormalInverseGamma,
    NormalInverseWishart,
    NormalMean,
)
from suffice.data.batches import batches
from suffice.data.kinds import Number, Range
from suffice.decisions.decide import decide, error_probability
from suffice.decisions.loss import Loss
from suffice.engines.collect import collect
from suffice.estimators.automatic import auto
from suffice.estimators.averaged import AveragedOneDependence
from suffice.estimators.boundaries import bayes_error, boundary, discriminants, divergence, error_bound, ratio_test
from suffice.estimators.calibrated import Calibrated
from suffice.estimators.choose import choose
from suffice.estimators.complement import ComplementNaiveBayes
from suffice.estimators.decision import BayesDecision, estimate_priors
from suffice.estimators.discriminants import GaussianDiscriminant, QuadraticDiscriminant
from suffice.estimators.discriminative import LogisticClassifier, MarginClassifier
from suffice.estimators.linear import LinearDiscriminant, NearestMean
from suffice.estimators.load import load
from suffice.estimators.mixture import LatentClass, Mixture
from suffice.estimators.naive_bayes import NaiveBayes
from suffice.estimators.number_of_components import components_test
from suffice.estimators.reasons import explain, nomogram, worked
from suffice.estimators.steps import bound, em_steps
from suffice.estimators.tree import TreeAugmentedBayes
from suffice.examples import example
from suffice.families.kinds import register_kind
from suffice.judge.comparison import compare, evidence_of_columns
from suffice.judge.evaluation import evaluate
from suffice.judge.tuning import tune
from suffice.judge.unlabelled_rows import compare_unlabelled
from suffice.judge.validation import cross_validate, leave_one_out
from suffice.learn.em import EM
from suffice.model.disclosure import disclosed
from suffice.model.suppression import suppressed
from suffice.pages.report import report
from suffice.printing.language import language
from suffice.reporting.worked import posterior

__all__ = [
    "EM",
    "AveragedOneDependence",
    "BayesDecision",
    "Beta",
    "Calibrated",
    "ComplementNaiveBayes",
    "Dirichlet",
    "Gamma",
    "GaussianDiscriminant",
    "InverseGamma",
    "LatentClass",
    "LinearDiscriminant",
    "LogisticClassifier",
    "Loss",
    "MarginClassifier",
    "Mixture",
    "NaiveBayes",
    "NearestMean",
    "NormalInverseGamma",
    "NormalInverseWishart",
    "NormalMean",
    "Number",
    "QuadraticDiscriminant",
    "Range",
    "TreeAugmentedBayes",
    "auto",
    "batches",
    "bayes_error",
    "bound",
    "boundary",
    "choose",
    "collect",
    "compare",
    "compare_unlabelled",
    "components_test",
    "cross_validate",
    "decide",
    "disclosed",
    "discriminants",
    "divergence",
    "em_steps",
    "error_bound",
    "error_probability",
    "errors",
    "estimate_priors",
    "evaluate",
    "evidence_of_columns",
    "example",
    "explain",
    "language",
    "leave_one_out",
    "load",
    "nomogram",
    "plots",
    "posterior",
    "ratio_test",
    "register_kind",
    "report",
    "suppressed",
    "testing",
    "tune",
    "worked",
]
