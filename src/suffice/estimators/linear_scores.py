"""Stage 5, what classifiers share whose scores are linear in the columns and that are no densities.

In:  the same tables and labels as all others.
Out: weights by column, in the user's own units, answers, explanations, files. A classifier itself finds the weights.
"""

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import Any, ClassVar, NoReturn, Self

import numpy as np
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from suffice.arrays import Array, Codes, Matrix, Values, is_sparse
from suffice.data.batches import IntoRows
from suffice.data.frames import Library
from suffice.data.hints import NUMBERED, Hint, tell
from suffice.data.labelled import Classes, Labelled
from suffice.data.labels import IntoLabels
from suffice.data.levels import Level, array_of, names_of_file
from suffice.data.levels import plain as plain_level
from suffice.data.planning import Kinds, plan
from suffice.data.schema import Schema, words
from suffice.data.source import Source
from suffice.data.table import IntoTable, Table
from suffice.data.weights import Weights
from suffice.decisions.explain import Explanation
from suffice.decisions.quadric import Quadric
from suffice.discriminative.columns import MISSING_CELLS, Columns, learned
from suffice.discriminative.logistic import Linear
from suffice.discriminative.margin import Margin
from suffice.engines.scoring.answers import CLASS, LOG_JOINT, Scoring
from suffice.errors import FileError, NoDensityError, ParameterError
from suffice.estimators.accuracy import Scored
from suffice.estimators.batchwise import AnswersRows, batchwise
from suffice.estimators.classifier import LearnsAnew
from suffice.estimators.face import table_like
from suffice.estimators.files import WITHOUT_SUMMARY, Packed, plain, restored
from suffice.estimators.in_sql import InSql
from suffice.estimators.parameters import Named, Settings
from suffice.families.counts import checked
from suffice.families.product import Cells
from suffice.formulas import ZERO, Expression, Formula
from suffice.options import number, one_of, switch
from suffice.printing.cells import HeldCells
from suffice.printing.description import Description, Series, Sheet, Text, sizes
from suffice.printing.language import word
from suffice.printing.numbers import chosen
from suffice.store import Header, write
from suffice.threads import blas_alone
from suffice.words import listed

UNSEEN = ("ignore", "error")
NO_BATCHES = (
    "{} has no partial_fit: its optimum depends on every row, not on sums that rows add to, so batches would not give "
    "the model of all rows. Use fit(X, y) on all of them, or a model that learns by adding, such as NaiveBayes or "
    "LinearDiscriminant."
)
Start = Linear | list[Margin] | None  # what a model of another C may begin with
INTERCEPT, HOLES = "intercept", "missing cells"


