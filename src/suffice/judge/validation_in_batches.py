"""Exact validation of rows that come in batches: one pass for the statistics of every fold, one more to predict.

In:  models, a source of batches, and how its rows are dealt to folds: by the hash of a key or of their number, by file.
Out: BatchedValidation of each model: scores and confusion, as sums over rows, which are not kept. However many models
     there are, the source is read twice.
"""

from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import accumulate
from numbers import Integral
from operator import add
from typing import Protocol, TypeVar
from zlib import crc32

import numpy as np
from numpy.typing import ArrayLike

from suffice.arrays import Array, Codes
from suffice.data.batches import Batches, refuse_absent
from suffice.data.frames import Library
from suffice.data.hints import tell
from suffice.data.labelled import Labelled
from suffice.data.levels import Levels
from suffice.data.persisted import T, added
from suffice.data.rows import InBatches, Work, columns_named
from suffice.data.schema import Schema
from suffice.data.source import Source
from suffice.data.table import read_column
from suffice.decisions.loss import Loss
from suffice.decisions.posterior import log_posterior
from suffice.decisions.scores import Score, Sums, brier_scores, hits, log_losses, losses
from suffice.errors import ParameterError, SufficeError, TableError
from suffice.judge.folds import IntoFolds
from suffice.lazy import lazy
from suffice.learn.face import HasRecipe
from suffice.learn.generative import Generative
from suffice.model.collect import Summing
from suffice.model.criteria import log_evidence
from suffice.model.evidence import Evidence
from suffice.model.left_out import Answers
from suffice.model.summary import Summary
from suffice.model.validate import Others
from suffice.options import whole
from suffice.printing.description import Description
from suffice.printing.printed import Printed
from suffice.reporting.scores import described

K = TypeVar("K")
BY_FILE = "file"
FAR = 1 << 40  # between the numbers of rows of two partitions
MIX = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))  # odd numbers that scatter bits
ACCURACY, LOG_LOSS, BRIER, MEAN_LOSS = "accuracy", "log loss", "Brier score", "mean loss"


class HasScores(Protocol):
    """A validation, whether it has kept its rows or not."""

    def scores(self) -> dict[str, Score]: ...


@dataclass(frozen=True, eq=False, repr=False)
class BatchedValidation(Printed):
    """Scores, with standard errors `se`, of predictions for each fold by a model that has not seen it.

    It has `accuracy`, `log_loss`, `brier` and, if a loss was given, `mean_loss`; `confusion` is (K, K) with the true
    class down; `table()` lists the scores. Rows are not kept; for the posteriors of single rows, use cross_validate on
    a table in memory.
    """

    sums: Mapping[str, Sums]
    confusion: Array
    classes: Levels
    rows: int
    how: str
    loss: Loss | None = None
    library: Library | None = field(default=None, repr=False)

    @property
    def accuracy(self) -> Score:
        return self.sums[ACCURACY].score

    @property
    def log_loss(self) -> Score:
        return self.sums[LOG_LOSS].score

    @property
    def brier(self) -> Score:
        return self.sums[BRIER].score

    @property
    def mean_loss(self) -> Score:
        return self.sums[MEAN_LOSS].score

    @property
    def surprise(self) -> tuple[float, float]:
        """The share of the rows whose class was thought impossible, and the mean log loss of all others."""
        found = self.sums[LOG_LOSS]
        return found.infinite / (found.mass + found.infinite), found.mean

    def scores(self) -> dict[str, Score]:
        return {name: sums.score for name, sums in self.sums.items() if self.loss or name != MEAN_LOSS}

    def difference(self, other: HasScores) -> Score:
        raise ParameterError(
            "Differences are paired by row, and rows that come in batches are not kept. Compare the models on a table "
            "in memory, such as a sample."
        )

    def description(self) -> Description:
        return described(self.how, self.rows, self.classes, self.scores(), self.confusion, [])

    def _frames(self) -> Library | None:
        return self.library


