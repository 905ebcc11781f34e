"""Naive Bayes whose columns may depend on one other column each, as a tree."""

from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

from suffice.arrays import Array
from suffice.data.frames import columns_out
from suffice.data.levels import array_of
from suffice.data.planning import Kinds
from suffice.data.schema import Schema
from suffice.data.source import Source
from suffice.data.table import Table
from suffice.errors import HiddenLabelsError, ParameterError
from suffice.estimators.naive_bayes import NaiveBayes
from suffice.learn.em import read_em
from suffice.model.design import Design
from suffice.model.pairs import with_pairs
from suffice.model.rules import PRIORS, Control, Rules
from suffice.model.summary import Summary
from suffice.model.tree import Tree
from suffice.model.tree_dependence import TreeDependence
from suffice.model.uncertainty import Uncertain
from suffice.printing.description import Text
from suffice.printing.language import word, worded

NEEDS_ROWS = (
    "Some labels are unknown, and a tree cannot learn from unlabelled rows that come in batches. Read all rows into a "
    "table, leave out those without a label, or use NaiveBayes, which learns from them in batches too."
)
NOT_FOR_TREES = {  # settings of EM
    "label_noise": (
        "A tree takes labels to be right: its EM has no label_noise. Leave it out of em=EM(...), or use NaiveBayes, "
        "which allows for wrong labels."
    ),
    "intervals": (
        "Intervals are worked out for columns that do not depend on each other. Leave intervals out of em=EM(...), or "
        "use NaiveBayes."
    ),
}


@dataclass(eq=False, repr=False)
class TreeAugmentedBayes(NaiveBayes):
    """Tree-augmented naive Bayes: each column depends on the class and on at most one other column.

    The tree, after Friedman, Geiger and Goldszmidt (1997), is the one that gains most. It is learned from statistics
    of pairs of columns, which add and subtract and allow for missing cells. Any column may depend on a category, and a
    number also on a number; each P(column | class, parent) is learned from the rows where both cells are present. A
    row with missing cells is predicted exactly from the cells it has.

    Parameters
    ----------
    criterion : "information" or "evidence"
        How the gain of an arc is measured: by log likelihood, which always gives a full tree (between categories, the
        gain is the conditional mutual information), or by log evidence, which leaves out arcs that do not pay.
    root : str
        The column that depends on no other, with criterion="information": a category, or a number if there are no
        categories. By default it is the first of them.
    tree : dict
        {child: parent}, if the tree is given instead of learned; a column that is not named as a child has no parent.
    kinds, joint, counts, smoothing, estimate, priors, parameter_prior, unseen
        As for NaiveBayes, except that `parameter_prior` must be a name. Columns modelled together depend on no other
        column. `estimate="auto"` is "predictive"; it is "map" for rows that lack a number on which another depends,
        and if labels are unknown.
    unknown
        As for NaiveBayes. EM learns from rows whose class is unknown, and keeps the tree of the labelled rows: the
        objective, log likelihood + log prior of all P(column | class, parent), never falls. This needs a table in
        memory without missing cells, one component for each class, and labels that are right.
    em : EM, optional
        Settings of EM, which matter only where labels are unknown: see EM. `label_noise` and `intervals` are refused,
        as trees have neither; `restarts` and `random_state` change nothing, as there is a single start.

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

    components: Any = field(init=False, default=1)

    TUNABLE = ("smoothing",)

    @classmethod
    def from_tables(cls, tables: Any, kinds: Kinds = None, joint: Any = None, unseen: str = "error") -> NoReturn:
        """Raises an error: the tables of a tree depend on parents, so that it cannot be built from them.

        Raises
        ------
        ParameterError
            Always.

        """
        raise ParameterError(
            "A tree is learned from rows, by fit(X, y) or from_summary(summary); it cannot be built from tables."
        )

    @property
    def tree_(self) -> Tree:
        """Which column depends on which; printing it draws the tree."""
        found = self.joint_.tree
        assert found is not None  # as in every model of this kind
        return found

    @property
    def arcs_(self) -> Any:
        """The parent, child and weight of each arc, in the frame library of the table fitted on."""
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
                "In a tree a column has parameters for each level of its parent, so beliefs about single columns do "
                f"not fit: parameter_prior must be one of {', '.join(PRIORS)} here."
            )
        return super()._rules()

    def _control(self) -> Control:
        for name in ("label_noise", "intervals"):
            if getattr(read_em(self.em), name) is not None:
                raise ParameterError(NOT_FOR_TREES[name])
        return super()._control()

    def _searched_in_batches(self, source: Source) -> NoReturn:
        raise HiddenLabelsError(NEEDS_ROWS)

    def _gaussians(self) -> tuple[Array, Array]:
        raise AttributeError(
            "A tree has no means_ and covariances_ of classes: they depend on the parents of the columns."
        )

    def _uncertain(self) -> Uncertain:
        raise ParameterError("Intervals are worked out for columns that do not depend on each other; use NaiveBayes.")

    def _settings(self) -> tuple[Text, ...]:
        by = word("tree given") if self.tree is not None else word("tree by {name}", name=worded(self.criterion))
        return (*super()._settings(), by)
