"""Stage 3, the joint model of a row and its class: ln p(x, k) = ln p(x | k) + ln P(k).

In:  densities of the blocks and the prevalence of the classes.
Out: log joint probabilities (N, K) of any table that has the columns, and the parameters as tables with names.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from suffice.arrays import Array, Codes, log, log_sum_exp, ratio, workspace
from suffice.data.blocks import cut
from suffice.data.levels import Level, Levels
from suffice.data.schema import BlockPlan, Schema
from suffice.data.table import Table
from suffice.errors import FileError, ParameterError
from suffice.families.kinds import density_of
from suffice.families.product import Cells, ProductDensity, RowDensity
from suffice.families.protocol import Block
from suffice.formulas import Formula, Pattern, levels, log_of_sum, total
from suffice.lazy import lazy
from suffice.model.rules import ESTIMATES
from suffice.model.tree import Tree
from suffice.model.tree_layout import restored
from suffice.store import Header
from suffice.threads import over_rows
from suffice.words import free

Tables = dict[str, dict[str, Array]]  # title → heading → (K,)
Answer = Callable[[Array], Array]  # (n, K) → (n, K)
Scores = Callable[[tuple[Block, ...]], Array]  # rows as blocks → (n, K)


@dataclass(frozen=True, eq=False)
class Joint:
    schema: Schema
    classes: Levels
    prevalence: Array  # (K,)
    density: RowDensity
    estimate: str  # how the densities were made
    doubt: str = ""  # why not by the first estimate that "auto" can mean
    owners: Codes | None = None  # (K,) the class of each component; None: a class is a component
    parameters: int = 0  # how many numbers EM was free to choose
    tree: Tree | None = None  # which column each depends on, where they do
    confusion: Array | None = None  # (C, C) P(label | class), label down, where labels may be wrong
    answered_by: str = ""  # the estimate of answers, from the rows as EM ended with them; empty: this one

    @property
    def product(self) -> ProductDensity:
        """The density, of a model whose blocks do not depend on each other."""
        assert isinstance(self.density, ProductDensity)  # as EM has it
        return self.density

    @property
    def plug_in(self) -> bool:
        """Whether all parameters are known, and none integrated out."""
        return self.density.plug_in

    def log_joint(self, table: Table, unseen: str) -> Array:
        """Ln p(row, class)."""  # (N, C)
        return self.by_class(self.log_components(table, unseen))

    def log_density(self, table: Table, unseen: str) -> Array:
        """Ln p(row | class), also of a class that has no share."""  # (N, C)
        return replace(self, prevalence=self._within).log_joint(table, unseen)

    @property
    def _within(self) -> Array:
        """The share that each component has of its class."""  # (K,)
        if self.owners is None:
            return np.ones(len(self.prevalence))
        return ratio(self.prevalence, self.shares[self.owners], 1 / np.bincount(self.owners)[self.owners])

    def by_class(self, log_components: Array) -> Array:
        """Ln of the sums over the components of each class."""  # (N, K) → (N, C)
        if self.owners is None or len(self.owners) == len(self.classes):
            return log_components
        classes = [log_components[:, self.owners == k] for k in range(len(self.classes))]
        return np.stack([log_sum_exp(some) for some in classes], axis=1)

    def only(self, components: Codes) -> "Joint":
        """The components in another order, all of one class."""
        return replace(self, prevalence=self.prevalence[components], density=self.density.only(components))

    def refuse_several(self, what: str) -> None:
        if self.owners is not None and len(self.owners) > len(self.classes):
            raise ParameterError(
                f"{what} needs one component for each class; this model has {len(self.owners)} in all."
            )

    @property
    def shares(self) -> Array:
        """The prevalence of the classes."""
        if self.owners is None:
            return self.prevalence
        return np.bincount(self.owners, self.prevalence, len(self.classes)).astype(float)

    @property
    def components(self) -> Levels:
        """What the components are called: the classes, with a number where a class has several."""
        if self.owners is None or len(self.owners) == len(self.classes):
            return self.classes
        if len(self.classes) == 1:
            return tuple(range(len(self.owners)))
        numbers = [int((self.owners[:k] == owner).sum()) + 1 for k, owner in enumerate(self.owners)]
        return tuple(f"{self.classes[owner]} ({n})" for owner, n in zip(self.owners, numbers, strict=True))

    def log_components(self, table: Table, unseen: str) -> Array:
        """Ln p(row, component)."""  # (N, K)
        log_density, components = self.density.log_density, len(self.prevalence)
        return self._answers(table, unseen, log_density, lambda log_joint: log_joint, components, in_own_units=True)

    def answers(self, table: Table, unseen: str, answer: Answer) -> Array:
        """What `answer` makes of each block of scores: ln p(x, class) up to a term common to all classes."""
        several = len(self.prevalence) > len(self.classes)
        of_classes: Answer = (lambda found: answer(self.by_class(found))) if several else answer
        return self._answers(table, unseen, self.density.scores, of_classes, len(self.classes))

    def component_answers(self, table: Table, unseen: str, answer: Answer) -> Array:
        """The same of the components."""
        return self._answers(table, unseen, self.density.scores, answer, len(self.prevalence))

    def _answers(
        self, table: Table, unseen: str, scores: Scores, answer: Answer, width: int, in_own_units: bool = False
    ) -> Array:
        """`in_own_units` says that scores are densities, to be those of the cells as the user has them."""
        cells, out = cut(table, self.schema, unseen), np.empty((table.rows, width))
        impossible = self.prevalence == 0  # a component that cannot be, whatever its density

        def fill(slices: Sequence[slice]) -> None:
            for rows in slices:
                blocks = cells[rows]
                with np.errstate(invalid="ignore"):  # an infinite cell is refused below, by name
                    found = self._joined(blocks, scores, rows.stop - rows.start)
                    if in_own_units:
                        found -= np.atleast_2d(cells.volume(blocks)).T
                if not np.isfinite(found).all():
                    cells.check(rows)
                    found[:, impossible] = -np.inf
                out[rows] = answer(found)

        over_rows(fill, table.rows, cells.width)
        return out

    def _joined(self, blocks: tuple[Block, ...], scores: Scores, rows: int) -> Array:
        """Ln p(row, component) of so many rows, from scores of theirs given the component."""  # (n, K)
        return np.add(scores(blocks), self._log_prevalence, out=workspace("scores", rows, len(self.prevalence)))

    def formula(self, cells: Cells, patterns: Sequence[Sequence[Pattern]]) -> Formula:
        """Ln p(row, component) as a formula of the cells of each block, as their families take them."""
        density = self.density.formula(cells, patterns)
        return total([part for part in (levels(self._log_prevalence), density) if part.own])

    def class_formula(self, cells: Cells, patterns: Sequence[Sequence[Pattern]]) -> Formula:
        """Ln p(row, class) likewise."""
        found = self.formula(cells, patterns)
        if self.owners is None or len(self.owners) == len(self.classes):
            return found
        classes = ([found.own[c] for c in np.flatnonzero(self.owners == k)] for k in range(len(self.classes)))
        return replace(found, own=tuple(map(log_of_sum, classes)))

    @lazy
    def _log_prevalence(self) -> Array:
        return log(self.prevalence)

    def packed(self) -> tuple[Header, dict[str, Array]]:
        """The parameters as plain data and arrays."""
        owners = np.arange(len(self.prevalence)) if self.owners is None else self.owners
        header = {"classes": list(self.classes), "estimate": self.estimate, "parameters": self.parameters}
        header |= {} if self.tree is None else {"tree": self.tree.plain()}
        header |= {"answered_by": self.answered_by} if self.answered_by else {}
        errors = {} if self.confusion is None else {"confusion": self.confusion}
        return header, {
            "prevalence": self.prevalence,
            "owners": owners.astype(float),
            **errors,
            **self.density.arrays(),
        }

    @classmethod
    def unpacked(cls, header: Header, arrays: Mapping[str, Array], schema: Schema) -> "Joint":
        """The joint that was `packed`, or an error if that cannot have been one."""
        shares, owners, classes = arrays["prevalence"], arrays["owners"], tuple(header["classes"])
        if shares.shape != owners.shape or not set(owners.tolist()) <= set(range(len(classes))):
            raise FileError("The components of the file do not belong to its classes.")
        odd = [name for name, array in arrays.items() if not _known(name, array)]
        if odd or (shares < 0).any() or not np.isclose(shares.sum(), 1.0):
            raise FileError(f"The file holds impossible parameters: {', '.join(odd) or 'class probabilities'}.")
        tree = Tree.from_plain(header["tree"]) if "tree" in header else None
        if tree is None or not schema.blocks:
            density: RowDensity = _product(schema.blocks, len(shares), arrays)
        else:
            density = restored(tree, schema.blocks, len(shares), arrays)
        estimate, free = str(header["estimate"]), int(header["parameters"])
        confusion = arrays.get("confusion")
        if confusion is not None and (confusion.shape != (len(classes),) * 2 or (confusion < 0).any()):
            raise FileError("The file holds an impossible confusion table.")
        owned, answered_by = owners.astype(np.intp), str(header.get("answered_by", ""))
        if answered_by not in ("", *ESTIMATES):
            raise FileError(f"The file holds an estimate that there is not: {answered_by!r}.")
        return cls(schema, classes, shares, density, estimate, "", owned, free, tree, confusion, answered_by)

    def position(self, name: Level) -> int:
        """Which class that is."""
        try:
            return {known: k for k, known in enumerate(self.classes)}[name]
        except (KeyError, TypeError):  # not there, or nothing that could be a class
            raise ParameterError(f"There is no class {name!r}; the model has {list(self.classes)}.") from None

    def block_tables(self) -> list[Tables]:
        """Of each block by itself."""
        return self.density.tables([block.titles for block in self.schema.blocks])

    def tables(self, beside: Sequence[Tables] | None = None) -> Tables:
        """A table for each column or group of columns: heading → one number for each class.

        `beside` has for each block what else is known of its tables.
        """
        out: Tables = {}
        more = [{} for _ in self.schema.blocks] if beside is None else beside
        for block, tables, others in zip(self.schema.blocks, self.block_tables(), more, strict=True):
            for title, table in tables.items():
                for heading, entry in others.get(title, {}).items():
                    table[free(heading, table.__contains__)] = entry
                out[self.schema.apart(title, block, out)] = table
        return out


def _product(blocks: Sequence[BlockPlan], components: int, arrays: Mapping[str, Array]) -> ProductDensity:
    """From its arrays."""
    names = [f"{i}/" for i in range(len(blocks))]
    mine = ({n.removeprefix(p): a for n, a in arrays.items() if n.startswith(p)} for p in names)
    return ProductDensity(tuple(density_of(block, some, components) for block, some in zip(blocks, mine, strict=True)))


def _known(name: str, array: Array) -> bool:
    """Whether all are numbers; the logarithm of a probability may be that of 0."""
    return bool(np.isfinite(array).all() or (name.endswith("log_probability") and (array < np.inf).all()))
