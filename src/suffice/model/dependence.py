"""Stage 3, how columns depend on each other beyond their class: what a Design may name, and what is asked of it.

In:  a summary with pairs of columns, and the naive Bayes of the same columns.
Out: the Joint of a model in which columns depend on each other, and its answers for rows that it has not learned from.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from suffice.errors import ParameterError

if TYPE_CHECKING:  # all of which know designs
    from suffice.data.blocks import Blocks
    from suffice.model.criteria import Evidence
    from suffice.model.design import Piece
    from suffice.model.em.columns import HiddenColumns
    from suffice.model.em.label_evidence import LabelEvidence
    from suffice.model.joint import Joint
    from suffice.model.rules import Rules
    from suffice.model.summary import Summary
    from suffice.model.validate import Answers, LeftOutRows, Others, Rows


class Dependence(ABC):
    """One way in which columns depend on each other. A value: two that are equal give the same model."""

    LEAVING_ONE_OUT: ClassVar[str] = "leave-one-out"  # what that is called, if something of the row stays

    @abstractmethod
    def joint(self, naive: "Joint", summary: "Summary", pieces: "Sequence[Piece]") -> "Joint":
        """The model; `naive` is that of the pieces as if columns were independent given the class."""

    @abstractmethod
    def hidden_columns(
        self, apart: "Summary", pieces: "Sequence[Piece]", label_evidence: "LabelEvidence", cells: "Blocks"
    ) -> "HiddenColumns":
        """What EM is to learn where labels are hidden, or an error that says why it cannot.

        `apart` and `pieces` have the rows of each class, and last those whose class is not certain.
        """

    @abstractmethod
    def leave_one_out(self, rows: "Rows") -> "LeftOutRows":
        """Every row, predicted from all others."""

    def anew(self, others: "Others", learned: "Summary") -> "Answers":
        """Ln p(row, class) of any rows under the model of others, and how common classes are there."""
        return others.without_dependence(learned)

    def parameters(self, summary: "Summary", pieces: "Sequence[Piece]") -> int:
        """How many numbers the rows are free to choose, but for the shares of the classes."""
        raise ParameterError("This model is not one density, so its parameters cannot be counted.")

    @abstractmethod
    def log_evidence(self, summary: "Summary", pieces: "Sequence[Piece]", rules: "Rules") -> "Evidence":
        """With parameters integrated out, or an error that says why there is none."""
