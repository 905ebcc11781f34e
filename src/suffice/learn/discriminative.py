"""Recipes and models whose scores are linear in the columns, and that are no densities.

In:  the same tables and labels as all others; a recipe itself finds the weights.
Out: Discriminative: weights by column, in the user's own units, answers, explanations, files. Rows do not add up to a
     model here, so validation goes by folds, learning anew for each.
"""

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from suffice.arrays import Array, Codes, Matrix, Values, is_sparse
from suffice.data.frames import Library
from suffice.data.hints import NUMBERED, Hint
from suffice.data.labelled import Labelled
from suffice.data.levels import Level, Levels, array_of, names_of_file
from suffice.data.planning import Kinds, plan
from suffice.data.schema import Schema, words
from suffice.data.table import IntoTable, Table
from suffice.decisions.explain import Explanation
from suffice.decisions.quadric import Quadric
from suffice.discriminative.columns import MISSING_CELLS, Columns, learned
from suffice.discriminative.logistic import Linear
from suffice.discriminative.margin import Margin
from suffice.engines.scoring.answers import CLASS, LOG_JOINT, Scoring
from suffice.errors import FileError, NoDensityError, ParameterError
from suffice.families.counts import checked
from suffice.families.product import Cells
from suffice.formulas import ZERO, Expression, Formula
from suffice.learn.model import Model, Packed
from suffice.learn.packing import WITHOUT_SUMMARY, plain
from suffice.learn.recipe import Recipe
from suffice.options import number, one_of, switch
from suffice.printing.cells import HeldCells
from suffice.printing.description import Description, Series, Sheet, Text, sizes
from suffice.printing.language import word
from suffice.printing.numbers import chosen
from suffice.store import Header
from suffice.threads import blas_alone
from suffice.words import listed

UNSEEN = ("ignore", "error")
INTERCEPT, HOLES = "intercept", "missing cells"
WarmStart = Linear | list[Margin] | None  # the solution of another C, to begin from


@dataclass(frozen=True, eq=False)
class TurnedRows:
    """Rows as numbers, centred and scaled."""

    z: Matrix  # (N, P), of centred and scaled columns
    codes: Codes
    classes: int
    weights: Array
    numbers: Codes  # the place of each row in the user's table

    def take(self, some: Codes) -> "TurnedRows":
        return TurnedRows(self.z[some], self.codes[some], self.classes, self.weights[some], self.numbers[some])


