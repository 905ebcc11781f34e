"""A belief for each class: informative priors that differ between classes.

In:  {class: Belief} as the user wrote it, and the classes of the model.
Out: what a single Belief gives a model, `on` a family, with each class's belief on its own components.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from suffice.arrays import Codes
from suffice.beliefs.belief import Belief
from suffice.data.levels import Level, Levels
from suffice.errors import ParameterError
from suffice.families.cells.dirichlet import DirichletPrior
from suffice.families.protocol import Family, Prior, S
from suffice.words import listed


@dataclass(frozen=True, eq=False)
class PerClass:
    beliefs: tuple[Belief, ...]  # in the order of the classes

    @property
    def about(self) -> str:
        return self.beliefs[0].about

    @property
    def name(self) -> str:
        return self.beliefs[0].name

    def each(self, owners: Codes) -> "PerClass":
        """For components, of which a class may have several."""
        return PerClass(tuple(self.beliefs[owner] for owner in owners))

    def on(self, family: Family[S], components: int) -> Prior[S]:
        """Several models side by side repeat the classes: component = model · K + class."""
        each = [belief.on(family, 1) for belief in self.beliefs] * (components // len(self.beliefs))
        return each[0].stacked(each[1:])


@dataclass(frozen=True, eq=False)
class ForEveryClass:
    """One belief, whatever the class."""

    belief: Belief

    @property
    def about(self) -> str:
        return self.belief.about

    @property
    def name(self) -> str:
        return self.belief.name

    def each(self, owners: Codes) -> "ForEveryClass":
        """The same for components of any class."""
        return self

    def on(self, family: Family[S], components: int) -> Prior[S]:
        return self.belief.on(family, components)


def about_cells(given: Any) -> bool:
    """Whether what the user said of a column, once or by class, is about probabilities: its values are categories."""
    parts = given.values() if isinstance(given, Mapping) else [given]
    return any(isinstance(part, Belief) and part.about == DirichletPrior.about for part in parts)


def belief_of(given: Any, classes: Levels, columns: Sequence[str]) -> ForEveryClass | PerClass:
    """What the user said about some columns: one belief, or one for each class by name."""
    if isinstance(given, Mapping):
        return PerClass(tuple(_checked(part, columns) for part in _in_order(given, classes, columns)))
    return ForEveryClass(_checked(given, columns))


def _in_order(given: Mapping[Level, Any], classes: Levels, columns: Sequence[str]) -> list[Any]:
    absent, strange = [c for c in classes if c not in given], [name for name in given if name not in classes]
    if absent or strange:
        raise ParameterError(
            f"The prior of {listed(columns)} needs a belief for each class {listed(classes)}; "
            + (f"it has none for {listed(absent)}." if absent else f"there is no class {listed(strange)}.")
        )
    ordered = [given[name] for name in classes]
    kinds = sorted({part.name for part in ordered if isinstance(part, Belief)})
    if len(kinds) > 1:
        raise ParameterError(f"The prior of {listed(columns)} must be of one kind for all classes; found {kinds}.")
    return ordered


def _checked(given: Any, columns: Sequence[str]) -> Belief:
    if not isinstance(given, Belief):
        raise ParameterError(
            f"The prior of {listed(columns)} must be a belief such as Gamma(2, 1), or {{class: belief}}; found "
            f"{given!r}."
        )
    if given.columns and set(given.columns) == set(columns) and given.columns != tuple(columns):
        raise ParameterError(
            f"The prior of {listed(columns)} names them in another order: {listed(given.columns)}. Use the same order."
        )
    return given
