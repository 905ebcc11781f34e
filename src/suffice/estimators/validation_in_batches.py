"""Exact validation of rows that come in batches: one pass for the statistics of every fold, one more to predict.

In:  models, a source of batches, and how its rows are dealt to folds: by the hash of a key or of their number, by file.
Out: BatchedValidation of each model: scores and confusion, as sums over rows, which are not kept. However many models
     there are, the source is read twice.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import reduce
from itertools import accumulate
from numbers import Integral
from operator import add
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np

from suffice.arrays import Array, Codes
from suffice.data.batches import Batches, refuse_absent, told_where
from suffice.data.files import Batch
from suffice.data.frames import Library, named_apart
from suffice.data.hints import tell
from suffice.data.levels import Levels
from suffice.data.planning import like
from suffice.data.schema import Schema
from suffice.data.table import read_column, read_table
from suffice.decisions.loss import Loss
from suffice.decisions.posterior import log_posterior
from suffice.decisions.scores import Score, Sums, brier_scores, hits, log_losses, losses
from suffice.errors import ParameterError, SufficeError, TableError
from suffice.estimators.classifier import Classifier, LearnsAnew
from suffice.model.collect import Labelled, Source, columns_named, labelled
from suffice.model.criteria import Evidence, log_evidence
from suffice.model.summary import Summary, summarise
from suffice.model.validate import Answers, Others
from suffice.options import whole
from suffice.printing.description import Description
from suffice.printing.printed import Printed
from suffice.reporting.scores import described

if TYPE_CHECKING:  # which knows this
    from suffice.estimators.validation import Validation

BY_FILE = "file"
MIX = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))  # odd numbers that scatter bits
ACCURACY, LOG_LOSS, BRIER, MEAN_LOSS = "accuracy", "log loss", "Brier score", "mean loss"


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

    def difference(self, other: "Validation | BatchedValidation") -> Score:
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
    """Which fold each row is in."""

    folds: int
    key: str | None  # the column whose hash says it
    by_file: bool

    @classmethod
    def read(cls, folds: Any, key: Any, source: Batches) -> "Deal":
        if isinstance(folds, str) and folds == BY_FILE:
            files = len({batch.file for batch in source.opened(source.names[:1])})
            if files < 2:
                raise ParameterError("folds='file' leaves out each file in turn; found one file. Give folds=10.")
            return cls(files, None, True)
        if key is not None:
            [key] = columns_named(source.names, key)
        expected = "for rows that come in batches folds must be a number, 2 or more, or 'file'"
        return cls(whole(folds, expected, least=2), key, False)

    def of(self, batch: Batch, first: int, rows: Codes) -> Codes:
        """The folds of some rows of a batch, whose first row is the so manyth of all."""
        if self.by_file:
            return np.full(len(rows), batch.file)
        if self.key is None:
            return _scattered(first + rows) % self.folds
        found = read_column(batch.table.column(self.key), self.key).encoded()
        hashes = np.array([*(crc32(str(level).encode()) for level in found.levels), 0], dtype=np.intp)
        return np.asarray(hashes[found.codes[rows]] % self.folds)

    @property
    def title(self) -> str:
        return f"{self.folds}-fold cross-validation"


def dealt_by(folds: Any) -> bool:
    """Whether folds are of rows that need not be here: a number, or each file in turn."""
    return isinstance(folds, Integral) or (isinstance(folds, str) and folds == BY_FILE)


def _scattered(numbers: Codes) -> Codes:
    """Numbers of rows as hashes, so that folds do not follow the order of rows."""
    bits = numbers.astype(np.uint64)
    for shift, factor in ((30, MIX[0]), (27, MIX[1])):
        bits = (bits ^ (bits >> np.uint64(shift))) * factor
    return (bits >> np.uint64(33)).astype(np.intp)


@dataclass(frozen=True, eq=False)
class ExaminationInBatches:
    """What models are asked: rows of a source, left out by folds, and a loss."""

    source: Source
    deal: Deal
    loss: Loss | None
    unknown: Any

    @property
    def batches(self) -> Batches:
        assert self.source.batches is not None  # as its rows come in batches
        return self.source.batches

    def results(self, models: Mapping[str, Classifier]) -> dict[str, "Result"]:
        """Of each model; what cannot be validated has its reason."""
        schemas, failed = self._planned(models)
        apart = self._apart(set(schemas.values()))
        begun = {name: self._begun(model, apart[schemas[name]]) for name, model in models.items() if name in schemas}
        failed |= {name: Result(None, None, found) for name, found in begun.items() if isinstance(found, SufficeError)}
        going = {name: found for name, found in begun.items() if isinstance(found, Begun)}
        return failed | (self._predicted(going) if going else {})

    def _planned(self, models: Mapping[str, Classifier]) -> tuple[dict[str, Schema], dict[str, "Result"]]:
        """The schema of each model, by the first rows."""
        named = columns_named(self.batches.names, self.source.labels, self.source.weights)
        head = read_table(named_apart(self.batches.head, *named)[0])
        schemas: dict[str, Schema] = {}
        failed: dict[str, Result] = {}
        heard: set[tuple[str, str]] = set()
        for name, model in models.items():
            try:
                schemas[name] = model._settled()._plan(head)
                tell(schemas[name].hints, heard)
            except SufficeError as error:
                failed[name] = Result(None, None, error)
        return schemas, failed

    def _read(self, schemas: set[Schema]) -> Iterator[tuple[Labelled, Codes, Batch]]:
        """Rows that count, with their folds."""
        labels, weights = self.source.labels, self.source.weights
        own = {column.name for schema in schemas for column in schema.columns} | {labels, weights, self.deal.key}
        first = 0
        for batch in self.batches.read([name for name in self.batches.names if name in own]):
            with told_where(batch.place):
                table, own_labels, given = named_apart(batch.table, labels, weights)
                if given is None or np.asarray(given, dtype=float).any():
                    known = labelled(read_table(table), own_labels, given, self.source.classes, self.unknown)
                    yield known, self.deal.of(batch, first, known.rows), batch
            first += len(batch.table)

    def _apart(self, schemas: set[Schema]) -> dict[Schema, "Apart"]:
        """One pass: statistics of each fold, under each schema."""
        found: dict[Schema, dict[int, Summary]] = {schema: {} for schema in schemas}
        for known, folds, _ in self._read(schemas):
            for number in np.unique(folds).tolist():
                part = known.take(np.flatnonzero(folds == number))
                for schema, so_far in found.items():
                    plan = like(schema, part.table)
                    more = summarise(part.table, plan, part.classes, part.codes, part.weights)
                    so_far[number] = so_far[number] + more if number in so_far else more
        if any(len(so_far) < 2 for so_far in found.values()):
            raise TableError("All rows are in one fold, so no rows are left to learn from: use at least 2 folds.")
        return {schema: Apart.of(list(so_far.values()), list(so_far)) for schema, so_far in found.items()}

    def _begun(self, model: Classifier, apart: "Apart") -> "Begun | SufficeError":
        """The model of all folds but one, for each."""
        settled = model._settled()
        try:
            summary, design, rules = settled._closed_form(apart.total)
            others = Others(summary.classes, design, rules)
            answers = {number: others.model(learned) for number, learned in apart.without()}
        except SufficeError as error:
            return error
        try:
            evidence: Evidence | SufficeError = log_evidence(summary, design, rules)
        except SufficeError as error:
            evidence = error
        return Begun(apart.total, answers, evidence)

    def _predicted(self, going: Mapping[str, "Begun"]) -> dict[str, "Result"]:
        """One more pass: every row by the model that has not seen its fold."""
        sums: dict[str, dict[str, Sums]] = {name: {} for name in going}
        classes = next(iter(going.values())).total.classes
        confusion = {name: np.zeros((len(classes), len(classes))) for name in going}
        rows = 0
        for known, folds, _ in self._read({model.total.schema for model in going.values()}):
            labels = np.array([classes.index(name) for name in known.classes], dtype=np.intp)[known.codes]
            rows += len(labels)
            for number in np.unique(folds).tolist():
                some = np.flatnonzero(folds == number)
                part, mine, weights = known.table.take(some), labels[some], known.weights[some]
                for name, model in going.items():
                    logs = log_posterior(*model.answers[number](part), model.total.schema)
                    for title, values in self._values(logs, mine, classes).items():
                        more = Sums.of(values, weights)
                        sums[name][title] = sums[name][title] + more if title in sums[name] else more
                    np.add.at(confusion[name], (mine, logs.argmax(axis=1)), weights)
        return {
            name: Result(
                BatchedValidation(sums[name], confusion[name], classes, rows, self.deal.title, self.loss),
                *model.told,
            )
            for name, model in going.items()
        }

    def _values(self, logs: Array, labels: Codes, classes: Levels) -> dict[str, Array]:
        posterior, costs = np.exp(logs), (self.loss or Loss.zero_one(list(classes))).on(classes)
        return {
            ACCURACY: hits(logs, labels),
            LOG_LOSS: log_losses(logs, labels),
            BRIER: brier_scores(posterior, labels),
            MEAN_LOSS: losses(posterior, labels, costs),
        }


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
        """What all folds but one say, by sums from either end."""
        before = [None, *accumulate(self.folds[:-1], add)]
        after = [None, *accumulate(self.folds[:0:-1], add)][::-1]
        for number, *both in zip(self.numbers, before, after, strict=True):
            rest = reduce(add, (part for part in both if part is not None))
            yield number, rest.onto(self.total.schema, self.total.classes)


@dataclass(frozen=True, eq=False)
class Begun:
    total: Summary
    answers: Mapping[int, Answers]  # by fold
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
    models: Mapping[str, Classifier | LearnsAnew], source: Source, folds: Any, key: Any, loss: Loss | None
) -> dict[str, Result]:
    """Of models on rows that come in batches, in the order of the models."""
    batches = source.batches
    assert batches is not None  # as its rows come in batches
    refuse_absent(columns_named(batches.names, source.labels, source.weights), batches.names)
    closed = {name: model for name, model in models.items() if isinstance(model, Classifier)}
    found: dict[str, Result] = {}
    if closed:
        unknown = next(iter(closed.values())).unknown
        found = ExaminationInBatches(source, Deal.read(folds, key, batches), loss, unknown).results(closed)
    for name, model in models.items():
        if name not in found:
            why = f"{type(model).__name__} learns anew from rows that are here. Give it a table in memory."
            found[name] = Result(None, None, ParameterError(why))
    return {name: found[name] for name in models}
