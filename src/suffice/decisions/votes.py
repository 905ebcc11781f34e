"""Stage 4, the reason why of an average: what each of its models says, and how much it counts.

In:  an AveragedJoint, a Table, and two of its classes.
Out: Votes. P(class | row) is the mean of the posteriors of the parents' models, each by its share of p(row); and the
     log odds of each of these models are a sum over columns, as of any product of densities.
"""

from dataclasses import dataclass, field

import numpy as np

from suffice.arrays import Array, log_sum_exp
from suffice.data.blocks import cut
from suffice.data.levels import Level
from suffice.data.table import Table
from suffice.decisions.explain import LOG_ODDS, Explanation, against, refuse_many
from suffice.errors import ParameterError
from suffice.families.protocol import Block, log_odds
from suffice.model.averaged import AveragedJoint
from suffice.printing.cells import HeldCells
from suffice.printing.description import Description, Series, Sheet
from suffice.printing.language import word, worded
from suffice.printing.numbers import signed
from suffice.printing.printed import Printed

NOBODY = "no parent: naive Bayes"


@dataclass(frozen=True, eq=False, repr=False)
class Votes(Printed):
    """What the model of each parent says: `shares[parent]`, `log_odds_by[parent]`, and by column `of(parent)`."""

    between: tuple[Level, Level]  # positive log odds speak for the first class
    log_odds: Array  # (N,) of the average
    shares: dict[str, Array]  # parent → (N,) of p(row), 0 where it is no parent
    log_odds_by: dict[str, Array]  # parent → (N,), NaN where it is none
    terms: dict[str, dict[str, Array]] = field(repr=False)  # parent → column → (N,)
    priors: dict[str, float] = field(repr=False)  # parent → log odds of the classes
    cells: HeldCells | None = field(default=None, repr=False)  # of the rows that are explained
    places: tuple[int, int] = field(default=(0, 1), repr=False)  # of both among the classes

    def of(self, parent: str) -> Explanation:
        """The log odds by the model of one parent, as a sum over columns."""
        if parent not in self.terms:
            raise ParameterError(f"There is no parent {parent!r}; the parents are {list(self.terms)}.")
        terms = self.terms[parent]
        return Explanation(self.between, self.priors[parent], terms, cells=self.cells, places=self.places)

    def description(self) -> Description:
        """The share and log odds of each parent, for the row or on average, and those of the average model."""
        means = {parent: float(np.mean(share)) for parent, share in self.shares.items()}
        parents = sorted(means, key=lambda name: -means[name])
        told = (self.log_odds_by[parent] for parent in parents)
        odds = [float(np.mean(some)) if len(some := one[~np.isnan(one)]) else np.nan for one in told]
        shares = np.array([means[parent] for parent in parents])
        series = [
            Series(word("share"), np.append(shares, shares.sum())),
            Series(worded(LOG_ODDS), np.append(odds, np.mean(self.log_odds)), signed, name=LOG_ODDS),
        ]
        names = [word(NOBODY) if name == NOBODY else name for name in parents]
        sheet = Sheet(word("parent"), [*names, word("in all")], series)
        return Description(against(LOG_ODDS, self.between, len(self.log_odds)), [sheet])


def votes_of(joint: AveragedJoint, table: Table, between: tuple[Level, Level], unseen: str) -> Votes:
    a, b = (joint.position(name) for name in between)
    names = [column.name for column in joint.parents.columns]
    refuse_many(table.rows, len(names) * len(joint.schema.columns), otherwise="")
    cells = cut(table, joint.schema, unseen)
    cells.check(slice(0, table.rows))
    blocks = cells[slice(0, table.rows)]
    votes, there = joint.parents.votes(blocks, table.rows)
    evidence = np.stack([log_sum_exp(one) for one in votes] or [np.zeros(table.rows)], axis=1)
    with np.errstate(invalid="ignore"):
        shares = np.exp(evidence - log_sum_exp(evidence)[:, None])
    shares = np.where(there, np.nan_to_num(shares), 0.0) if names else np.zeros((table.rows, 0))
    odds = {name: np.where(there[:, j], log_odds(votes[j], a, b), np.nan) for j, name in enumerate(names)}
    in_all = log_odds(joint.log_joint(table, unseen), a, b)
    by_name = {name: shares[:, j] for j, name in enumerate(names)}
    nobody = ~there.any(axis=1)
    if nobody.any():
        by_name[NOBODY] = nobody.astype(float)
        odds[NOBODY] = np.where(nobody, in_all, np.nan)
    terms = {name: _terms(joint, blocks, table.rows, j, a, b) for j, name in enumerate(names)}
    held = HeldCells.of(table, joint.schema.names)
    priors = {name: joint.parents.tables.log_odds_of_classes(j, a, b) for j, name in enumerate(names)}
    return Votes((joint.classes[a], joint.classes[b]), in_all, by_name, odds, terms, priors, held, (a, b))


def _terms(joint: AveragedJoint, blocks: tuple[Block, ...], rows: int, parent: int, a: int, b: int) -> dict[str, Array]:
    """Of each column given the parent, nothing where the parent is missing or never seen."""
    parents = joint.parents
    codes = parents.codes(blocks, rows)
    tables, levels = parents.tables, codes[:, parent]
    cells = tables.cells(codes)
    beside = np.minimum(cells[:, parent], len(tables.first) - 1)
    out = {column.name: log_odds(tables.given[beside, cells[:, i]], a, b) for i, column in enumerate(parents.columns)}
    out[parents.columns[parent].name] = tables.log_odds_of_cells(beside, parent, a, b)
    for child in (*parents.children[parent], *parents.alone):
        many, x = child.piece.rule.levels, blocks[child.block]
        for level in range(many):
            some = np.flatnonzero(levels == level) if many > 1 else np.flatnonzero(levels >= 0)
            found = child.density.terms(x[some], a * many + level, b * many + level) if len(some) else {}
            for columns, term in found.items():
                title = ", ".join(child.piece.names[j] for j in columns)
                out.setdefault(title, np.zeros(rows))[some] = term
    return out