@dataclass(eq=False, repr=False)
class LinearClassifier(AnswersRows, Scored, LearnsAnew, InSql, Named):
    """Scores that are linear in the columns: one for each class, or for two classes, the second against the first."""

    SCALE: ClassVar[str]  # what its scores are, one against the other
    HEAVIEST: ClassVar[float]  # C times the weight of a row

    C: float = 1.0
    kinds: Kinds = None
    scale: bool = True
    unseen: str = "ignore"
    tol: float = 1e-10
    _columns: Columns = field(init=False)
    _w: Array = field(init=False)  # (K, P), or (1, P) of two classes, of columns that are centred and scaled
    _b: Array = field(init=False)
    _parameters: Settings = field(init=False)  # behind what was learned
    _library: Library | None = field(init=False)

    def fit(self, X: IntoRows, y: IntoLabels, sample_weight: Weights = None, classes: Classes = None) -> Self:
        """Learn from these rows alone, given as for NaiveBayes; every row must have a class.

        Raises
        ------
        TableError
            If the rows cannot be read as a table, or there is not one label for each.
        UnknownLabelsError
            If the class of some row is not known.
        ParameterError
            If `C` or another setting makes no sense.

        """
        source = Source.of(X, y, sample_weight, classes)
        return self._learn(source.known(None), source.table.library)

    def _learn(self, known: Labelled, library: Library | None, aloud: bool = True) -> Self:
        schema, columns, z = self._turned(known)
        self._from(z, known, columns, library, None)
        if aloud:
            _tell(schema, columns)
        return self

    def path(
        self, X: IntoTable, y: IntoLabels, C: Iterable[float], sample_weight: Weights = None, classes: Classes = None
    ) -> list[Self]:
        """Fitted copies, one for each of several values of C, each started from the solution for the next smaller C.

        They are the models that `fit` gives, found in less time: the table is read and scaled only once.
        """
        source, several = Source.of(X, y, sample_weight, classes), list(C)
        models = [type(self)(**self.get_params(deep=False) | {"C": one}) for one in several]
        for model in models:
            model._check()
        known = source.known(None)
        schema, columns, z = self._turned(known)
        start: Start = None
        for model in sorted(models, key=lambda model: float(model.C)):
            start = model._from(z, known, columns, source.table.library, start)
        _tell(schema, columns)
        return models

    def _from(self, z: Matrix, known: Labelled, columns: Columns, library: Library | None, start: Start) -> Start:
        """Learn from rows of numbers; gives what a model of another C may begin with."""
        with blas_alone():
            found = self._solve(z, known.codes, len(known.classes), known.weights, known.rows, start)
        self._know(columns, array_of(known.classes), library)
        self._parameters = {name: getattr(self, name) for name in self.get_params(deep=False)}
        return found

    @property
    def partial_fit(self) -> NoReturn:  # not there for who looks for it
        """Raises an error that says why this model cannot learn in parts."""
        raise AttributeError(NO_BATCHES.format(type(self).__name__))

    def _turned(self, known: Labelled) -> tuple[Schema, Columns, Matrix]:
        """The rows as numbers, after a look at settings and classes."""
        self._check()
        self._refuse_heavy(known.weights)
        rows_of = np.bincount(known.codes, minlength=len(known.classes))
        if len(rows_of) < 2 or not rows_of.all():
            raise ParameterError(
                f"{type(self).__name__} learns what separates classes, so one class is not enough: it needs at "
                f"least two classes, each with rows; found {_counted(known.classes, rows_of)}."
            )
        schema = self._plan(known.table)
        return schema, *learned(known.table, schema, known.weights, switch(self.scale, "scale"))

    @abstractmethod
    def _solve(self, z: Matrix, codes: Codes, classes: int, weights: Array, rows: Codes, start: Start) -> Start:
        """Find _w and _b, from what it has given for another C or from nothing."""

    def _check(self) -> None:
        number(
            self.C,
            f"C must be the weight of a row's loss against the size of the weights, above 0, at most {self.HEAVIEST:g}",
            lambda c: 0 < c <= self.HEAVIEST,
        )
        number(self.tol, "tol must be the largest distance from the optimum to accept, above 0", lambda t: t > 0)
        one_of(self.unseen, "unseen", UNSEEN)

    def _refuse_heavy(self, weights: Array) -> None:
        """What a row counts, C times its weight, must leave room for sums over rows in floats."""
        heaviest = float(weights.max(initial=0.0))
        if heaviest > self.HEAVIEST or float(self.C) * heaviest > self.HEAVIEST:
            raise ParameterError(
                f"C times the weight of a row must be at most {self.HEAVIEST:g}, and so must the weight, or floats "
                f"have no room for the rest of the objective; found C={float(self.C):g} and a weight of {heaviest:g}. "
                "Divide all weights by the largest, or choose a smaller C."
            )

    def _plan(self, table: Table) -> Schema:
        if is_sparse(table.matrix):  # whose cells may be any numbers here
            return Schema((words(table.names),), table.names, table.named)
        return plan(table, self.kinds)

    def _know(self, columns: Columns, classes: Values, library: Library | None) -> None:
        self._columns, self.classes_, self._library = columns, classes, library
        self.n_features_in_ = len(columns.schema.names)
        self.__dict__.pop("feature_names_in_", None)
        if columns.schema.named:
            self.feature_names_in_ = np.array(columns.schema.names, dtype=object)

    # what it has learned

    @property
    def coef_(self) -> Array:
        """The weight of each entry of `columns_`, in the units of the table: (K, P), or (1, P) for two classes."""
        check_is_fitted(self)
        return self._columns.in_units(self._w, self._b)[0]

    @property
    def intercept_(self) -> Array:
        """The score of a row of zeros: (K,), or (1,) for two classes."""
        check_is_fitted(self)
        return self._columns.in_units(self._w, self._b)[1]

    @property
    def columns_(self) -> tuple[str, ...]:
        """What each number of `coef_` stands for: a column, one of its levels, or its cell being missing."""
        check_is_fitted(self)
        return self._columns.names

    def coefficients(self) -> Any:
        """The weights by name, in the frame library of the table fitted on, or as a dict of arrays."""
        check_is_fitted(self)
        return self._weights().frame(self._library)

    def _weights(self) -> Sheet:
        w, b = self._columns.in_units(self._w, self._b)
        every = np.column_stack([w, b])
        series = [Series(name, row, chosen(every)) for name, row in zip(self._scored(), every, strict=True)]
        holes = {MISSING_CELLS.format(name): word("{name} missing", name=name) for name in self._columns.holes}
        return Sheet(word("column"), [*(holes.get(name, name) for name in self.columns_), word(INTERCEPT)], series)

    def _scored(self) -> list[Level]:
        """The classes that have a score: of two classes the second, against the first."""
        names: list[Level] = [plain_level(name) for name in self.classes_]
        return names[1:] if len(self._w) == 1 else names

    def description(self) -> Description:
        """The weights by name, and whatever else is known about each score."""
        columns = len(self._columns.schema.columns)
        many = sizes({"class": len(self.classes_), "column": columns})
        further = [Sheet(word("class"), self._scored(), found)] if (found := self._found()) else []
        title = (type(self).__name__, *many, f"C {self._parameters['C']:g}", *self._against())
        return Description(title, [self._weights(), *further])

    def _against(self) -> list[Text]:
        first, *rest = (plain_level(name) for name in self.classes_)
        return [word("scores of {first} against {second}", first=rest[0], second=first)] if len(rest) == 1 else []

    def _found(self) -> list[Series]:
        """What was found besides the weights, a number for each score."""
        return []

    # answers

    @batchwise
    def decision_function(self, X: IntoTable) -> Array:
        """Scores of the classes, (N, K); for two classes, the second against the first, (N,)."""
        scores = self._scores(self._table(X))
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def _columns_read(self) -> Schema:
        check_is_fitted(self)
        return self._columns.schema

    def _table(self, X: IntoTable) -> Table:
        check_is_fitted(self)
        return table_like(type(self).__name__, self._columns.schema, X)

    def _scores(self, table: Table) -> Array:
        z = self._columns.of(table, self._parameters["unseen"])
        return np.asarray(z @ self._w.T) + self._b

    @batchwise
    def predict(self, X: IntoTable) -> Values:
        """The class with the largest score; ties go to the class that comes first in classes_.

        Raises
        ------
        TableError
            If the rows cannot be read, or lack a column of the model.
        UnseenCategoryError
            If a category is new, and the model was made with unseen="error".
        NotFittedError
            If the model has not been fitted.

        """
        scores = self._scores(self._table(X))
        best = (scores[:, 0] > 0).astype(np.intp) if scores.shape[1] == 1 else np.argmax(scores, axis=1)
        return np.asarray(self.classes_[best])

    def _row_answers(self, X: IntoTable, proba: bool) -> dict[str, Values]:
        return {"class": self.predict(X)}

    def _explained(self, X: IntoTable, between: tuple[Level, Level]) -> Explanation:
        """Terms of wᵀx by the user's own column, measured from the mean of the rows fitted on."""
        first, second = ([plain_level(name) for name in self.classes_].index(name) for name in between)
        w, b = self._between(first, second)
        table = self._table(X)
        z, terms = self._columns.of(table, self._parameters["unseen"]), dict[str, Array]()
        for j, owner in enumerate(self._columns.owners):
            column = z[:, [j]].toarray()[:, 0] if is_sparse(z) else z[:, j]
            terms[owner] = terms.get(owner, np.zeros(table.rows)) + w[j] * column
        return Explanation(between, b, terms, INTERCEPT, self.SCALE, HeldCells.of(table, terms), (first, second))

    def _between(self, first: int, second: int) -> tuple[Array, float]:
        """The score of one class less that of another."""
        if len(self._w) == 1:
            sign = 1.0 if first == 1 else -1.0
            return sign * self._w[0], sign * float(self._b[0])
        return self._w[first] - self._w[second], float(self._b[first] - self._b[second])

    def _boundary(self, a: Level, b: Level) -> Quadric:
        """Where two classes have the same score: a hyperplane, of columns that are numbers."""
        columns, known = self._columns, [plain_level(name) for name in self.classes_]
        if columns.names != columns.schema.names:
            levels = [name for name in columns.names if name not in columns.schema.names]
            raise ParameterError(
                f"A boundary in closed form needs numeric columns only; {listed(levels)} are not numeric."
            )
        unknown = [name for name in (a, b) if name not in known]
        if unknown or a == b:
            raise ParameterError(f"A boundary must be between two of {known}; found {a!r} and {b!r}.")
        w, level = self._between(known.index(a), known.index(b))
        slope, flat = w / columns.scale, np.zeros((len(w), len(w)))
        return Quadric(columns.names, columns.centre, flat, slope, level, slope * columns.scale**2, columns.scale)

    def _scoring(self, output: str) -> Scoring:
        check_is_fitted(self)
        if output == LOG_JOINT:
            raise NoDensityError(f"{type(self).__name__} has no density of rows: use output='proba' or 'class'.")
        turned = self._log_posterior_formula if output != CLASS else as_classes
        classes = tuple(plain_level(name) for name in self.classes_)

        def formula(cells: Cells) -> Formula:
            scores = zip(self._w, self._b.tolist(), strict=True)
            return Formula(tuple(turned([self._columns.formula(cells, w, b) for w, b in scores])))

        even = np.full(len(classes), 1 / len(classes))  # of rows without any score, of which there are none
        return Scoring(self._columns.schema, self._parameters["unseen"], formula, classes, even)

    @abstractmethod
    def _log_posterior_formula(self, scores: Sequence[Expression]) -> Sequence[Expression]:
        """Ln P(class | row), up to a term common to all classes."""

    # validation and files

    def _anew(self, known: Labelled) -> Self:
        copy, met = type(self)(**self.get_params(deep=False)), replace(known.labels, declared=False)
        rows = np.arange(len(known.codes))
        return copy._learn(replace(known, labels=met.take(rows)), None, aloud=False)  # a class without rows is gone

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to a file that `suffice.load` reads back bit for bit; it holds nothing of the rows."""
        write(path, *self._packed())

    def _packed(self) -> Packed:
        check_is_fitted(self)
        columns, extra = self._columns, self._extra()
        model = {"name": type(self).__name__, "parameters": {k: plain(v) for k, v in self._parameters.items()}}
        header = {
            "holds": WITHOUT_SUMMARY,
            "model": model,
            "schema": columns.schema.plain(),
            "holes": list(columns.holes),
        }
        header |= {"classes": [plain_level(name) for name in self.classes_]}
        arrays = {"w": self._w, "b": self._b, "centre": columns.centre, "scale": columns.scale}
        self.restored(header, arrays | extra)  # what load would refuse is refused now
        return header, arrays | extra

    @abstractmethod
    def _extra(self) -> dict[str, Array]:
        """What a file has beside the weights."""

    @abstractmethod
    def _extra_shapes(self, scores: int, arrays: Mapping[str, Array]) -> dict[str, tuple[int, ...]]:
        """Of what a file has beside the weights."""

    @abstractmethod
    def _take_extra(self, arrays: Mapping[str, Array]) -> None:
        """What was saved beside the weights."""

    @classmethod
    def restored(cls, header: Header, arrays: Mapping[str, Array]) -> Self:
        """The model that was saved."""
        model = cls(**{key: restored(value) for key, value in header["model"]["parameters"].items()})
        schema = Schema.from_plain(header["schema"])
        columns = Columns(schema, tuple(header["holes"]), arrays["centre"], arrays["scale"])
        model._check()
        model._know(columns, array_of(names_of_file(header["classes"])), None)
        model._parameters = model.get_params(deep=False)
        model._refuse_impossible(arrays)
        model._w, model._b = arrays["w"], arrays["b"]
        model._take_extra(arrays)
        return model

    def _refuse_impossible(self, arrays: Mapping[str, Array]) -> None:
        """What is in a file and cannot have been learned."""
        columns, classes = self._columns, len(self.classes_)
        scores, wide = classes if classes > 2 else 1, len(columns.names)
        shapes = {"w": (scores, wide), "b": (scores,), "centre": (wide,), "scale": (wide,)}
        checked(arrays, shapes | self._extra_shapes(scores, arrays))
        odd = [name for name, array in arrays.items() if not np.isfinite(array).all()]
        odd += ["scale"] if (columns.scale <= 0).any() else []
        if odd:
            raise FileError(f"The file holds impossible numbers: {', '.join(odd)}.")
        known = set(columns.schema.names)
        if classes < 2 or len(set(columns.holes)) < len(columns.holes) or not known.issuperset(columns.holes):
            raise FileError("The file holds a linear model of one class, or of missing cells in columns it lacks.")

    def __sklearn_is_fitted__(self) -> bool:
        return "_columns" in vars(self)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        taken = tags.input_tags
        taken.categorical = taken.string = taken.allow_nan = taken.sparse = True
        return tags


def as_classes(scores: Sequence[Expression]) -> Sequence[Expression]:
    """One for each class: of two classes, the first has 0."""
    return scores if len(scores) > 1 else (ZERO, *scores)


def _tell(schema: Schema, columns: Columns) -> None:
    odd = [hint for hint in schema.hints if hint.text or hint.about == NUMBERED]  # others are about densities
    holes = [Hint(HOLES, columns.holes[0], _holes(columns.holes))] if columns.holes else []
    tell([*odd, *holes], set())


def _holes(names: Sequence[str]) -> str:
    return (
        f"Missing cells in {listed(names)}: a missing number is set to the mean, a missing category to no level, and "
        "each of these columns gets an indicator column for missing cells."
    )


def _counted(names: Sequence[Level], rows_of: Codes) -> str:
    return ", ".join(f"{name!r} in {count} rows" for name, count in zip(names, rows_of.tolist(), strict=True))
