"""Recipe of naive Bayes whose columns may depend on one other column each, as a tree.

In:  parameters, which the face has too.
Out: TreeRecipe, and OfTree, what it learns.
"""

from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

from suffice.arrays import Array
from suffice.data.frames import columns_out
from suffice.data.levels import array_of
from suffice.data.schema import Schema
from suffice.data.source import Source
from suffice.data.table import Table
from suffice.errors import HiddenLabelsError, ParameterError
from suffice.learn.densities import Densities
from suffice.learn.model import Heard
from suffice.learn.naive_bayes import NaiveBayesParameters, NaiveBayesRecipe
from suffice.model.design import Design
from suffice.model.pairs import with_pairs
from suffice.model.rules import PRIORS, Control, Rules
from suffice.model.summary import Summary
from suffice.model.tree import Tree
from suffice.model.tree_dependence import TreeDependence
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


@dataclass(frozen=True, eq=False)
class OfTree(Densities):
    @property
    def tree(self) -> Tree:
        """The tree of dependences: which column depends on which."""
        found = self.joint.tree
        assert found is not None  # as in every model of this kind
        return found

    @property
    def arcs(self) -> Any:
        """The parent, child and weight of each arc, in the frame library of the table learned from."""
        parents, children, weights = zip(*self.tree.arcs, strict=True) if self.tree.arcs else ((), (), ())
        columns = {"parent": array_of(parents), "child": array_of(children), "weight": array_of(weights)}
        return columns_out(self.library, columns)

    def gaussians(self) -> tuple[Array, Array]:
        raise AttributeError(
            "A tree has no means_ and covariances_ of classes: they depend on the parents of the columns."
        )

    def uncertain(self) -> NoReturn:
        raise ParameterError("Intervals are worked out for columns that do not depend on each other; use NaiveBayes.")


@dataclass(eq=False, repr=False)
class TreeParameters(NaiveBayesParameters):
    criterion: str = "information"
    root: str | None = None
    tree: Any = None

    components: Any = field(init=False, default=1)  # always 1: several components of a class are for other models


@dataclass(eq=False, repr=False)
class TreeRecipe(TreeParameters, NaiveBayesRecipe):
    name = "TreeAugmentedBayes"
    TUNABLE = ("smoothing",)
    MODEL = OfTree

    def plan(self, head: Table) -> Schema:
        return with_pairs(super().plan(head), True)

    def design(self, summary: Summary) -> Design:
        return replace(super().design(summary), dependence=self._dependence())

    def _dependence(self) -> TreeDependence:
        return TreeDependence(
            self.criterion, self.root, self.tree, auto=isinstance(self.estimate, str) and self.estimate == "auto"
        )

    def rules(self) -> Rules:
        self._dependence().check()
        if not isinstance(self.parameter_prior, str):
            raise ParameterError(
                "In a tree a column has parameters for each level of its parent, so beliefs about single columns do "
                f"not fit: parameter_prior must be one of {', '.join(PRIORS)} here."
            )
        return super().rules()

    def control(self) -> Control:
        for name in ("label_noise", "intervals"):
            if getattr(self.how, name) is not None:
                raise ParameterError(NOT_FOR_TREES[name])
        return super().control()

    def learn_in_batches(self, source: Source, heard: Heard) -> NoReturn:
        raise HiddenLabelsError(NEEDS_ROWS)

    def in_words(self) -> tuple[Text, ...]:
        by = word("tree given") if self.tree is not None else word("tree by {name}", name=worded(self.criterion))
        return (*super().in_words(), by)
