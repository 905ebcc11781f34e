"""Stage 3, how columns depend on each other beyond their class: what a Design may name, and what is asked of it.

In:  a summary with pairs of columns, and the naive Bayes of the same columns.
Out: the Joint of a model in which columns depend on each other, and its answers for rows that it has not learned from.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from suffice.arrays import Array, Codes
from suffice.data.blocks import Blocks
from suffice.data.labelled import Labelled
from suffice.data.schema import Schema
from suffice.errors import ParameterError
from suffice.model.em.columns import HiddenColumns
from suffice.model.em.label_evidence import LabelEvidence
from suffice.model.evidence import Evidence
from suffice.model.joint import Joint
from suffice.model.left_out import Answers, LeftOutRows
from suffice.model.piece import Piece
from suffice.model.rules import Rules
from suffice.model.summary import Summary


class ModelsOfOthers(Protocol):
    """The models that some of the rows give."""

    @property
    def unseen(self) -> str: ...  # what becomes of levels that no row that counts has

    def joint(self, learned: Summary) -> Joint: ...

    def without_dependence(self, learned: Summary) -> Answers: ...  # as if columns were independent given the class


class RowsInTurn(Protocol):
    """Rows whose classes are known, each of which is to be predicted from all others."""

    @property
    def known(self) -> Labelled: ...

    @property
    def schema(self) -> Schema: ...

    @property
    def rules(self) -> Rules: ...

    @property
    def summary(self) -> Summary: ...  # of all rows

    @property
    def heavy(self) -> NDArray[np.bool_]: ...  # (N,) beside which all others of their class are as good as rounding

    @property
    def weight_without(self) -> Array: ...  # (N, K) the mass that each leaves behind

    def joint(self) -> Joint: ...  # of all rows

    def pieces(self) -> Sequence[Piece]: ...  # of all rows, or an error where cells are hidden

    def summary_without(self, row: int) -> Summary: ...

    def shares_without(self) -> tuple[Array, Codes]: ...  # prevalences without a row, and which is that of each row

    def log_density_without(self) -> Array: ...  # (N, K) columns independent given the class

    def log_density_anew(self, learned: Summary, rows: Codes) -> Array: ...  # of some rows, from a summary of others

    def depending(self, dependence: "Dependence | None") -> "RowsInTurn": ...  # for a model that depends otherwise


class Dependence(ABC):
    """One way in which columns depend on each other. A value: two that are equal give the same model."""

    LEAVING_ONE_OUT: ClassVar[str] = "leave-one-out"  # what that is called, if something of the row stays

    @abstractmethod
    def joint(self, naive: Joint, summary: Summary, pieces: Sequence[Piece]) -> Joint:
        """The model; `naive` is that of the pieces as if columns were independent given the class."""

    @abstractmethod
    def hidden_columns(
        self, apart: Summary, pieces: Sequence[Piece], label_evidence: LabelEvidence, cells: Blocks
    ) -> HiddenColumns:
        """What EM is to learn where labels are hidden, or an error that says why it cannot.

        `apart` and `pieces` have the rows of each class, and last those whose class is not certain.
        """

    @abstractmethod
    def leave_one_out(self, rows: RowsInTurn) -> LeftOutRows:
        """Every row, predicted from all others."""

    def anew(self, others: ModelsOfOthers, learned: Summary) -> Answers:
        """Ln p(row, class) of any rows under the model of others, and how common classes are there."""
        return others.without_dependence(learned)

    def parameters(self, summary: Summary, pieces: Sequence[Piece]) -> int:
        """How many numbers the rows are free to choose, but for the shares of the classes."""
        raise ParameterError("This model is not one density, so its parameters cannot be counted.")

    @abstractmethod
    def log_evidence(self, summary: Summary, pieces: Sequence[Piece], rules: Rules) -> Evidence:
        """With parameters integrated out, or an error that says why there is none."""
