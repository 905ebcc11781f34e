"""Naive Bayes whose columns may depend on one other column each, as a tree."""

from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

from suffice.arrays import Array
from suffice.data.frames import columns_out
from suffice.data.levels import array_of
from suffice.data.planning import Kinds
from suffice.data.schema import Schema
from suffice.data.table import Table
from suffice.errors import HiddenLabelsError, ParameterError
from suffice.estimators.naive_bayes import NaiveBayes
from suffice.model.collect import Source
from suffice.model.design import Design
from suffice.model.pairs import with_pairs
from suffice.model.rules import PRIORS, Rules
from suffice.model.summary import Summary
from suffice.model.tree import Tree
from suffice.model.tree_dependence import TreeDependence
from suffice.model.uncertainty import Uncertain
from suffice.printing.description import Text
from suffice.printing.language import word, worded

NEEDS_ROWS = (
    "Labels are not known in rows that come in batches: a tree is learned from rows whose class is known, and EM goes "
    "on from it over rows that are all here. Read them into a table, leave out those without a label, or use "
    "NaiveBayes, which learns from them in batches too."
)


@dataclass(eq=False, repr=False)
class TreeAugmentedBayes(NaiveBayes):
    """Each column depends on the class and on at most one other column (Friedman, Geiger, Goldszmidt 1997).

    Which on which is learned from statistics of pairs, of categories and numbers, with missing cells, that add and
    subtract: the tree of all columns that gains most. Any column may depend on a category, a number also on a number;
    each P(column | class, parent) is learned from the rows where both cells are there. Where cells are missing, rows
    are predicted from all others exactly.

    Parameters
    ----------
    criterion : "information" or "evidence"
        What an arc gains: log likelihood, which always gives a tree (of categories, the conditional mutual
        information), or log evidence, which leaves out arcs that do not pay.
    root : str
        The column that depends on none, by information: a category, or a number where there are no categories. The
        first of them unless given.
    tree : dict
        {child: parent}, instead of learning it; a column that is no child has no parent.
    kinds, joint, counts, smoothing, estimate, priors, parameter_prior, unseen
        As for NaiveBayes, where `parameter_prior` is one of its names. Columns modelled together depend on no other.
        `estimate="auto"` is "predictive", "map" for rows without a number that another depends on, and "map" where
        labels are not known.
    unknown, unlabelled_weight, tol, max_iter
        As for NaiveBayes. Rows whose class is not known are learned from by EM, which keeps the tree of those whose
        class is: the objective, log likelihood + log prior of all P(column | class, parent), never falls. That takes
        rows without missing cells, all of them here at once, one component for each class, and labels that are right.

    Examples
    --------
    >>> from suffice import TreeAugmentedBayes
    >>> table = {"sky": ["clear", "grey", "grey", "clear"] * 5, "rain": ["no", "yes", "yes", "no"] * 5}
    >>> model = TreeAugmentedBayes().fit(table, ["go", "stay", "stay", "stay"] * 5)
    >>> print(model.tree_)
    column   parent    gain
    sky                   —
    └─ rain  sky     0.4774

    """

    criterion: str = "information"
    root: str | None = None
    tree: Any = None

    components: Any = field(init=False, default=1)  # this and what follows are of other models
    label_noise: Any = field(init=False, default=None)
    restarts: int = field(init=False, default=1)
    random_state: Any = field(init=False, default=0)
    intervals: Any = field(init=False, default=None)

    TUNABLE = ("smoothing",)

    @classmethod
    def from_tables(cls, tables: Any, kinds: Kinds = None, joint: Any = None, unseen: str = "error") -> NoReturn:
        """Not for trees: their tables depend on parents."""
        raise ParameterError(
            "A tree is learned from rows, fit(X, y), or from_summary(summary); tables do not give one."
        )

    @property
    def tree_(self) -> Tree:
        """Which column depends on which; printed, it is drawn."""
        found = self.joint_.tree
        assert found is not None  # as in every model of this kind
        return found

    @property
    def arcs_(self) -> Any:
        """Parent, child and weight of each arc, in the frame library of the table fitted on."""
        parents, children, weights = zip(*self.tree_.arcs, strict=True) if self.tree_.arcs else ((), (), ())
        columns = {"parent": array_of(parents), "child": array_of(children), "weight": array_of(weights)}
        return columns_out(self._library, columns)

    def _plan(self, table: Table) -> Schema:
        return with_pairs(super()._plan(table), True)

    def _design(self, summary: Summary) -> Design:
        return replace(super()._design(summary), dependence=self._dependence())

    def _dependence(self) -> TreeDependence:
        return TreeDependence(
            self.criterion, self.root, self.tree, auto=isinstance(self.estimate, str) and self.estimate == "auto"
        )

    def _rules(self) -> Rules:
        self._dependence().check()
        if not isinstance(self.parameter_prior, str):
            raise ParameterError(
                "Beliefs about single columns are about classes, and in a tree a column has parameters for each level "
                f"of its parent: parameter_prior is one of {', '.join(PRIORS)} here."
            )
        return super()._rules()

    def _searched_in_batches(self, source: Source) -> NoReturn:
        raise HiddenLabelsError(NEEDS_ROWS)

    def _gaussians(self) -> tuple[Array, Array]:
        raise AttributeError("There are no means_ and covariances_: in a tree they depend on levels and numbers.")

    def _uncertain(self) -> Uncertain:
        raise ParameterError("Intervals are worked out for columns that do not depend on each other; use NaiveBayes.")

    def _settings(self) -> tuple[Text, ...]:
        by = word("tree given") if self.tree is not None else word("tree by {name}", name=worded(self.criterion))
        return (*super()._settings(), by)
