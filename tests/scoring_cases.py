"""Models and tables that SQL is tried on, whatever the database."""

import warnings
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from suffice import (
    AveragedOneDependence,
    BayesDecision,
    Calibrated,
    GaussianDiscriminant,
    LatentClass,
    LinearDiscriminant,
    LogisticClassifier,
    MarginClassifier,
    Mixture,
    NaiveBayes,
    NearestMean,
    QuadraticDiscriminant,
    TreeAugmentedBayes,
)

KEY = 'row; "key"'
RARE = "never 'seen'"
KINDS = {
    "wins": ("binomial", 10),
    "smoker": "binary",
    "failures": ("negative-binomial", 2),
    "calls": ("negative-binomial", 1),
    "visits": "poisson",
    "wait": "exponential",
    "load": ("gamma", 2.5),
    "income": "log-gaussian",
    "share": "logit-gaussian",
    "wind": ("von-mises", 2.0),
    "heading": ("von-mises-degrees", 1.5),
}
LOSS = {"treat": {"a": 0, "it's": 5, "中; --": 5}, "wait": {"a": 50, "it's": 0, "中; --": 1}, "refer": 2}


def table(rows=300, seed=0, holes=0.1):
    """Columns of every kind, by class, and the classes."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, rows)
    columns = {
        "height": rng.normal(y, 1.5),
        'far "away"': rng.normal(1e6 + y, 1.0),
        "密度": rng.normal(0.5 * y, 2.0),
        "weight; DROP TABLE t": rng.normal(-y, 1.0),
        "colour": np.array(["red", 'it\'s "green"', "蓝 \\'; --"])[(y + rng.integers(0, 2, rows)) % 3],
        "grade": (y + rng.integers(0, 3, rows)) * 10,
        "member": rng.random(rows) < 0.2 + 0.2 * y,
        "wins": rng.binomial(10, 0.3 + 0.1 * y).astype(float),
        "smoker": rng.binomial(1, 0.3 + 0.2 * y).astype(float),
        "failures": rng.negative_binomial(2, 0.3 + 0.1 * y).astype(float),
        "calls": rng.geometric(0.3 + 0.1 * y) - 1.0,
        "visits": rng.poisson(1.0 + 5 * y).astype(float),
        "wait": rng.exponential(1.0 + y),
        "load": rng.gamma(2.5, 1.0 + y),
        "income": np.exp(rng.normal(3 + y, 2.0)),
        "share": 1 / (1 + np.exp(-rng.normal(y, 1.5))),
        "wind": rng.vonmises(y - 1.0, 2.0),
        "heading": np.degrees(rng.vonmises(y - 1.0, 1.5)),
    }
    plain = {name: column.tolist() for name, column in columns.items()}
    for name in plain:
        gone = rng.random(rows) < holes
        plain[name] = [None if hole else value for hole, value in zip(gone, plain[name], strict=True)]
    return plain, [["a", "it's", "中; --"][k] for k in y]


def only(columns, names):
    return {name: columns[name] for name in names}


MIXED = ("height", 'far "away"', "colour", "grade", "member", *KINDS)
NUMBERS = ("height", 'far "away"', "密度", "weight; DROP TABLE t")
CATEGORIES = ("colour", "grade", "member")


@dataclass(frozen=True, eq=False)
class Case:
    """A model, and the columns that it takes."""

    name: str
    model: Any
    columns: tuple[str, ...]
    unseen: bool = False  # whether it answers rows with a level it has never seen
    holes: float = 0.1  # share of cells that are missing
    outputs: tuple[str, ...] = ("proba", "log_joint", "class", "action")

    def __str__(self):
        return self.name

    @cache  # noqa: B019 # once for all engines and outputs
    def fitted(self):
        columns, labels = table(holes=self.holes)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return self.model.fit(only(columns, self.columns), labels)

    def rows(self):
        """New rows, with levels that fitting has not met."""
        columns, _ = table(rows=120, seed=1, holes=self.holes)
        found = only(columns, self.columns)
        if self.unseen and "colour" in found:
            found["colour"] = [RARE if i % 7 == 0 else value for i, value in enumerate(found["colour"])]
        return found


NO_DENSITY = ("proba", "class", "action")
CASES = [
    Case("naive Bayes, predictive", NaiveBayes(kinds=KINDS), MIXED, unseen=True),
    Case("naive Bayes, unseen ignored", NaiveBayes(kinds=KINDS, unseen="ignore"), MIXED, unseen=True),
    Case("naive Bayes, most probable parameters", NaiveBayes(kinds=KINDS, estimate="map"), MIXED, unseen=True),
    Case("naive Bayes, maximum likelihood", NaiveBayes(kinds=KINDS, estimate="ml", smoothing=0), MIXED),
    Case(
        "naive Bayes, columns modelled together", NaiveBayes(joint=[NUMBERS[:3]]), (*NUMBERS, *CATEGORIES), unseen=True
    ),
    Case("naive Bayes, several components", NaiveBayes(components=2, kinds=KINDS), MIXED, unseen=True),
    Case("rows of counts", NaiveBayes(kinds="counts", estimate="map"), ("wins", "visits", "failures"), holes=0.0),
    Case(
        "rows of counts, integrated out",
        NaiveBayes(kinds="counts", estimate="predictive"),
        ("wins", "visits", "failures"),
        holes=0.0,
    ),
    Case("linear discriminant", LinearDiscriminant(), NUMBERS),
    Case("linear discriminant, predictive", LinearDiscriminant(estimate="predictive"), NUMBERS),
    Case("quadratic discriminant", QuadraticDiscriminant(), NUMBERS),
    Case("quadratic discriminant, predictive", QuadraticDiscriminant(estimate="predictive"), NUMBERS),
    Case("quadratic discriminant beside categories", QuadraticDiscriminant(), (*NUMBERS, "colour"), unseen=False),
    Case("nearest mean", NearestMean(), NUMBERS),
    Case("diagonal discriminant", GaussianDiscriminant(shape="diagonal", shared=True), NUMBERS),
    Case("several components in a class", GaussianDiscriminant(components=2), NUMBERS),
    Case("mixture", Mixture(3, restarts=2), (*NUMBERS, "colour"), unseen=True),
    Case("latent classes", LatentClass(2, restarts=2), CATEGORIES, unseen=True),
    Case("tree", TreeAugmentedBayes(), CATEGORIES, unseen=True),
    Case("tree, maximum likelihood", TreeAugmentedBayes(estimate="ml", smoothing=0), CATEGORIES),
    Case("tree with numbers", TreeAugmentedBayes(kinds=KINDS), MIXED, unseen=True),
    Case("tree with numbers, most probable", TreeAugmentedBayes(kinds=KINDS, estimate="map"), MIXED, unseen=True),
    Case("tree of numbers", TreeAugmentedBayes(estimate="map"), NUMBERS),
    Case("averaged one-dependence", AveragedOneDependence(), ("height", *CATEGORIES), unseen=True),
    Case("logistic", LogisticClassifier(), (*NUMBERS, *CATEGORIES), unseen=True, outputs=NO_DENSITY),
    Case("margin", MarginClassifier(), (*NUMBERS, *CATEGORIES), unseen=True, outputs=("class",)),
    Case("margin, probabilities", MarginClassifier(probabilities=True), NUMBERS, outputs=NO_DENSITY),
    Case("calibrated", Calibrated(NaiveBayes()), (*NUMBERS, *CATEGORIES), unseen=True, outputs=NO_DENSITY),
    Case(
        "decisions under other priors",
        BayesDecision(NaiveBayes(), loss=LOSS, priors={"a": 0.5, "it's": 0.3, "中; --": 0.2}),
        (*NUMBERS, *CATEGORIES),
        unseen=True,
        outputs=NO_DENSITY,
    ),
]
