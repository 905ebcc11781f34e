"""Naive Bayes whose columns may depend on one other column each, as a tree."""

from dataclasses import dataclass, field
from typing import Any, NoReturn

from suffice.data.planning import Kinds
from suffice.errors import ParameterError
from suffice.estimators.naive_bayes import NaiveBayes
from suffice.learn.tree import OfTree, TreeParameters, TreeRecipe
from suffice.model.tree import Tree


@dataclass(eq=False, repr=False)
class TreeAugmentedBayes(TreeParameters, NaiveBayes):
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

    RECIPE = TreeRecipe

    model_: OfTree = field(init=False)

    def _asked(self) -> OfTree:
        super()._asked()
        return self.model_

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
        """The tree of dependences: which column depends on which. Printing it draws the tree."""
        return self._asked().tree

    @property
    def arcs_(self) -> Any:
        """The parent, child and weight of each arc, in the frame library of the table fitted on."""
        return self._asked().arcs
