"""Models by the names of the command line, and the choice among them where none is named.

In:  a name, kinds and other settings. Out: a model; for "auto" the one of least log loss over the same folds.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from suffice.cli.output import Refused

if TYPE_CHECKING:
    import pyarrow as pa

    from suffice.estimators.comparison import Comparison

AUTO = "auto"
MODELS = {
    "naive-bayes": "NaiveBayes",
    "lda": "LinearDiscriminant",
    "qda": "QuadraticDiscriminant",
    "discriminant": "GaussianDiscriminant",
    "nearest-mean": "NearestMean",
    "tree": "TreeAugmentedBayes",
    "averaged": "AveragedOneDependence",
    "logistic": "LogisticClassifier",
    "margin": "MarginClassifier",
}
CANDIDATES = ("naive-bayes", "lda", "qda", "tree", "averaged", "logistic")  # margin has no posteriors to be judged by
FOLDS = 10


@dataclass(frozen=True)
class Chosen:
    """A model by its name, fitted or not, and how it was chosen where that was left to the rows."""

    name: str
    model: Any
    comparison: "Comparison | None" = None

    @property
    def reason(self) -> str:
        """Why this one, in a sentence."""
        if self.comparison is None:
            return ""
        trials = [trial for trial in self.comparison.trials if trial.validation is not None]
        ranked = sorted(trials, key=lambda trial: trial.criterion)
        best = ranked[0].validation
        assert best is not None  # as those are that were ranked
        next_best = f"; {ranked[1].name} comes next" if len(ranked) > 1 else ""
        return (
            f"{self.name}: log loss {float(best.log_loss):.4g} over {FOLDS} folds, the least of {len(ranked)} tried"
            f"{next_best}. It is the best of {len(ranked)}, so expect a little more on new rows."
        )


def named(name: str, settings: Mapping[str, Any]) -> Any:
    """A model with those of the settings that are given; one that it does not have is an error of usage."""
    import suffice

    if name not in MODELS:
        raise Refused(f"there is no model {name!r}; there are {', '.join((AUTO, *MODELS))}")
    kind = getattr(suffice, MODELS[name])
    given = {key: value for key, value in settings.items() if value is not None}
    unknown = [key for key in given if key not in kind().get_params()]
    if unknown:
        options = ", ".join(f"--{key.replace('_', '-')}" for key in unknown)
        raise Refused(f"{name} does not take {options}")
    return kind(**given)


def chosen(name: str, table: "pa.Table", label: str, settings: Mapping[str, Any], weight: str | None) -> Chosen:
    """The model of that name, or the best of the candidates by the same folds."""
    if name != AUTO:
        return Chosen(name, named(name, settings))
    from suffice import compare

    models = {candidate: _if_it_can(candidate, settings) for candidate in CANDIDATES}
    some = {candidate: model for candidate, model in models.items() if model is not None}
    comparison = compare(some, table, label, folds=FOLDS, sample_weight=weight)
    return Chosen(comparison.best.name, comparison.best.model, comparison)


def _if_it_can(name: str, settings: Mapping[str, Any]) -> Any | None:
    """The model, unless it has no such setting."""
    try:
        return named(name, settings)
    except Refused:
        return None