@dataclass(frozen=True, eq=False)
class Discriminative(Model):
    """Scores that are linear in the columns: one for each class, or for two classes, the second against the first."""

    SCALE: ClassVar[str]  # what its scores are, one against the other

    recipe: "DiscriminativeRecipe"
    schema: Schema
    classes: Levels
    columns: Columns
    w: Array  # (K, P), or (1, P) for two classes: weights of centred and scaled columns
    b: Array
    library: Library | None

    @property
    def hints(self) -> tuple[Hint, ...]:
        """Hints from the cells, but for doubts about densities, and on what becomes of missing cells."""
        odd = [hint for hint in self.schema.hints if hint.text or hint.about == NUMBERED]
        holes = self.columns.holes
        return (*odd, Hint(HOLES, holes[0], _holes(holes))) if holes else tuple(odd)

    # answers

    def scores(self, table: Table) -> Array:
        """The scores of the classes; of two classes that of the second."""  # (N, K) or (N, 1)
        z = self.columns.of(table, self.recipe.unseen)
        return np.asarray(z @ self.w.T) + self.b

    def best(self, table: Table) -> Values:
        """The class with the largest score."""
        scores = self.scores(table)
        found = (scores[:, 0] > 0).astype(np.intp) if scores.shape[1] == 1 else np.argmax(scores, axis=1)
        return np.asarray(array_of(self.classes)[found])

    def answers(self, X: IntoTable, proba: bool) -> Mapping[str, Values]:
        return {self.NOUN: self.best(self.table(X))}

    def scoring(self, output: str) -> Scoring:
        if output == LOG_JOINT:
            raise NoDensityError(f"{self.recipe.name} has no density of rows: use output='proba' or 'class'.")
        turned = self.log_posterior_formula if output != CLASS else as_classes

        def formula(cells: Cells) -> Formula:
            scores = zip(self.w, self.b.tolist(), strict=True)
            return Formula(tuple(turned([self.columns.formula(cells, w, b) for w, b in scores])))

        even = np.full(len(self.classes), 1 / len(self.classes))  # of rows without any score, of which there are none
        return Scoring(self.schema, self.recipe.unseen, formula, self.classes, even)

    @abstractmethod
    def log_posterior_formula(self, scores: Sequence[Expression]) -> Sequence[Expression]:
        """Ln P(class | row), up to a term common to all classes."""

    def learned_from(self, known: Labelled) -> bool:
        mine = self.columns
        columns, _ = learned(known.table, mine.schema, known.weights, bool((mine.scale != 1).any()))
        pairs = ((columns.centre, mine.centre), (columns.scale, mine.scale))
        return columns.names == mine.names and all(np.allclose(a, b) for a, b in pairs)

    # why

    def explained(self, X: IntoTable, between: tuple[Level, Level]) -> Explanation:
        """Terms of wᵀx by the user's own column, measured from the mean of the rows fitted on."""
        first, second = (self.classes.index(name) for name in between)
        w, b = self._between(first, second)
        table = self.table(X)
        z, terms = self.columns.of(table, self.recipe.unseen), dict[str, Array]()
        for j, owner in enumerate(self.columns.owners):
            column = z[:, [j]].toarray()[:, 0] if is_sparse(z) else z[:, j]
            terms[owner] = terms.get(owner, np.zeros(table.rows)) + w[j] * column
        return Explanation(between, b, terms, INTERCEPT, self.SCALE, HeldCells.of(table, terms), (first, second))

    def _between(self, first: int, second: int) -> tuple[Array, float]:
        """The score of one class less that of another."""
        if len(self.w) == 1:
            sign = 1.0 if first == 1 else -1.0
            return sign * self.w[0], sign * float(self.b[0])
        return self.w[first] - self.w[second], float(self.b[first] - self.b[second])

    def boundary(self, a: Level, b: Level) -> Quadric:
        """The boundary where two classes have the same score: a hyperplane, of columns that are numbers."""
        columns, known = self.columns, list(self.classes)
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

    # what it says of itself

    @property
    def in_units(self) -> tuple[Array, Array]:
        """Weights and intercepts in the units of the table."""
        return self.columns.in_units(self.w, self.b)

    @property
    def weights(self) -> Sheet:
        """The weights by name."""
        w, b = self.in_units
        every = np.column_stack([w, b])
        series = [Series(name, row, chosen(every)) for name, row in zip(self._scored, every, strict=True)]
        holes = {MISSING_CELLS.format(name): word("{name} missing", name=name) for name in self.columns.holes}
        names = [*(holes.get(name, name) for name in self.columns.names), word(INTERCEPT)]
        return Sheet(word("column"), names, series)

    @property
    def _scored(self) -> list[Level]:
        """The classes that have a score: of two classes the second, against the first."""
        names = list(self.classes)
        return names[1:] if len(self.w) == 1 else names

    def description(self) -> Description:
        """The weights by name, and whatever else is known about each score."""
        many = sizes({"class": len(self.classes), "column": len(self.schema.columns)})
        further = [Sheet(word("class"), self._scored, found)] if (found := self.of_each_score()) else []
        title = (self.recipe.name, *many, f"C {self.recipe.C:g}", *self._against())
        return Description(title, [self.weights, *further])

    def _against(self) -> list[Text]:
        first, *rest = self.classes
        return [word("scores of {first} against {second}", first=rest[0], second=first)] if len(rest) == 1 else []

    def of_each_score(self) -> list[Series]:
        """Numbers for each score to print besides the weights; none, unless a model has some."""
        return []

    # files

    def packed(self) -> Packed:
        """The model as a file holds it; nothing of the rows is in it."""
        columns, parameters = self.columns, {key: plain(value) for key, value in self.recipe.parameters.items()}
        header: Header = {
            "holds": WITHOUT_SUMMARY,
            "model": {"name": self.recipe.name, "parameters": parameters},
            "schema": columns.schema.plain(),
            "holes": list(columns.holes),
            "classes": list(self.classes),
        }
        arrays = {"w": self.w, "b": self.b, "centre": columns.centre, "scale": columns.scale} | self.extra()
        self.recipe.restored(header, arrays)  # what load would refuse is refused now
        return header, arrays

    @abstractmethod
    def extra(self) -> dict[str, Array]:
        """The arrays that a file has beside the weights."""


@dataclass(eq=False, repr=False)
class DiscriminativeParameters:
    C: float = 1.0
    kinds: Kinds = None
    scale: bool = True
    unseen: str = "ignore"
    tol: float = 1e-10