@dataclass(frozen=True, eq=False)
class Deal:
    """The way in which rows are dealt into folds: by a hash of a column or of the row, or file by file."""

    folds: int
    key: str | None  # the column whose hash says the fold; None goes by the number of the row
    by_file: bool

    @classmethod
    def read(cls, folds: IntoFolds, key: ArrayLike | str | None, source: Batches) -> "Deal":
        if isinstance(folds, str) and folds == BY_FILE:
            files = len({batch.file for batch in source.opened(source.names[:1])})
            if files < 2:
                raise ParameterError("folds='file' leaves out each file in turn; found one file. Give folds=10.")
            return cls(files, None, True)
        if key is not None:
            [key] = columns_named(source.names, key)
        expected = "for rows that come in batches folds must be a number, 2 or more, or 'file'"
        return cls(whole(folds, expected, least=2), key, False)

    def of(self, part: Labelled) -> Codes:
        """The folds of some rows."""
        (batch, partition, first), rows = part.came, part.rows
        if self.by_file:
            return np.full(len(rows), batch.file)
        if self.key is None:
            return _scattered(partition * FAR + first + rows) % self.folds
        found = read_column(batch.table.column(self.key), self.key).encoded()
        hashes = np.array([*(crc32(str(level).encode()) for level in found.levels), 0], dtype=np.intp)
        return np.asarray(hashes[found.codes[rows]] % self.folds)

    def parts(self, part: Labelled) -> Iterator[tuple[int, Labelled]]:
        """The rows of each fold that there are."""
        folds = self.of(part)
        for number in np.unique(folds).tolist():
            yield number, part.take(np.flatnonzero(folds == number))

    @property
    def title(self) -> str:
        return f"{self.folds}-fold cross-validation"


def dealt_by(folds: IntoFolds) -> bool:
    """Tell whether rows that need not be here can be dealt into such folds: a number, or each file in turn."""
    return isinstance(folds, Integral) or (isinstance(folds, str) and folds == BY_FILE)


def _scattered(numbers: Codes) -> Codes:
    """Numbers of rows as hashes, so that folds do not follow the order of rows."""
    bits = numbers.astype(np.uint64)
    for shift, factor in ((30, MIX[0]), (27, MIX[1])):
        bits = (bits ^ (bits >> np.uint64(shift))) * factor
    return (bits >> np.uint64(33)).astype(np.intp)


