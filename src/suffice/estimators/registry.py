"""Every model there is, one entry for each: files, the command line, `auto` and tests read their lists here.

In:  nothing.
Out: Registered: what a model is called, how a file holds it, and what it learns from. Classes are found by name when
     they are asked for, so that a command line can say what models there are before any of them is loaded.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from importlib import import_module


class Kept(Enum):
    """The part of a model that a file holds."""

    SUMMARY = "its summary, and what EM has found"
    COUNTS = "its summary alone, from which everything follows"
    ITSELF = "arrays of its own"


class Tried(Enum):
    """The cases in which `auto` tries a model."""

    ALWAYS = "always"
    FOR_COSTS = "where a loss says what answers cost"
    NEVER = "never"


@dataclass(frozen=True)
class Registered:
    """One model."""

    name: str  # the name of its public class, also in files
    kept: Kept = Kept.SUMMARY
    command: str = ""  # its name on the command line and in what `auto` finds, if it has one
    tried: Tried = Tried.NEVER
    labelled: bool = True  # True if it learns classes from rows that have them
    unlabelled: bool = False  # True if it also learns from rows without a class
    around: bool = False  # True if it wraps another estimator, its first argument
    posteriors: Mapping[str, bool] = field(default_factory=dict)  # settings without which it gives no posteriors

    @property
    def model(self) -> type:
        """Its class."""
        found: type = getattr(import_module("suffice"), self.name)
        return found


MODELS = (
    Registered("NaiveBayes", command="naive-bayes", tried=Tried.ALWAYS, unlabelled=True),
    Registered("LinearDiscriminant", command="lda", unlabelled=True),
    Registered("QuadraticDiscriminant", command="qda", unlabelled=True),
    Registered("GaussianDiscriminant", command="discriminant", tried=Tried.ALWAYS, unlabelled=True),
    Registered("NearestMean", command="nearest-mean", unlabelled=True),
    Registered("TreeAugmentedBayes", command="tree", tried=Tried.ALWAYS, unlabelled=True),
    Registered("AveragedOneDependence", command="averaged"),
    Registered("LogisticClassifier", Kept.ITSELF, "logistic", Tried.ALWAYS),
    Registered("MarginClassifier", Kept.ITSELF, "margin", Tried.FOR_COSTS, posteriors={"probabilities": True}),
    Registered("ComplementNaiveBayes", Kept.COUNTS),
    Registered("Mixture", labelled=False, unlabelled=True),
    Registered("LatentClass", labelled=False, unlabelled=True),
    Registered("Calibrated", Kept.ITSELF, around=True),
    Registered("BayesDecision", Kept.ITSELF, around=True),
)
BY_COMMAND = {entry.command: entry for entry in MODELS if entry.command}


def kept_as(how: Kept) -> dict[str, type]:
    """The models of which a file holds that, by name."""
    return {entry.name: entry.model for entry in MODELS if entry.kept is how}


def tried_by_auto(when: Tried) -> dict[str, type]:
    """The models that `auto` tries then, by the names under which it lists them."""
    return {entry.command: entry.model for entry in MODELS if entry.tried is when}