class DiscriminativeRecipe(DiscriminativeParameters, Recipe):
    HEAVIEST: ClassVar[float]  # C times the weight of a row
    ALONE = False

    def check(self) -> None:
        number(
            self.C,
            f"C must be the weight of a row's loss against the size of the weights, above 0, at most {self.HEAVIEST:g}",
            lambda c: 0 < c <= self.HEAVIEST,
        )
        number(self.tol, "tol must be the largest distance from the optimum to accept, above 0", lambda t: t > 0)
        one_of(self.unseen, "unseen", UNSEEN)

    def plan(self, head: Table) -> Schema:
        """Plan the kind of each column."""
        if is_sparse(head.matrix):  # whose cells may be any numbers here
            return Schema((words(head.names),), head.names, head.named)
        return plan(head, self.kinds)

    # learning

    def learn(self, known: Labelled) -> Discriminative:
        columns, rows = self.turned(known)
        return self.solved(known, columns, rows, None)[0]

    def path(self, known: Labelled, several: Iterable[float]) -> Iterator[tuple[float, Discriminative]]:
        """Models for several values of C, from the smallest on, each begun with what the one before has found."""
        recipes = sorted((self.but({"C": one}) for one in several), key=lambda recipe: float(recipe.C))
        for recipe in recipes:
            recipe.check()
        columns, rows = self.turned(known)
        start: WarmStart = None
        for recipe in recipes:
            model, start = recipe.solved(known, columns, rows, start)
            yield recipe.C, model

    def solved(
        self, known: Labelled, columns: Columns, rows: TurnedRows, start: WarmStart
    ) -> tuple[Discriminative, WarmStart]:
        """The model, and what a model of another C may begin with."""
        self._refuse_heavy(rows.weights)
        with blas_alone():
            return self.solve(rows, known.classes, columns, known.table.library, start)

    @abstractmethod
    def solve(
        self, rows: TurnedRows, classes: Levels, columns: Columns, library: Library | None, start: WarmStart
    ) -> tuple[Discriminative, WarmStart]:
        """Find the weights, from what was found for another C or from nothing."""

    def turned(self, known: Labelled) -> tuple[Columns, TurnedRows]:
        """The rows as numbers, after a look at settings and classes."""
        self.check()
        self._refuse_heavy(known.weights)
        rows_of = np.bincount(known.codes, minlength=len(known.classes))
        if len(rows_of) < 2 or not rows_of.all():
            raise ParameterError(
                f"{self.name} learns what separates classes, so one class is not enough: it needs at "
                f"least two classes, each with rows; found {_counted(known.classes, rows_of)}."
            )
        columns, z = learned(known.table, self.plan(known.table), known.weights, switch(self.scale, "scale"))
        return columns, TurnedRows(z, known.codes, len(known.classes), known.weights, known.rows)

    def _refuse_heavy(self, weights: Array) -> None:
        """Refuse a C or weights so large that floats have no room for sums over rows."""
        heaviest = float(weights.max(initial=0.0))
        if heaviest > self.HEAVIEST or float(self.C) * heaviest > self.HEAVIEST:
            raise ParameterError(
                f"C times the weight of a row must be at most {self.HEAVIEST:g}, and so must the weight, or floats "
                f"have no room for the rest of the objective; found C={float(self.C):g} and a weight of {heaviest:g}. "
                "Divide all weights by the largest, or choose a smaller C."
            )

    # validation

    def with_classes(self, known: Labelled) -> Labelled:
        """A class without rows is gone."""
        return replace(known, labels=replace(known.labels, declared=False).take(np.arange(known.table.rows)))

    # files

    def restored(self, header: Header, arrays: Mapping[str, Array]) -> Discriminative:
        """The model that was saved."""
        schema = Schema.from_plain(header["schema"])
        columns = Columns(schema, tuple(header["holes"]), arrays["centre"], arrays["scale"])
        self.check()
        classes = tuple(names_of_file(header["classes"]))
        self._refuse_impossible(columns, len(classes), arrays)
        return self.of_arrays(classes, columns, arrays)

    @abstractmethod
    def of_arrays(self, classes: Levels, columns: Columns, arrays: Mapping[str, Array]) -> Discriminative:
        """The model of which a file holds these arrays."""

    @abstractmethod
    def extra_shapes(self, scores: int, arrays: Mapping[str, Array]) -> dict[str, tuple[int, ...]]:
        """The shapes of the arrays that a file has beside the weights."""

    def _refuse_impossible(self, columns: Columns, classes: int, arrays: Mapping[str, Array]) -> None:
        """Refuse arrays of a file that cannot have been learned."""
        scores, wide = classes if classes > 2 else 1, len(columns.names)
        shapes = {"w": (scores, wide), "b": (scores,), "centre": (wide,), "scale": (wide,)}
        checked(arrays, shapes | self.extra_shapes(scores, arrays))
        odd = [name for name, array in arrays.items() if not np.isfinite(array).all()]
        odd += ["scale"] if (columns.scale <= 0).any() else []
        if odd:
            raise FileError(f"The file holds impossible numbers: {', '.join(odd)}.")
        known = set(columns.schema.names)
        if classes < 2 or len(set(columns.holes)) < len(columns.holes) or not known.issuperset(columns.holes):
            raise FileError("The file holds a linear model of one class, or of missing cells in columns it lacks.")


def as_classes(scores: Sequence[Expression]) -> Sequence[Expression]:
    """One for each class: of two classes, the first has 0."""
    return scores if len(scores) > 1 else (ZERO, *scores)


def _holes(names: Sequence[str]) -> str:
    return (
        f"Missing cells in {listed(names)}: a missing number is set to the mean, a missing category to no level, and "
        "each of these columns gets an indicator column for missing cells."
    )


def _counted(names: Sequence[Level], rows_of: Codes) -> str:
    return ", ".join(f"{name!r} in {count} rows" for name, count in zip(names, rows_of.tolist(), strict=True))
