"""What a user asks for, as a value: a recipe says what is to be learned, and learns it. Nothing in it is learned.

In:  parameters by name; a parameter may be "auto", left to the rows.
Out: Recipe: `learn` gives a Model of rows, `without` what rows are told by models that have not seen them, `but` the
     recipe with other parameters.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any, ClassVar, Self

import numpy as np

from suffice.arrays import Array, Codes
from suffice.data.hints import Hint
from suffice.data.labelled import Labelled
from suffice.data.levels import Levels
from suffice.data.source import Source
from suffice.data.table import Table
from suffice.errors import NoStatisticsError, ParameterError
from suffice.learn.model import Model, Settings
from suffice.model.evidence import Evidence
from suffice.model.folds import Plan
from suffice.model.joint import Joint
from suffice.model.rules import AUTO
from suffice.model.summary import Summary
from suffice.progress import progress

Change = Callable[[Settings], Settings]  # settings so far → settings to try
Predictor = Callable[[Table], Array]  # rows, to ln P(class | row)
PLAIN = (str, int, float, bool, type(None))  # types whose values need no copy


@dataclass(frozen=True, eq=False)
class ToForetell:
    """Rows that a validation wants foretold, and the plan by which."""

    known: Labelled
    plan: Plan | None  # who is predicted from whom; None leaves out one row at a time
    table: Table  # the rows that count, and behind them those of weight 0, which folds predict too


@dataclass(frozen=True, eq=False)
class Foretold:
    """Predictions of rows by models that have not seen them."""

    log_posterior: Array  # (T, K) in the order of the classes of all rows
    rows: Codes  # (T,) which row each prediction is of
    how: str  # the way in which rows were left out, in words
    whole: Predictor | None = None  # learned from all rows; predicts rows of weight 0 that no fold has
    hints: tuple[Hint, ...] = ()
    joint: Joint | None = None  # learned from all rows; its estimate may be another than was asked for


@dataclass(eq=False, repr=False)
class Recipe(ABC):
    """Parameters that nobody changes any more, and what follows from them."""

    name: ClassVar[str]  # the name of its models, as they are printed and saved
    TUNABLE: ClassVar[tuple[str, ...]] = ()  # parameters that may be "auto", and that tuning varies
    ALONE: ClassVar[bool] = True  # whether rows of a single class can be learned from
    POSTERIORS: ClassVar[bool] = True  # whether its models say P(class | row)
    unknown = None  # the label that means "not known", beside None and NaN

    @classmethod
    @cache
    def offers(cls) -> tuple[str, ...]:
        """The names of its parameters, in order."""
        return tuple(part.name for part in fields(cls) if part.init)

    @classmethod
    def of(cls, given: Settings) -> Self:
        """A recipe that owns its parameters, whatever becomes of those that were given."""
        return cls(**{name: copied(value) for name, value in given.items()})

    @property
    def parameters(self) -> Settings:
        return {name: getattr(self, name) for name in self.offers()}

    def but(self, changed: Settings) -> Self:
        """Return a recipe with some other parameters."""
        return type(self).of(self.parameters | changed)

    # settings that are left to the rows

    @property
    def open(self) -> list[str]:
        """The names of parameters that are "auto"."""
        return [name for name in self.TUNABLE if is_open(getattr(self, name))]

    def settled_as(self, before: "Recipe | None") -> Self:
        """Return a recipe whose "auto" parameters are as they were chosen before."""
        left = self.open
        if left and before is None:
            raise ParameterError(
                f"{left[0]}='auto' needs the rows one by one: use fit(X, y) first, or set {left[0]} yourself."
            )
        return self.but({name: getattr(before, name) for name in left}) if left else self

    @property
    def settings(self) -> Settings:
        """The parameters that may be "auto", as a model has them."""
        return {name: getattr(self, name) for name in self.TUNABLE}

    def plainest(self, names: Sequence[str]) -> Settings:
        """The settings that tuning begins with; "auto" ones are as if they had not been given."""
        defaults, left = type(self)().parameters, self.open
        return {name: defaults[name] if name in left else getattr(self, name) for name in names}

    def stages(self, names: Sequence[str], table: Table) -> list[list[Change]]:
        """Stages of tuning: in each, changes to try on the best settings so far."""
        return [[lambda best: best]]

    def long_one_by_one(self, known: Labelled) -> bool:
        """Tell whether leaving out one row at a time takes so long that folds are better to judge many settings."""
        return False

    def open_kinds(self, table: Table) -> Mapping[str, Sequence[str]]:
        """Columns whose kind is left to the rows, and what else than by default each can be."""
        return {}

    # what it is for

    @abstractmethod
    def check(self) -> None:
        """Refuse parameters that make no sense, before any work."""

    @abstractmethod
    def learn(self, known: Labelled) -> Model:
        """The model of these rows alone."""

    def learn_of(self, source: Source) -> Model:
        """The model of rows wherever they are; where they have to be here, they are read."""
        return self.learn(source.known(self.unknown))

    def without(self, asking: ToForetell) -> Foretold:
        """Every row by a model that has not seen it."""
        return self.one_by_one(asking) if asking.plan is None else self.fold_by_fold(asking)

    def one_by_one(self, asking: ToForetell) -> Foretold:
        """Every row by the model of all others, from statistics."""
        raise NoStatisticsError(
            f"{self.name} has no statistics from which a row could be removed. Give folds, as in "
            "cross_validate(model, X, y, folds=10), which fits again for each fold."
        )

    def evidence(self, known: Labelled) -> Evidence:
        """Ln p(columns | classes), with parameters integrated out, or an error that says why there is none."""
        raise ParameterError(f"{self.name} is not a density of the columns, so there is no evidence.")

    def evidence_of(self, summary: Summary) -> Evidence:
        """The same from a summary alone."""
        raise ParameterError(f"{self.name} is not a density of the columns, so there is no evidence.")

    def fold_by_fold(self, asking: ToForetell) -> Foretold:
        """Each row by a model that has learned anew from the rows that the plan has it predicted from."""
        known, classes, parts = self.with_classes(asking.known), asking.known.classes, []
        assert asking.plan is not None  # who has none has nothing to go by
        for learned, some in progress(asking.plan.pairs(), "fold", len(asking.plan)):
            parts.append((self.foretold(known.take(learned), asking.table.take(some), classes), some))
        logs, rows = (np.concatenate(part) for part in zip(*parts, strict=True))
        return Foretold(logs, rows, f"{asking.plan.title} (refitted)")

    def foretold(self, learned: Labelled, table: Table, classes: Levels) -> Array:
        """Ln P(class | row) of a table by what some rows teach; a class that none of them is known to have has 0."""
        out = np.full((table.rows, len(classes)), -np.inf)
        if len(learned.classes) == 1 and not self.ALONE:  # there is nothing to tell apart
            out[:, classes.index(learned.classes[0])] = 0.0
            return out
        model = self.learn(learned)
        out[:, [classes.index(name) for name in model.classes]] = model.log_posterior(table)
        return out

    def with_classes(self, known: Labelled) -> Labelled:
        """The rows as folds learn from them: whether a class that none of those has stays possible."""
        return known


def declared(known: Labelled) -> Labelled:
    """The rows with all of their classes declared, so that parts of them have those classes too."""
    return replace(known, labels=known.labels.among(known.classes))


def copied(value: Any) -> Any:
    """A parameter that nobody else can change."""
    try:
        return value if type(value) in PLAIN else deepcopy(value)
    except TypeError as error:
        raise ParameterError(f"A parameter cannot be copied ({error}). Use a list or a dict.") from None


def is_open(value: Any) -> bool:
    """Tell whether a parameter, or a part of it, is left to the rows."""
    if isinstance(value, str):
        return value == AUTO
    return isinstance(value, Mapping) and any(map(is_open, value.values()))
