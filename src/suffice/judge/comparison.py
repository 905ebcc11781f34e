"""Models side by side: exact validation and log evidence of each, in one table.

In:  models, a table and its classes, or for evidence alone a Summary.
Out: Comparison. What could not be validated stays in the table, with the reason.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from suffice.arrays import log, softmax
from suffice.data.batches import IntoRows
from suffice.data.frames import Library
from suffice.data.hints import tell
from suffice.data.labelled import Classes
from suffice.data.labels import IntoLabels
from suffice.data.source import Source
from suffice.data.table import IntoTable
from suffice.data.weights import Weights
from suffice.decisions.loss import IntoLoss
from suffice.decisions.scores import Score
from suffice.engines.lazy_rows import library
from suffice.errors import ParameterError, SufficeError
from suffice.judge.folds import IntoFolds
from suffice.judge.validation import Examination, Validation, read_loss, refuse_others
from suffice.judge.validation_in_batches import BatchedValidation, dealt_by, examined
from suffice.lazy import lazy
from suffice.learn.face import HasRecipe
from suffice.learn.generative import Generative
from suffice.learn.model import Settings
from suffice.model.collect import summary_of
from suffice.model.criteria import ColumnEvidences, column_evidence
from suffice.model.evidence import Evidence
from suffice.model.rules import prevalence
from suffice.model.summary import Summary
from suffice.options import several, shown
from suffice.printing.description import Description, Series, Sheet, Text, facts
from suffice.printing.language import word, worded
from suffice.printing.numbers import fixed
from suffice.printing.printed import Printed
from suffice.progress import progress

NOT_THERE = float("nan")
MOST_SHOWN = 12
SURE = 2.0  # standard errors that the best of many models must be ahead of a plainer one
ALONE, ALL = OURS = "labelled rows alone", "with unlabelled rows"  # names of trials


@dataclass(frozen=True, eq=False, repr=False)
class Trial(Printed):
    """One model and what was found out about it."""

    name: str
    model: Any = field(repr=False)  # the model as the user gave it
    validation: Validation | BatchedValidation | None
    evidence: Evidence | None
    error: SufficeError | None = None  # the reason why a validation or an evidence is missing

    @property
    def log_evidence(self) -> float:
        """The log evidence; NaN if there is none, and `note` says why."""
        return self.evidence.value if self.evidence else NOT_THERE

    @property
    def note(self) -> str:
        return str(self.error or "")

    def description(self) -> Description:
        if self.validation is None:
            return Description((self.name,), [[self.note]] if self.error else [], behind=[facts({})])
        found = self.validation.description()
        return Description((self.name, *found.title), found.parts)

    @lazy
    def criterion(self) -> tuple[float, ...]:
        """The numbers to be small: the mean loss if a loss was given, then those that log losses are compared by."""
        if self.validation is None:
            return (float("inf"),)
        mean_loss = (float(self.validation.mean_loss),) if self.validation.loss else ()
        return (*mean_loss, *self.validation.surprise)


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Printed):
    """Models that were tried on the same rows.

    It has `best`, `table()`, `log_bayes_factor(a, b)`, `posterior()` and `difference(a, b)`.
    """

    trials: tuple[Trial, ...]
    library: Library | None = field(default=None, repr=False)
    plain: tuple[str, ...] = ()  # models to be kept, the first ones first, where none is better by two standard errors

    @property
    def best(self) -> Trial:
        """The trial with the least mean loss, or with the least log loss if no loss was given.

        If log losses are infinite, it is the one that finds the fewest rows impossible, and among those the one with
        the least log loss on all other rows. Of `auto`, it is the plainest of those within two standard errors of that.
        """
        return self.beyond_doubt(*self.plain, errors=SURE)

    @property
    def least(self) -> Trial:
        """The same, however plain another is that is nearly as good."""
        best = min(self.trials, key=lambda trial: trial.criterion)
        if best.validation is None:
            reasons = "; ".join(f"{trial.name}: {trial.note}" for trial in self.trials[:5])
            raise ParameterError(f"None of the models could be validated. {reasons}")
        return best

    def beyond_doubt(self, *plain: str, errors: float = 1.0) -> Trial:
        """The first of the plain ones that nothing is better than by more standard errors than that; else the best."""
        least, named = self.least, {trial.name: trial for trial in self.trials}
        kept = (named[name] for name in plain if name in named)
        return next((trial for trial in kept if _as_good(trial, least, errors)), least)

    def __getitem__(self, name: int | str) -> Trial:
        """A trial by name or by position."""
        position = int(name) if isinstance(name, Integral) else len(self.trials)
        by_position = -len(self.trials) <= position < len(self.trials)
        found = [self.trials[position]] if by_position else [trial for trial in self.trials if trial.name == name]
        if not found:
            raise ParameterError(f"There is no trial {name!r}; the trials are {[trial.name for trial in self.trials]}.")
        return found[0]

    def log_bayes_factor(self, a: int | str, b: int | str) -> float:
        """Ln p(columns | classes, a) − ln p(columns | classes, b): above 0 it speaks for a.

        An error if the two are not comparable: different columns, or probabilities against densities.
        """
        first, second = self[a], self[b]
        missing = next((trial for trial in (first, second) if trial.evidence is None), None)
        if missing is not None or first.evidence is None or second.evidence is None:
            note = missing.note if missing else ""
            raise ParameterError(f"{a!r} or {b!r} has no evidence, so there is no Bayes factor: {note}")
        apart = first.evidence.apart(second.evidence)
        if apart:
            raise ParameterError(
                f"There is no Bayes factor between {a!r} and {b!r}: {apart}. Compare them by difference(a, b), which "
                "is about the classes, or model the same columns in both."
            )
        return first.log_evidence - second.log_evidence

    def posterior(self, priors: Mapping[str, float] | ArrayLike | None = None) -> dict[str, float]:
        """P(model | rows) for all models tried, from their evidences; all are equal beforehand unless priors are given.

        An error if evidences are missing or not comparable.
        """
        names = tuple(trial.name for trial in self.trials)
        shares = prevalence(np.ones(len(names)), names, "uniform" if priors is None else priors, 0.0)
        factors = np.array([self.log_bayes_factor(name, names[0]) for name in names])
        return dict(zip(names, softmax((factors + log(shares))[None, :])[0].tolist(), strict=True))

    def difference(self, a: int | str, b: int | str) -> Score:
        """The difference of the log losses of two models, paired by row: below 0 it speaks for a."""
        first, second = (self[name].validation for name in (a, b))
        if first is None or second is None:
            raise ParameterError(f"{a!r} or {b!r} has not been validated: {self[a].note or self[b].note}")
        return first.difference(second)

    def description(self) -> Description:
        """Every model with its scores and log evidence (the best, if there are very many), and why some have none."""
        many, shown = len(self.trials), self
        if many > MOST_SHOWN:
            shown = Comparison(tuple(sorted(self.trials, key=lambda trial: trial.criterion)[:MOST_SHOWN]))
        more = [word("… the best of {n}; {where} has them all", n=many, where="table()")] if many > MOST_SHOWN else []
        lines = [*more, *shown.remarks()]
        return Description((), [shown.sheet(), *([lines] if lines else [])], behind=[self.sheet(noted=True)])

    def table(self) -> Any:
        """Everything that was tried, one row each, in the frame library of the table."""
        return self.description().behind[0].frame(self.library)

    def sheet(self, noted: bool = False) -> Sheet:
        series = []
        for title in ("accuracy", "log loss", "Brier score", "mean loss"):
            scores = [_score(trial, title) for trial in self.trials]
            if any(score is not None for score in scores):
                values = np.array([NOT_THERE if score is None else float(score) for score in scores])
                errors = np.array([NOT_THERE if score is None else score.se for score in scores])
                series.append(Series(worded(title), values, fixed(4), errors))
        if any(trial.evidence or trial.error for trial in self.trials):  # it was asked for
            pairs = zip(self.trials, self._apart(), strict=True)
            evidences = np.array([NOT_THERE if why else trial.log_evidence for trial, why in pairs])
            series.append(Series(word("log evidence"), evidences, fixed(1)))
        notes = [Series(word("note"), self._notes())] if noted else []
        names = [word(trial.name) if trial.name in OURS else trial.name for trial in self.trials]
        return Sheet(word("model"), names, [*series, *notes])

    def _notes(self) -> list[str]:
        return [trial.note or why for trial, why in zip(self.trials, self._apart(), strict=True)]

    def remarks(self) -> list[Text]:
        """Say why the best is not the first, and the first sentence of each note once, with the models it is about."""
        kept = []
        if self.plain and self.best is not self.least:
            kept = [
                word(
                    "{name} is within two standard errors of {other}, and plainer",
                    name=self.best.name,
                    other=self.least.name,
                )
            ]
        about: dict[str, list[str]] = {}
        for trial, note in zip(self.trials, self._notes(), strict=True):
            about.setdefault(note.split(". ")[0].rstrip("."), []).append(trial.name)
        return [*kept, *(f"{listed_names(names)}: {note}." for note, names in about.items() if note)]

    def _apart(self) -> list[str]:
        """Say of each trial why its evidence cannot stand beside that of the first trial that has one."""
        first = next((trial for trial in self.trials if trial.evidence), None)
        if first is None or first.evidence is None:
            return [""] * len(self.trials)
        apart = [trial.evidence.apart(first.evidence) if trial.evidence else "" for trial in self.trials]
        return [why and f"No log evidence beside that of {first.name}: {why}." for why in apart]


def _as_good(plain: Trial, least: Trial, errors: float) -> bool:
    """Tell whether a plainer trial is worse than the best by no more than so many standard errors."""
    if plain.validation is None or least.validation is None:
        return False
    gain = plain.validation.difference(least.validation)
    return gain <= errors * gain.se


def compare(
    models: Sequence[HasRecipe] | Mapping[str, HasRecipe],
    X: IntoRows,
    y: IntoLabels = None,
    *,
    folds: IntoFolds = None,
    groups: ArrayLike | str | None = None,
    sample_weight: Weights = None,
    loss: IntoLoss = None,
    classes: Classes = None,
) -> Comparison:
    """Compare models on the same rows by exact leave-one-out (or k-fold, see cross_validate) and by log evidence.

    Without `y`, X is a Summary, and there is only the evidence: ln p(columns | classes) with parameters integrated out
    under the proper priors of the model. Evidences can be compared between models of the same columns, if both give
    probabilities or both give densities; otherwise the cell stays empty. With `folds` a number or "file", as for
    cross_validate, rows may come from files and streams, which are read twice, however many models there are.

    Raises
    ------
    TableError
        If the rows cannot be read as a table.
    ParameterError
        If there is no model, or `folds` do not fit the rows.

    >>> from sklearn.datasets import load_iris
    >>> from suffice import LinearDiscriminant, NaiveBayes, QuadraticDiscriminant, compare
    >>> compare([NaiveBayes(), LinearDiscriminant(), QuadraticDiscriminant()], *load_iris(return_X_y=True))
    model                         accuracy         log loss      Brier score  log evidence
    NaiveBayes             0.9533 ± 0.0173  0.1252 ± 0.0428  0.0728 ± 0.0251        -249.3
    LinearDiscriminant     0.9800 ± 0.0115  0.0544 ± 0.0223  0.0344 ± 0.0164        -169.4
    QuadraticDiscriminant  0.9733 ± 0.0132  0.0574 ± 0.0241  0.0372 ± 0.0172        -153.9

    """
    named = _named(models)
    if isinstance(X, Summary):
        options = {"y": y, "folds": folds, "groups": groups, "sample_weight": sample_weight, "loss": loss}
        _refuse_with_summary(options | {"classes": classes})
        return Comparison(tuple(_weighed(name, model, X) for name, model in named.items()))
    source = Source.of(X, y, sample_weight, classes)
    if source.streams and dealt_by(folds):
        results = examined(named, source, folds, groups, read_loss(loss))
        trials = [Trial(name, named[name], r.validation, r.evidence, r.error) for name, r in results.items()]
        return Comparison(tuple(trials), library(source.rows))
    exam = Examination(source, read_loss(loss), folds, groups)
    trials = [tried(name, model, exam) for name, model in progress(named.items(), "models compared", len(named))]
    return Comparison(tuple(trials), source.table.library)


def evidence_of_columns(
    model: HasRecipe, X: IntoTable, y: IntoLabels = None, *, sample_weight: Weights = None
) -> ColumnEvidences:
    """Tell for each column whether it matters: parameters that differ between classes against one set for all.

    X and y are a table and its classes, or X is a Summary. The log Bayes factor is above 0 for columns that matter.

    Raises
    ------
    TableError
        If the rows cannot be read as a table.
    UnknownLabelsError
        If the class of some row is not known.
    ImproperPriorError
        If a prior is flat, for instance with smoothing=0, so that there is no evidence.

    >>> from suffice import NaiveBayes, evidence_of_columns, example
    >>> melons, ripe = example("watermelon")
    >>> found = evidence_of_columns(NaiveBayes(kinds={"编号": "ignore"}), melons, ripe)
    >>> {column.columns[0]: round(column.log_bayes_factor, 2) for column in found[:2]}
    {'色泽': 0.11, '根蒂': -0.15}

    """
    refuse_others(model)
    if isinstance(X, Summary):
        _refuse_with_summary({"y": y, "sample_weight": sample_weight})
        return ColumnEvidences(column_evidence(*_with_columns(model).closed_form(X)))
    recipe = _with_columns(model)
    known = Source.of(X, y, sample_weight).known(recipe.unknown)
    schema = recipe.plan(known.table)
    tell(schema.hints, model.told)
    return ColumnEvidences(column_evidence(*recipe.closed_form(summary_of(known, schema))))


def _with_columns(model: HasRecipe) -> Generative:
    """The recipe of a model that has a density of each column."""
    recipe = model.settled()
    if not isinstance(recipe, Generative):
        raise ParameterError(f"{recipe.name} is not a density of the columns, so there is no evidence.")
    return recipe


def _named(models: Sequence[HasRecipe] | Mapping[str, HasRecipe]) -> dict[str, HasRecipe]:
    """Models by the names that the user gave, or by class and settings."""
    given = models.values() if isinstance(models, Mapping) else several(models)
    if given is None:
        raise ParameterError(
            f"compare needs a list of models, or {{name: model}}; found {shown(models)}. Give [model]."
        )
    listed = list(given)
    if not listed:
        raise ParameterError("compare needs at least one model; the list is empty.")
    for model in listed:
        refuse_others(model)
    titles = [str(name) for name in models] if isinstance(models, Mapping) else [_title(m, listed) for m in listed]
    numbers = [titles[:i].count(title) + 1 for i, title in enumerate(titles)]
    return {f"{t} ({n})" if n > 1 else t: model for t, n, model in zip(titles, numbers, listed, strict=True)}


def _refuse_with_summary(options: Settings) -> None:
    given = [name for name, value in options.items() if value is not None]
    if given:
        raise ParameterError(
            f"A Summary has its own classes and weights, and no rows to leave out; found {', '.join(given)} beside it. "
            "Leave that out, or give the table."
        )


def tried(name: str, model: HasRecipe, exam: Examination) -> Trial:
    """Validation and log evidence of a model; what there is not, with the reason."""
    exam.read(model)  # what is wrong with the rows is no news about the model
    try:
        found = exam.validation(model)
    except SufficeError as error:
        return Trial(name, model, None, None, error)
    try:
        return Trial(name, model, found, exam.evidence(model))
    except SufficeError as error:
        return Trial(name, model, found, None, error)


def _weighed(name: str, model: HasRecipe, summary: Summary) -> Trial:
    try:
        return Trial(name, model, None, model.settled().evidence_of(summary))
    except SufficeError as error:
        return Trial(name, model, None, None, error)


def _title(model: HasRecipe, models: Sequence[HasRecipe]) -> str:
    """The class of a model, with its settings where others are of the same class."""
    alike = sum(type(other) is type(model) for other in models)
    return type(model).__name__ if alike == 1 else " ".join(repr(model).split())


def _score(trial: Trial, title: str) -> Score | None:
    return trial.validation.scores().get(title) if trial.validation else None


def listed_names(names: Sequence[str], most: int = 3) -> str:
    return ", ".join(names[:most]) + (f", … ({len(names)})" if len(names) > most else "")
