"""Averages of one-dependence models: every category in turn is the parent of all other columns."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sklearn.utils import Tags

from suffice.arrays import Array
from suffice.data.blocks import IGNORE_ALOUD, UNSEEN_POLICIES
from suffice.data.labels import IntoLabels
from suffice.data.planning import Kinds, plan
from suffice.data.schema import Schema
from suffice.data.table import IntoTable, Table
from suffice.data.weights import Weights
from suffice.errors import NoDensityError
from suffice.estimators.base import ignored
from suffice.estimators.classifier import Change
from suffice.estimators.face import headed, say_what_is_taken
from suffice.estimators.labelled_only import LabelledOnly
from suffice.estimators.naive_bayes import SMOOTHINGS, categories_of, with_smoothing
from suffice.model.averaged import WHY, Averaged, AveragedJoint
from suffice.model.design import Design
from suffice.model.pairs import with_pairs
from suffice.model.rules import Rules
from suffice.model.summary import Summary
from suffice.model.uncertainty import Uncertain
from suffice.options import number, one_of
from suffice.printing.description import Description, Series, Sheet, Text
from suffice.printing.language import word
from suffice.reporting.describe import listing

ESTIMATES = ("auto", "map", "predictive")


@dataclass(eq=False, repr=False)
class AveragedOneDependence(LabelledOnly):
    """The average of models in each of which all columns depend on the class and on one category (Webb et al., 2005).

    If columns depend on each other, it often does better than naive Bayes, and nothing has to be searched for. A column
    serves as a parent if its level in the row occurs often enough; numbers are children of every category, as in
    Flores et al. (2009). Its P(class, row) is not a density, so there are no samples, no evidence and no EM.

    Parameters
    ----------
    smoothing : float or "auto"
        λ, the number of rows added to every cell of a table of counts.
    min_count : float
        How many rows must have a level for its column to serve as a parent.
    kinds : None, str or dict
        As for NaiveBayes.
    estimate : "auto", "map" or "predictive"
        How the parameters of columns that are not counted are estimated from the rows of each class and level, under a
        weak prior centred on the class. "auto" is "predictive", which integrates them out.
    priors : None, "uniform", "smoothed", array or dict
        Class probabilities: learned together with each parent, (N(class, x_j) + λ)/(N + λ K S_j), or as for NaiveBayes.
        Given ones multiply each P(class, row) by given/learned, where learned are (N_class + λ)/(N + λ K): as
        `BayesDecision(AveragedOneDependence(), priors=...)` does.
    unseen : "prior", "ignore" or "error"
        A category never seen in fitting does not serve as a parent; as a child it is treated as in NaiveBayes.

    Examples
    --------
    >>> from suffice import AveragedOneDependence
    >>> table = {"a": ["x", "x", "y", "y"] * 3, "b": ["u", "v", "u", "v"] * 3}
    >>> model = AveragedOneDependence().fit(table, ["same", "other", "other", "same"] * 3)
    >>> model.predict({"a": ["x", "x"], "b": ["u", "v"]}).tolist()
    ['same', 'other']

    """

    smoothing: float = 1.0
    min_count: float = 1
    kinds: Kinds = None
    estimate: str = "auto"
    priors: Any = None
    unseen: str = "prior"

    TUNABLE = ("smoothing",)
    NEEDS_LABELS = f"Some labels are not known. {WHY}"

    # what its parameters mean

    def _plan(self, table: Table) -> Schema:
        return with_pairs(plan(table, self.kinds, tallied=True), True)

    def _design(self, summary: Summary) -> Design:
        averaged, categories = (
            Averaged(float(self.min_count), self.priors is not None),
            categories_of(summary, self.kinds),
        )
        return Design(ignored=ignored(self.kinds, summary), categories=categories, dependence=averaged)

    def _rules(self) -> Rules:
        one_of(self.unseen, "unseen", UNSEEN_POLICIES)
        one_of(self.estimate, "estimate", ESTIMATES)
        number(self.min_count, "min_count must be a number of rows, 0 or more", lambda rows: rows >= 0)
        priors = "smoothed" if self.priors is None else self.priors
        return Rules(self.estimate, ("predictive",), self.smoothing, priors, offers=tuple(self.__dataclass_fields__))

    def _unseen(self) -> str:
        return IGNORE_ALOUD if self.unseen == "prior" and self.smoothing == 0 else self.unseen

    def _stages(self, names: Sequence[str], table: Table) -> list[list[Change]]:
        return [[lambda best: best], [with_smoothing(amount) for amount in SMOOTHINGS]]

    # what was learned

    @property
    def parents_(self) -> list[str]:
        """The columns that serve as parents, for rows whose level there occurs often enough."""
        return [column.name for column in self._averaged().parents.columns]

    def _averaged(self) -> AveragedJoint:
        joint = self.joint_
        assert isinstance(joint, AveragedJoint)  # as its design asks for
        return joint

    def tables(self, level: float | None = None) -> dict[str, Any]:
        """P(class), and P(class, level) for each parent, with a row for each class."""
        if level is not None:
            self._uncertain()
        first, parents = {self.SHARE: self.priors_}, self._averaged().parents.tables_of_parents()
        return self._laid_out(headed(self.NOUN, first, parents), self._stubs())

    def description(self) -> Description:
        """The classes, and P(class, level) for each parent."""
        joint = self._averaged()
        tables = [
            Sheet(word("P(class, {name})", name=title), joint.classes, [Series(*entry) for entry in table.items()])
            for title, table in joint.parents.tables_of_parents().items()
        ]
        return listing(type(self).__name__, joint, self.summary_, self._headline(), tables)

    def _settings(self) -> tuple[Text, ...]:
        least = word("parents from {n} row on|parents from {n} rows on", n=self.min_count)
        return (word("smoothing {number}", number=self.smoothing), least)

    # what there is not

    def log_density(self, X: IntoTable) -> Array:
        """Raises an error that says why this model has none.

        Raises
        ------
        NoDensityError
            Always.

        """
        raise NoDensityError(WHY)

    @property
    def score_samples(self) -> Callable[[IntoTable], Array]:  # not there for who looks for it
        """Raises an error that says why there is no ln p(row).

        Raises
        ------
        NoDensityError
            Always.

        """
        raise NoDensityError(WHY)

    def log_likelihood(self, X: IntoTable, y: IntoLabels, sample_weight: Weights = None) -> float:
        """Raises an error that says why this model has none.

        Raises
        ------
        NoDensityError
            Always.

        """
        raise NoDensityError(WHY)

    def _uncertain(self) -> Uncertain:
        raise NoDensityError(WHY)

    def __sklearn_tags__(self) -> Tags:
        return say_what_is_taken(super().__sklearn_tags__(), self.kinds)
