"""Models side by side: exact validation and log evidence of each, in one table; and the best of many, with all tried.

In:  models, or one model and what about it to vary; a table and its classes, or for evidence alone a Summary.
Out: Comparison. What could not be validated stays in the table, with the reason.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import clone

from suffice.arrays import Array
from suffice.data.frames import columns_out
from suffice.data.table import read_table
from suffice.decisions.scores import Score
from suffice.errors import HiddenCellsError, HiddenLabelsError, ParameterError, SufficeError
from suffice.estimators.validation import Validation, cross_validate, known_rows, leave_one_out, rows_of
from suffice.model.criteria import ColumnEvidence, column_evidence, log_evidence
from suffice.model.summary import Summary
from suffice.reporting.progress import progress
from suffice.reporting.text import aligned, number

NOT_THERE = float("nan")
MOST_SHOWN = 12
FOLDS = 10  # where leaving one row out has no closed form
NOT_EXACT = (HiddenCellsError, HiddenLabelsError)


@dataclass(frozen=True, eq=False)
class Trial:
    """One model, and what was found about it."""

    name: str
    model: Any = field(repr=False)
    validation: Validation | None
    log_evidence: float
    error: SufficeError | None = None  # why something is not there

    @property
    def note(self) -> str:
        return str(self.error or "")

    def __repr__(self) -> str:
        return f"{self.name}\n{self.validation or self.note}"

    @property
    def criterion(self) -> tuple[float, float]:
        """What is to be small: the mean loss where one was given, and the log loss."""
        if self.validation is None:
            return float("inf"), float("inf")
        log_loss = float(self.validation.log_loss)
        return (float(self.validation.mean_loss) if self.validation.loss else log_loss), log_loss


@dataclass(frozen=True, eq=False)
class Comparison:
    """Models that were tried on the same rows: `best`, `table()`, `log_bayes_factor(a, b)`, `difference(a, b)`."""

    trials: tuple[Trial, ...]
    library: Any = field(default=None, repr=False)

    @property
    def best(self) -> Trial:
        """The trial of least mean loss, or of least log loss if no loss was given."""
        best = min(self.trials, key=lambda trial: trial.criterion)
        if not np.isfinite(best.criterion[0]):
            reasons = "; ".join(f"{trial.name}: {trial.note or 'infinite loss'}" for trial in self.trials[:5])
            raise ParameterError(f"None of the models could be validated. {reasons}")
        return best

    def __getitem__(self, name: Any) -> Trial:
        """A trial by name or by position."""
        if isinstance(name, int):
            return self.trials[name]
        found = [trial for trial in self.trials if trial.name == name]
        if not found:
            raise ParameterError(f"There is no trial {name!r}; there are {[trial.name for trial in self.trials]}.")
        return found[0]

    def log_bayes_factor(self, a: Any, b: Any) -> float:
        """Ln p(columns | classes, a) − ln p(columns | classes, b): positive speaks for a."""
        return self[a].log_evidence - self[b].log_evidence

    def difference(self, a: Any, b: Any) -> Score:
        """Of the log losses of two models, paired by row: negative speaks for a."""
        first, second = (self[name].validation for name in (a, b))
        if first is None or second is None:
            raise ParameterError(f"{a!r} or {b!r} has not been validated: {self[a].note or self[b].note}")
        return Score.mean(first.log_losses - second.log_losses, first.weights)

    def table(self) -> Any:
        """Everything that was tried, a row each, in the frame library of the table."""
        return columns_out(self.library, self._columns())

    def _columns(self) -> dict[str, Array]:
        columns: dict[str, Any] = {"model": [trial.name for trial in self.trials]}
        for title in ("accuracy", "log loss", "Brier score", "mean loss"):
            scores = [_score(trial, title) for trial in self.trials]
            if any(score is not None for score in scores):
                columns[title] = [NOT_THERE if score is None else float(score) for score in scores]
                columns[f"{title} se"] = [NOT_THERE if score is None else score.se for score in scores]
        columns["log evidence"] = [trial.log_evidence for trial in self.trials]
        columns["note"] = [trial.note for trial in self.trials]
        return {name: np.array(values) for name, values in columns.items()}

    def __repr__(self) -> str:
        """As tried; of very many the best."""
        if len(self.trials) > MOST_SHOWN:
            best = Comparison(tuple(sorted(self.trials, key=lambda trial: trial.criterion)[:MOST_SHOWN]))
            return f"{best!r}\n… the best of {len(self.trials)}; table() has them all"
        columns = self._columns()
        names, notes = columns.pop("model"), columns.pop("note")
        errors = {title: columns.pop(f"{title} se") for title in list(columns) if f"{title} se" in columns}
        shown = {title: _texts(values, errors.get(title)) for title, values in columns.items()}
        shown |= {"": [note.split(". ")[0] for note in notes]} if any(notes) else {}
        return aligned("model", [str(name) for name in names], shown)


def compare(
    models: Sequence[Any] | Mapping[str, Any],
    X: Any,
    y: Any = None,
    *,
    folds: Any = None,
    sample_weight: Any = None,
    loss: Any = None,
) -> Comparison:
    """Exact leave-one-out (or k-fold) and log evidence of several models on the same rows.

    Without `y`, X is a Summary and there is evidence only: ln p(columns | classes) with parameters integrated out under
    the model's proper priors. Evidences are comparable between models of the same columns.

    >>> from sklearn.datasets import load_iris
    >>> from suffice import LinearDiscriminant, NaiveBayes, QuadraticDiscriminant, compare
    >>> compare([NaiveBayes(), LinearDiscriminant(), QuadraticDiscriminant()], *load_iris(return_X_y=True))
    model                        accuracy        log loss     Brier score  log evidence
    NaiveBayes             0.9533 ± 0.017  0.1319 ± 0.047  0.0736 ± 0.026        -249.3
    LinearDiscriminant     0.9800 ± 0.011  0.0544 ± 0.022  0.0344 ± 0.016        -189.9
    QuadraticDiscriminant  0.9733 ± 0.013  0.0574 ± 0.024  0.0372 ± 0.017        -196.6

    """
    named = models if isinstance(models, Mapping) else {_title(model, models): model for model in models}
    if isinstance(X, Summary):
        return Comparison(tuple(_weighed(name, model, X) for name, model in named.items()))
    how = _how(X, y, folds, sample_weight, loss)
    trials = [_tried(name, model, how) for name, model in progress(named.items(), "comparing", len(named))]
    return Comparison(tuple(trials), read_table(X).library)


def tune(
    model: Any,
    X: Any,
    y: Any,
    *,
    over: Sequence[str] | None = None,
    folds: Any = None,
    sample_weight: Any = None,
    loss: Any = None,
) -> Comparison:
    """The settings of a model that do best in exact leave-one-out (or k-fold), by log loss or by a loss of your own.

    `over` names the parameters to vary, all that can be unless given. The result has everything that was tried, the
    best first; `best.model` is fitted on all rows. Where one of the settings has no leave-one-out in closed form (cells
    are missing under a full covariance, labels are not known), all are judged by ten folds.
    """
    tunable = tuple(getattr(model, "TUNABLE", ()))
    names = tunable if over is None else tuple(over)
    if not names or set(names) - set(tunable):
        raise ParameterError(f"Of {type(model).__name__} there can be tuned {list(tunable)}; found {list(names)}.")
    how, table = _how(X, y, folds, sample_weight, loss), read_table(X)
    trials: dict[str, Trial] = {}
    best = model._plainest(names)
    for stage in model._stages(names, table):
        for change in progress(stage, "tuning", len(stage)):
            settings = change(best)
            title = ", ".join(f"{name}={settings[name]}" for name in names)
            trials[title] = trials.get(title) or _tried(title, clone(model).set_params(**settings), how)
        if folds is None and any(isinstance(trial.error, NOT_EXACT) for trial in trials.values()):
            return tune(model, X, y, over=over, folds=FOLDS, sample_weight=sample_weight, loss=loss)
        chosen = Comparison(tuple(trials.values())).best
        best = {name: value for name, value in chosen.model.get_params(deep=False).items() if name in names}
    chosen.model.fit(X, y, sample_weight=sample_weight)
    return Comparison(tuple(sorted(trials.values(), key=lambda trial: trial.criterion)), table.library)


def evidence_of_columns(model: Any, X: Any, y: Any = None, *, sample_weight: Any = None) -> list[ColumnEvidence]:
    """For each column, whether it matters: parameters of its own for each class against the same for all.

    X and y are a table and its classes, or X is a Summary. The log Bayes factor is positive for columns that matter.
    """
    if isinstance(X, Summary):
        return column_evidence(*model._on(X))
    rows = rows_of(model, known_rows(model, read_table(X), y, sample_weight))
    return column_evidence(rows.summary, rows.design, rows.rules)


def _how(X: Any, y: Any, folds: Any, sample_weight: Any, loss: Any) -> Callable[[Any], tuple[Validation, float]]:
    """Validation and log evidence of a model on these rows; an evidence that there is not is NaN."""

    def validated(model: Any) -> tuple[Validation, float]:
        options = {"sample_weight": sample_weight, "loss": loss}
        if folds is None:
            found = leave_one_out(model, X, y, **options)
        else:
            found = cross_validate(model, X, y, folds=folds, **options)
        try:
            rows = rows_of(model, known_rows(model, read_table(X), y, sample_weight))
            return found, log_evidence(rows.summary, rows.design, rows.rules)
        except SufficeError:
            return found, NOT_THERE

    return validated


def _tried(name: str, model: Any, how: Callable[[Any], tuple[Validation, float]]) -> Trial:
    try:
        return Trial(name, model, *how(model))
    except SufficeError as error:
        return Trial(name, model, None, NOT_THERE, error)


def _weighed(name: str, model: Any, summary: Summary) -> Trial:
    try:
        return Trial(name, model, None, log_evidence(*model._on(summary)))
    except SufficeError as error:
        return Trial(name, model, None, NOT_THERE, error)


def _title(model: Any, models: Sequence[Any]) -> str:
    """The class of a model, with its settings where others are of the same class."""
    alike = sum(type(other) is type(model) for other in models)
    return type(model).__name__ if alike == 1 else " ".join(repr(model).split())


def _score(trial: Trial, title: str) -> Score | None:
    return trial.validation.scores().get(title) if trial.validation else None


def _texts(values: Array, errors: Array | None) -> list[str]:
    if errors is None:
        return ["" if np.isnan(value) else f"{value:.1f}" for value in values]
    return [
        "" if np.isnan(value) else f"{number(value)} ± {error:.2g}" for value, error in zip(values, errors, strict=True)
    ]
