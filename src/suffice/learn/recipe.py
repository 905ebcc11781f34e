"""What a user asks for, as a value: a recipe says what is to be learned, and learns it. Nothing in it is learned.

In:  parameters by name; a parameter may be "auto", left to the rows.
Out: Recipe: `learn` gives a Model of rows, `without` what rows left out are told, `but` the recipe with other parameters.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self

from suffice.arrays import Array, Codes
from suffice.data.hints import Hint
from suffice.data.rows import Labelled
from suffice.data.table import Table
from suffice.errors import ParameterError
from suffice.learn.model import Model, Settings
from suffice.model.criteria import Evidence
from suffice.model.folds import Plan
from suffice.model.rules import AUTO

Change = Callable[[Settings], Settings]  # settings so far → settings to try
Predictor = Callable[[Table], Array]  # rows, to ln P(class | row)
PLAIN = (str, int, float, bool, type(None))  # what needs no copy


@dataclass(frozen=True, eq=False)
class LeftOut:
    """What rows are told by models that have not seen them."""

    log_posterior: Array  # (T, K) in the order of the classes of all rows
    rows: Codes  # (T,) which row each prediction is of
    labels: Codes  # (N,) the class of each row, −1 where it is not known
    how: str  # they were left out
    whole: Callable[[], Predictor]  # the model of all rows, for those that do not count
    hints: tuple[Hint, ...] = ()
    doubt: str = ""  # why the estimate is not the first that "auto" can mean
    estimate: str = ""


class Recipe(ABC):
    """Parameters that nobody changes any more, and what follows from them."""

    name: ClassVar[str]  # of its models, as they are printed and saved
    TUNABLE: ClassVar[tuple[str, ...]] = ()  # parameters that may be "auto", and that tuning varies
    unknown: Any  # the label that means "not known"

    @classmethod
    def offers(cls) -> list[str]:
        """The names of its parameters, in order."""
        return [part.name for part in fields(cls) if part.init]  # type: ignore[arg-type] # all recipes are dataclasses

    @classmethod
    def of(cls, given: Settings) -> Self:
        """A recipe that owns its parameters, whatever becomes of those that were given."""
        return cls(**{name: copied(value) for name, value in given.items()})

    @property
    def parameters(self) -> Settings:
        return {name: getattr(self, name) for name in self.offers()}

    def but(self, changed: Settings) -> Self:
        """With some other parameters."""
        return type(self).of(self.parameters | changed)

    # settings that are left to the rows

    @property
    def open(self) -> list[str]:
        """Which parameters are "auto"."""
        return [name for name in self.TUNABLE if is_open(getattr(self, name))]

    def plainest(self, names: Sequence[str]) -> Settings:
        """Where tuning begins: the settings, "auto" ones as if they had not been given."""
        defaults, left = type(self)().parameters, self.open
        return {name: defaults[name] if name in left else getattr(self, name) for name in names}

    def stages(self, names: Sequence[str], table: Table) -> list[list[Change]]:
        """What to try in tuning: in each stage, changes to the best settings so far."""
        return [[lambda best: best]]

    def long_one_by_one(self, known: Labelled) -> bool:
        """Whether many settings are better judged by folds, as leaving out one row at a time would take long."""
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

    @abstractmethod
    def without(self, known: Labelled, plan: Plan | None) -> LeftOut:
        """Every row by a model that has not seen it: left out by itself, or as the plan says."""

    @abstractmethod
    def evidence(self, known: Labelled) -> Evidence:
        """Ln p(columns | classes), with parameters integrated out, or an error that says why there is none."""


def copied(value: Any) -> Any:
    """A parameter that nobody else can change."""
    try:
        return value if type(value) in PLAIN else deepcopy(value)
    except TypeError as error:
        raise ParameterError(f"A parameter cannot be copied ({error}). Use a list or a dict.") from None


def is_open(value: Any) -> bool:
    """Whether a parameter, or a part of it, is left to the rows."""
    if isinstance(value, str):
        return value == AUTO
    return isinstance(value, Mapping) and any(map(is_open, value.values()))
