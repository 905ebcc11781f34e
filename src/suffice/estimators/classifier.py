"""The interface between classifiers and what works on any of them: validation, comparison, tuning.

In:  a Face with classes; or a classifier without statistics of its own.
Out: Classifier and LearnsAnew, with what is asked of each. Names with an underscore are for this folder, not for users.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Self

from suffice.arrays import Array, Values
from suffice.data.labelled import Labelled
from suffice.data.labels import Labels
from suffice.data.planning import Kinds
from suffice.data.source import Source
from suffice.data.table import Table
from suffice.errors import NoStatisticsError
from suffice.estimators.face import Face
from suffice.estimators.parameters import Named, Settings
from suffice.learn.em import EM
from suffice.model.design import Design
from suffice.model.em.label_evidence import LabelEvidence
from suffice.model.rules import Rules
from suffice.model.summary import Summary

Change = Callable[[Settings], Settings]  # settings so far → settings to try


class Classifier(Face):
    """A face with classes: what validation and comparison ask of it."""

    BY_CLASS = True
    NOUN, SHARE = "class", "prior"
    kinds: Kinds
    unknown: Any
    priors: Any
    classes_: Values
    em: EM | None

    @property
    def priors_(self) -> Array:
        """Class probabilities in use, in the order of classes_."""
        return self.joint_.shares

    @abstractmethod
    def _label_evidence(self, labels: Labels) -> LabelEvidence | None:
        """What labels say about the components of the classes, or None where they say all."""

    @abstractmethod
    def _closed_form(self, summary: Summary) -> tuple[Summary, Design, Rules]:
        """What closed forms start from; a model with something hidden has none."""

    @abstractmethod
    def _fit(self, source: Source) -> Self:
        """As `fit`, from rows that may have been read already."""

    @abstractmethod
    def _anew(self, known: Labelled) -> Self:
        """A copy that has learned from these rows alone; of a model whose settings are settled."""

    @abstractmethod
    def _stages(self, names: Sequence[str], table: Table) -> list[list[Change]]:
        """What to try in tuning: in each stage, changes to the best settings so far."""

    def _long_one_by_one(self, known: Labelled) -> bool:
        """Whether many settings are better judged by folds, as leaving out one row at a time would take long."""
        return False

    def _open_kinds(self, table: Table) -> Mapping[str, Sequence[str]]:
        """Columns whose kind is left to the rows, and what else than by default each can be."""
        return {}

    def _plainest(self, names: Sequence[str]) -> Settings:
        """Where tuning begins: the settings, "auto" ones as if they had not been given."""
        defaults, unsettled = type(self)().get_params(deep=False), self._unsettled()
        return {name: defaults[name] if name in unsettled else getattr(self, name) for name in names}


class LearnsAnew(Named, ABC):
    """A classifier without statistics of its own: it is validated by learning anew for every fold."""

    unknown: ClassVar[Any] = None  # every row has a class
    classes_: Values

    @abstractmethod
    def _anew(self, known: Labelled) -> Self:
        """A copy that has learned from these rows alone."""

    @abstractmethod
    def _log_posterior(self, table: Table) -> Array:
        """Ln P(class | row), in the order of its own classes_."""

    def _left_out(self, known: Labelled) -> tuple[Array, str]:
        """Ln P(class | row) of each row without it, and how that was found."""
        raise NoStatisticsError(
            f"{type(self).__name__} has no statistics from which a row could be removed. Give folds, as in "
            "cross_validate(model, X, y, folds=10), which fits again for each fold."
        )
