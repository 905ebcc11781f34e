"""What validation, comparison and tuning know of an estimator: the recipe that it is a form for.

In:  an estimator of ours, fitted or not.
Out: HasRecipe: its recipe, with what is "auto" as it was chosen before; copies with other settings.
"""

from abc import ABC, abstractmethod
from typing import Any, Self

from sklearn.base import clone

from suffice.data.source import Source
from suffice.errors import UndeterminedWarning, warn
from suffice.learn.model import Heard, Model, Settings
from suffice.learn.recipe import Recipe
from suffice.model.joint import Joint
from suffice.model.rules import ESTIMATES


class HasRecipe(ABC):
    """An estimator: the form in which users state a recipe, and through which they ask its model."""

    @abstractmethod
    def recipe(self) -> Recipe:
        """The parameters of now, as a value from which models are learned."""

    @abstractmethod
    def fit_source(self, source: Source) -> Self:
        """Fit to rows that may have been read already, as `fit` does to those of a table."""

    @property
    def fitted(self) -> Model | None:
        """The model that was learned, or None."""
        found: Model | None = vars(self).get("model_")
        return found

    def settled(self) -> Recipe:
        """The recipe, with what is "auto" as it was chosen before."""
        before: Any = self.fitted
        return self.recipe().settled_as(None if before is None else before.recipe)

    def with_settings(self, settings: Settings) -> Self:
        """A copy that has not been fitted, with some other parameters."""
        copy: Self = clone(self).set_params(**settings)
        return copy

    @property
    def told(self) -> Heard:
        """The hints that it, or a copy of it, has told already: nothing is told twice."""
        found: Heard = self.__dict__.setdefault("_told", set())
        return found

    def says_no_more_than(self, other: "HasRecipe") -> None:
        """Take for said what another, whose copy it is, has said, in every fit."""
        self._copy, self._told = True, other.told

    def start_anew(self) -> None:
        """Every fit of a user's own tells its doubts; those of copies, as searches make, were told."""
        if not vars(self).get("_copy"):
            self._told = Heard()


def tell_estimate(joint: Joint, told: Heard) -> None:
    """Say which estimate is used in the place of another, unless that was said."""
    key = ("estimate", joint.estimate)
    if joint.doubt and key not in told:
        told.add(key)
        warn(
            f"{joint.doubt}, so textbook estimates would not be well determined: estimate={joint.estimate!r} "
            f"is used, {ESTIMATES[joint.estimate].step.words} under a weak prior. Set estimate to choose for "
            "yourself; estimate='unbiased' is the textbook's.",
            UndeterminedWarning,
        )