@dataclass(frozen=True, eq=False)
class ExaminationInBatches:
    """The question that models are asked: rows in batches, left out by folds, and a loss."""

    rows: InBatches
    deal: Deal
    loss: Loss | None

    def results(self, models: Mapping[str, Generative]) -> dict[str, "Result"]:
        """Validate each model; one that cannot be validated has its reason instead."""
        schemas, failed = self._planned(models)
        apart = self._apart(set(schemas.values()))
        begun = {name: self._begun(model, apart[schemas[name]]) for name, model in models.items() if name in schemas}
        failed |= {name: Result(None, None, found) for name, found in begun.items() if isinstance(found, SufficeError)}
        going = {name: found for name, found in begun.items() if isinstance(found, Validated)}
        return failed | (self._predicted(going) if going else {})

    def _planned(self, models: Mapping[str, Generative]) -> tuple[dict[str, Schema], dict[str, "Result"]]:
        """The schema of each model, by the first rows."""
        schemas: dict[str, Schema] = {}
        failed: dict[str, Result] = {}
        heard: set[tuple[str, str]] = set()
        for name, model in models.items():
            try:
                schemas[name] = model.plan(self.rows.head)
                tell(schemas[name].hints, heard)
            except SufficeError as error:
                failed[name] = Result(None, None, error)
        return schemas, failed

    def _apart(self, schemas: set[Schema]) -> dict[Schema, "Apart"]:
        """One pass: statistics of each fold, under each schema."""
        found = self._fold(_ByFold(self.deal, tuple(schemas)), schemas)
        if any(len(so_far) < 2 for so_far in found.sums):
            raise TableError("All rows are in one fold, so no rows are left to learn from: use at least 2 folds.")
        pairs = zip(schemas, found.sums, strict=True)
        return {schema: Apart.of(list(so_far.values()), list(so_far)) for schema, so_far in pairs}

    def _fold(self, work: Work[T], schemas: set[Schema]) -> T:
        """Add up what `work` makes of the rows that count."""
        own = {column.name for schema in schemas for column in schema.columns} | {self.deal.key}
        found = self.rows.fold(work, [name for name in self.rows.batches.names if name in own])
        if found is None:
            raise TableError("There is no row with a weight above 0.")
        return found

    def _begun(self, recipe: Generative, apart: "Apart") -> "Validated | SufficeError":
        """The model of all folds but one, for each."""
        try:
            summary, design, rules = recipe.closed_form(apart.total)
            others = Others(summary.classes, design, rules)
            answers = {number: others.model(learned) for number, learned in apart.without()}
        except SufficeError as error:
            return error
        try:
            evidence: Evidence | SufficeError = log_evidence(summary, design, rules)
        except SufficeError as error:
            evidence = error
        return Validated(apart.total, answers, evidence)

    def _predicted(self, going: Mapping[str, "Validated"]) -> dict[str, "Result"]:
        """One more pass: every row by the model that has not seen its fold."""
        work = _Judging(self.deal, self.loss, going)
        found = self._fold(work, {model.total.schema for model in going.values()})
        return {
            name: Result(
                BatchedValidation(judged.sums, judged.confusion, work.classes, judged.rows, self.deal.title, self.loss),
                *going[name].told,
            )
            for name, judged in found.models.items()
        }


@dataclass(frozen=True, eq=False)
class _Sums:
    """Summaries by fold, under each of several schemas."""

    sums: tuple[dict[int, Summary], ...]

    def __add__(self, other: "_Sums") -> "_Sums":
        return _Sums(tuple(_merged(mine, theirs) for mine, theirs in zip(self.sums, other.sums, strict=True)))


@dataclass(frozen=True, eq=False)
class _ByFold:
    """Work on rows: what those of each fold say."""

    deal: Deal
    schemas: tuple[Schema, ...]

    def __call__(self, part: Labelled) -> _Sums:
        folds = list(self.deal.parts(part))
        return _Sums(tuple({number: Summing(schema)(some) for number, some in folds} for schema in self.schemas))


@dataclass(frozen=True, eq=False)
class _Judged:
    """The quality of one model's predictions, as sums over rows."""

    sums: dict[str, Sums]
    confusion: Array  # (K, K) rows by true class and predicted class
    rows: int

    def __add__(self, other: "_Judged") -> "_Judged":
        confusion = self.confusion + other.confusion
        return _Judged(_merged(self.sums, other.sums), confusion, self.rows + other.rows)


@dataclass(frozen=True, eq=False)
class _EachJudged:
    models: dict[str, _Judged]

    def __add__(self, other: "_EachJudged") -> "_EachJudged":
        return _EachJudged(_merged(self.models, other.models))


