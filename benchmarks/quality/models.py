"""Every model of the study: its name on the page, how it is made for a table, and which tables it is for.

In:  `Data`.
Out: estimators, ours and scikit-learn's, as a user would write them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

from quality import peers
from quality.data import Data
from suffice import Calibrated, GaussianDiscriminant, LinearDiscriminant, NaiveBayes, QuadraticDiscriminant, auto


def anywhere(data: Data) -> bool:
    return True


def with_numbers(data: Data) -> bool:
    return bool(data.numbers) and not data.table.counts


def with_numbers_or_categories(data: Data) -> bool:
    return not data.table.counts


def with_few_values(data: Data) -> bool:
    return bool(data.few_values) and not data.table.counts


@dataclass(frozen=True)
class Model:
    make: Callable[[Data], Any]
    fits: Callable[[Data], bool] = anywhere
    ours: bool = True


def naive(**settings: Any) -> Model:
    """Rows of counts are declared so; the rest goes by its type."""

    def make(data: Data) -> NaiveBayes:
        return NaiveBayes(**({"kinds": "counts"} if data.table.counts else {}) | settings)

    return Model(make)


def automatic(data: Data) -> NaiveBayes:
    return NaiveBayes(kinds="counts" if data.table.counts else "auto", smoothing="auto")


@dataclass
class Automatic:
    """What `suffice.auto` chooses, as the study asks models."""

    settings: dict[str, Any]

    def fit(self, X: Any, y: Any) -> Self:
        self.model = auto(X, y, **self.settings).best.model
        self.classes_ = self.model.classes_
        return self

    def predict_proba(self, X: Any) -> Any:
        return self.model.predict_proba(X)


def chosen(data: Data) -> Automatic:
    return Automatic({"kinds": "counts"} if data.table.counts else {})


def few_as_categories(data: Data) -> NaiveBayes:
    return NaiveBayes(kinds=dict.fromkeys(data.few_values, "categorical"))


def few_as_numbers(data: Data) -> NaiveBayes:
    return NaiveBayes(kinds=dict.fromkeys(data.few_values, "gaussian"))


def discriminant(face: Any, *shape: Any, **settings: Any) -> Model:
    return Model(lambda data: face(*shape, **settings), with_numbers)


def linear(**settings: Any) -> Model:
    """It models numbers only, so categories are one-hot, as they are for LDA."""
    return Model(lambda data: peers.one_hot_beside(LinearDiscriminant(**settings), data), with_numbers)


def peer(make: Callable[[Data], Any], fits: Callable[[Data], bool] = anywhere) -> Model:
    return Model(make, fits, ours=False)


SHRUNK = {"shrink_shared": "auto", "shrink_spherical": "auto"}
NB, LINEAR, QUADRATIC, ALL_AUTO = (
    "NaiveBayes()",
    "LinearDiscriminant()",
    "QuadraticDiscriminant()",
    "GaussianDiscriminant, all auto",
)
CHOSEN = "auto(X, y)"
CALIBRATED = "Calibrated(GaussianDiscriminant, all auto)"
NB_AUTO = "NaiveBayes, kinds and smoothing auto"
FEW_CATEGORIES, FEW_NUMBERS = "NaiveBayes, few values as categories", "NaiveBayes, few values as numbers"
SK_NB, LDA, LDA_AUTO, QDA = "scikit-learn's naive Bayes", "LDA", "LDA(shrinkage=auto)", "QDA(reg_param=0.1)"
LOGISTIC, BOOSTING = "LogisticRegression", "HistGradientBoosting"
MODELS = {
    NB: naive(),
    NB_AUTO: Model(automatic),
    **{f"NaiveBayes, {step}": naive(estimate=step) for step in ("unbiased", "map", "mean", "predictive")},
    FEW_CATEGORIES: Model(few_as_categories, with_few_values),
    FEW_NUMBERS: Model(few_as_numbers, with_few_values),
    LINEAR: linear(),
    **{f"LinearDiscriminant, {step}": linear(estimate=step) for step in ("unbiased", "map", "predictive")},
    "LinearDiscriminant, shrinkage auto": linear(shrink_spherical="auto"),
    QUADRATIC: discriminant(QuadraticDiscriminant),
    **{
        f"QuadraticDiscriminant, {step}": discriminant(QuadraticDiscriminant, estimate=step)
        for step in ("unbiased", "map", "predictive")
    },
    "QuadraticDiscriminant, shrinkage auto": discriminant(QuadraticDiscriminant, **SHRUNK),
    ALL_AUTO: discriminant(GaussianDiscriminant, "auto", "auto", **SHRUNK),
    CALIBRATED: Model(lambda data: Calibrated(GaussianDiscriminant("auto", "auto", **SHRUNK)), with_numbers),
    CHOSEN: Model(chosen),
    SK_NB: peer(peers.naive_bayes),
    LDA: peer(peers.lda, with_numbers_or_categories),
    LDA_AUTO: peer(peers.lda_shrunk, with_numbers_or_categories),
    QDA: peer(peers.qda, with_numbers),
    LOGISTIC: peer(peers.logistic),
    BOOSTING: peer(peers.boosting, with_numbers_or_categories),
}
SMALL = (  # those of the study of small samples
    NB,
    LINEAR,
    "LinearDiscriminant, unbiased",
    QUADRATIC,
    ALL_AUTO,
    CHOSEN,
    SK_NB,
    LDA_AUTO,
    QDA,
    LOGISTIC,
)
