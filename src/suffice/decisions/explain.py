"""Stage 4, the reason why: the log odds between two classes as a sum, one term for each column.

In:  a Joint, a Table, and two of its classes.
Out: Explanation. Terms come from the very densities that predict, so they add up to the model's own log odds; a missing
     cell contributes exactly 0. Columns modelled together give one term, or on request one each in turn:
     ln p(x₁) + ln p(x₂ | x₁) + ….
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from suffice.arrays import Array, row_blocks
from suffice.data.blocks import cut
from suffice.data.kinds import COUNTS
from suffice.data.levels import Level
from suffice.data.schema import BlockPlan
from suffice.data.table import Table
from suffice.errors import ParameterError
from suffice.families.protocol import Block, Density
from suffice.model.joint import Joint

PRIOR = "prior"


@dataclass(frozen=True, eq=False)
class Explanation:
    """Log odds between two classes as a sum: of the prior, and of a term for each column. It prints as a table."""

    between: tuple[Level, Level]  # positive terms speak for the first class
    prior: float
    terms: dict[str, Array]  # column, or columns modelled together → (N,)

    @property
    def log_odds(self) -> Array:
        """Ln P(first | x) − ln P(second | x)."""
        return np.asarray(self.prior + sum(self.terms.values()))

    def __repr__(self) -> str:
        first, second = self.between
        lines = [f"ln odds of {first} against {second}" + ("" if len(self.log_odds) == 1 else ", mean over rows")]
        means = [(PRIOR, self.prior), *((name, float(np.mean(term))) for name, term in self.terms.items())]
        strongest = sorted(means, key=lambda item: -abs(item[1]))
        lines += [f"  {value:+9.4f}  {name}" for name, value in strongest]
        return "\n".join([*lines, f"  {np.mean(self.log_odds):+9.4f}  in all"])


def explained(joint: Joint, table: Table, between: tuple[Level, Level], unseen: str, in_turn: bool) -> Explanation:
    joint.refuse_several("An explanation by columns")
    a, b = (joint.position(name) for name in between)
    if joint.prevalence[a] == joint.prevalence[b] == 0:
        raise ParameterError(f"There are no odds between {between[0]!r} and {between[1]!r}: the priors of both are 0.")
    cells = cut(table, joint.schema, unseen)
    cells.check(slice(0, table.rows))
    pieces = [_terms(joint, cells[rows], a, b, in_turn) for rows in row_blocks(table.rows, cells.width)]
    terms = {name: np.concatenate([piece[name] for piece in pieces]) for name in pieces[0]}
    with np.errstate(divide="ignore", invalid="ignore"):
        prior = float(np.log(joint.prevalence[a]) - np.log(joint.prevalence[b]))
    return Explanation((joint.classes[a], joint.classes[b]), prior, terms)


def _terms(joint: Joint, blocks: tuple[Block, ...], a: int, b: int, in_turn: bool) -> dict[str, Array]:
    out: dict[str, Array] = {}
    for plan, density, x in zip(joint.schema.blocks, joint.density.parts, blocks, strict=True):
        for names, log_density in factors_of(plan, density, x, in_turn):
            out[joint.schema.apart(", ".join(names), plan, out)] = _odds(log_density, a, b)
    return out


def factors_of(plan: BlockPlan, density: Density, x: Block, in_turn: bool) -> Iterator[tuple[tuple[str, ...], Array]]:
    """Columns and log densities (N, K) whose sum is the log density of the block."""
    if density.independent:
        yield from (((name,), density.take([j]).log_density(x[:, [j]])) for j, name in enumerate(plan.names))
    elif in_turn and plan.kind != COUNTS:
        upto = [density.take(range(j + 1)).log_density(x[:, : j + 1]) for j in range(len(plan.names))]
        yield from zip(((name,) for name in plan.names), np.diff(upto, axis=0, prepend=0.0), strict=True)
    else:
        yield plan.names, density.log_density(x)


def _odds(log_density: Array, a: int, b: int) -> Array:
    """The difference of two columns; impossible under both says nothing."""
    with np.errstate(invalid="ignore"):
        odds = log_density[:, a] - log_density[:, b]
    return np.where(np.isnan(odds), 0.0, odds)