@dataclass(frozen=True, eq=False)
class _Judging:
    """Work on rows: each is predicted by the models that have not seen its fold, and those are judged by its class."""

    deal: Deal
    loss: Loss | None
    going: Mapping[str, "Validated"]

    @lazy
    def classes(self) -> Levels:
        return next(iter(self.going.values())).total.classes

    def __call__(self, part: Labelled) -> _EachJudged:
        found: dict[str, _Judged] = {}
        for number, some in self.deal.parts(part):
            for name, model in self.going.items():
                found = _merged(found, {name: self._judged(model, number, some)})
        return _EachJudged(found)

    def _judged(self, model: "Validated", number: int, some: Labelled) -> _Judged:
        labels = np.array([self.classes.index(name) for name in some.classes], dtype=np.intp)[some.codes]
        logs = log_posterior(*model.answers[number](some.table), model.total.schema)
        confusion = np.zeros((len(self.classes),) * 2)
        np.add.at(confusion, (labels, logs.argmax(axis=1)), some.weights)
        values = self._values(logs, labels)
        return _Judged({title: Sums.of(each, some.weights) for title, each in values.items()}, confusion, len(labels))

    def _values(self, logs: Array, labels: Codes) -> dict[str, Array]:
        posterior, costs = np.exp(logs), (self.loss or Loss.zero_one(list(self.classes))).on(self.classes)
        return {
            ACCURACY: hits(logs, labels),
            LOG_LOSS: log_losses(logs, labels),
            BRIER: brier_scores(posterior, labels),
            MEAN_LOSS: losses(posterior, labels, costs),
        }


def _merged(mine: Mapping[K, T], theirs: Mapping[K, T]) -> dict[K, T]:
    """Merge two mappings; what both have is added."""
    both = ((key, added([mine.get(key), theirs.get(key)])) for key in {**mine, **theirs})
    return {key: found for key, found in both if found is not None}


@dataclass(frozen=True, eq=False)
class Apart:
    """Statistics of each fold, with the classes and levels of all."""

    total: Summary
    folds: tuple[Summary, ...]
    numbers: tuple[int, ...]

    @classmethod
    def of(cls, folds: list[Summary], numbers: list[int]) -> "Apart":
        total = reduce(add, folds)
        return cls(total, tuple(fold.onto(total.schema, total.classes) for fold in folds), tuple(numbers))

    def without(self) -> Iterator[tuple[int, Summary]]:
        """Yield for each fold the summary of all others, by sums from either end."""
        before = [None, *accumulate(self.folds[:-1], add)]
        after = [None, *accumulate(self.folds[:0:-1], add)][::-1]
        for number, *both in zip(self.numbers, before, after, strict=True):
            rest = reduce(add, (part for part in both if part is not None))
            yield number, rest.onto(self.total.schema, self.total.classes)


@dataclass(frozen=True, eq=False)
class Validated:
    total: Summary
    answers: Mapping[int, Answers]  # for each fold, the answers of the model learned from all others
    evidence: Evidence | SufficeError

    @property
    def told(self) -> tuple[Evidence | None, SufficeError | None]:
        """The evidence, or why there is none."""
        return (None, self.evidence) if isinstance(self.evidence, SufficeError) else (self.evidence, None)


@dataclass(frozen=True, eq=False)
class Result:
    validation: BatchedValidation | None
    evidence: Evidence | None
    error: SufficeError | None


def examined(
    models: Mapping[str, HasRecipe],
    source: Source,
    folds: IntoFolds,
    key: ArrayLike | str | None,
    loss: Loss | None,
) -> dict[str, Result]:
    """Validate models on rows that come in batches; results come in the order of the models."""
    batches = source.batches
    assert batches is not None  # as its rows come in batches
    refuse_absent(columns_named(batches.names, source.labels, source.weights), batches.names)
    recipes = {name: model.settled() for name, model in models.items()}
    closed = {name: recipe for name, recipe in recipes.items() if isinstance(recipe, Generative)}
    found: dict[str, Result] = {}
    if closed:
        unknown = next(iter(closed.values())).unknown
        named = None if source.classes is None else tuple(source.classes)
        with closing(source.in_batches(unknown)) as opened:
            rows = opened.taken(replace(opened.roles, classes=named))
            found = ExaminationInBatches(rows, Deal.read(folds, key, batches), loss).results(closed)
    for name, recipe in recipes.items():
        if name not in found:
            why = f"{recipe.name} learns anew from rows that are here. Give it a table in memory."
            found[name] = Result(None, None, ParameterError(why))
    return {name: found[name] for name in models}
