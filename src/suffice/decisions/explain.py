"""Stage 4, the reason why: the log odds between two classes as a sum, one term for each column.

In:  a Joint, a Table, and two of its classes.
Out: Explanation. Terms come from the very densities that predict, so they add up to the model's own log odds; a missing
     cell contributes exactly 0. Gaussian columns modelled together have a term each, a term for each pair where
     covariances differ, and one for all; other columns modelled together share one. On request each has one in turn:
     ln p(x₁) + ln p(x₂ | x₁) + ….
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from suffice.arrays import Array, row_blocks
from suffice.data.blocks import cut
from suffice.data.frames import Library
from suffice.data.levels import Level
from suffice.data.schema import BlockPlan
from suffice.data.table import Table
from suffice.errors import ParameterError
from suffice.families.protocol import Block, Density, Factors, Terms, log_odds
from suffice.model.joint import Joint
from suffice.printing.cells import HeldCells
from suffice.printing.description import Description, Series, Sheet, Text
from suffice.printing.language import word, worded
from suffice.printing.numbers import signed
from suffice.printing.printed import Printed

PRIOR, LOG_ODDS, OTHERS = "prior", "ln odds", "{} others"
MOST_TERMS = 24  # that are shown one by one
MOST_NUMBERS = 50_000_000  # in all terms of all rows


@dataclass(frozen=True, eq=False, repr=False)
class Explanation(Printed):
    """The log odds between two classes as a sum: a prior term and a term for each column. Prints as a table."""

    between: tuple[Level, Level]  # positive terms speak for the first class
    prior: float
    terms: dict[str, Array]  # column, columns together ("a, b"), or what a pair adds to its columns ("a × b") → (N,)
    start: str = PRIOR  # what `prior` is called: without a density it is what is left where every column is at its mean
    scale: str = LOG_ODDS  # what the terms add up to
    cells: HeldCells | None = field(default=None, repr=False)  # of the rows that are explained
    places: tuple[int, int] = (0, 1)  # of both among the classes of the model

    @property
    def log_odds(self) -> Array:
        """Ln P(first | x) − ln P(second | x)."""
        return np.asarray(self.prior + sum(self.terms.values()))

    def strongest(self, row: int | None = None) -> dict[str, float]:
        """The terms of a row, or their means over all rows, by size; all but the first two dozen are added up."""
        values = {name: float(np.mean(term) if row is None else term[row]) for name, term in self.terms.items()}
        ordered = sorted(values.items(), key=lambda item: -abs(item[1]))
        shown, rest = (ordered, []) if len(ordered) <= MOST_TERMS else (ordered[:MOST_TERMS], ordered[MOST_TERMS:])
        others = {OTHERS.format(len(rest)): sum(value for _, value in rest)} if rest else {}
        return dict(shown) | others

    @property
    def beginning(self) -> Text:
        """What `prior` is called, in the language in use."""
        return word("prior log odds") if self.start == PRIOR else worded(self.start)

    def label(self, term: str, row: int = 0) -> Text:
        """A term of a row with the cell that it is about: "size = 10"."""
        return term if self.cells is None else self.cells.label(term, row)

    def _frames(self) -> Library | None:
        return None if self.cells is None else self.cells.library

    def description(self) -> Description:
        """The terms of the row, or their means over all rows, the strongest first."""
        alone = len(self.log_odds) == 1
        terms = [(self.label(name) if alone else name, value) for name, value in self.strongest().items()]
        strongest = sorted([(self.beginning, self.prior), *terms], key=lambda pair: -abs(pair[1]))
        values = np.array([*(value for _, value in strongest), np.mean(self.log_odds)])
        stubs = [label for label, _ in strongest]
        series = Series(worded(self.scale), values, signed, name=self.scale)
        sheet = Sheet(word("term"), [*stubs, word("in all")], [series], most=MOST_TERMS + 3)
        return Description(against(self.scale, self.between, len(self.log_odds)), [sheet])


def against(scale: str, between: tuple[Level, Level], rows: int) -> tuple[Text, ...]:
    """What is explained."""
    first, second = between
    line = word("{scale} of {first} against {second}", scale=worded(scale), first=first, second=second)
    return (line,) if rows == 1 else (line, word("mean over {rows}", rows=word("{n} row|{n} rows", n=rows)))


def explained(joint: Joint, table: Table, between: tuple[Level, Level], unseen: str, in_turn: bool) -> Explanation:
    joint.refuse_several("An explanation by columns")
    a, b = (joint.position(name) for name in between)
    if joint.prevalence[a] == joint.prevalence[b] == 0:
        raise ParameterError(f"There are no odds between {between[0]!r} and {between[1]!r}: the priors of both are 0.")
    cells = cut(table, joint.schema, unseen)
    cells.check(slice(0, table.rows))
    refuse_many(table.rows, len(_terms(joint, cells[slice(0, 1)], a, b, in_turn)))
    pieces = [_terms(joint, cells[rows], a, b, in_turn) for rows in row_blocks(table.rows, cells.width)]
    terms = {name: np.concatenate([piece[name] for piece in pieces]) for name in pieces[0]}
    with np.errstate(divide="ignore", invalid="ignore"):
        prior = float(np.log(joint.prevalence[a]) - np.log(joint.prevalence[b]))
    names, held = (joint.classes[a], joint.classes[b]), HeldCells.of(table, terms)
    return Explanation(names, prior, terms, cells=held, places=(a, b))


def refuse_many(rows: int, terms: int, otherwise: str = ", or take columns in turn with in_turn=True") -> None:
    if rows * terms > MOST_NUMBERS:
        raise ParameterError(
            f"{terms:,} terms for each of {rows:,} rows, including pairs of columns, are more than {MOST_NUMBERS:,} "
            f"numbers. Explain fewer rows at a time{otherwise}."
        )


def _terms(joint: Joint, blocks: tuple[Block, ...], a: int, b: int, in_turn: bool) -> dict[str, Array]:
    out: dict[str, Array] = {}
    if in_turn and joint.density.independent:
        parts = zip(joint.schema.blocks, joint.density.parts, blocks, strict=True)
        found = [(plan, _in_turn(plan, density, x, a, b)) for plan, density, x in parts]
    else:  # in a tree, columns are in turn anyway
        by_block = joint.density.terms(blocks, a, b)
        found = [(plan, _by_column(plan, terms)) for plan, terms in zip(joint.schema.blocks, by_block, strict=True)]
    for plan, terms in found:
        for title, term in terms:
            out[joint.schema.apart(title, plan, out)] = term
    return out


def _by_column(plan: BlockPlan, found: Terms) -> Iterator[tuple[str, Array]]:
    title = _interplay if len(found) > 1 else ", ".join
    yield from ((title([plan.names[j] for j in columns]), term) for columns, term in found.items())


def _interplay(names: list[str]) -> str:
    """What columns say beyond each by itself, and beyond each pair."""
    return " × ".join(names if len(names) < 4 else [*names[:2], f"… ({len(names)} columns)"])


def _in_turn(plan: BlockPlan, density: Density, x: Block, a: int, b: int) -> Iterator[tuple[str, Array]]:
    factors = factors_in_turn(plan, density, x)
    yield from ((", ".join(plan.names[j] for j in columns), log_odds(logs, a, b)) for columns, logs in factors.items())


def factors_in_turn(plan: BlockPlan, density: Density, x: Block) -> Factors:
    """Log densities whose sum is that of the block, of each column given those before it; a row of counts has one."""
    if density.independent or plan.words:
        return density.factors(x)
    upto = [density.take(range(j + 1)).log_density(x[:, : j + 1]) for j in range(len(plan.names))]
    return {(j,): logs for j, logs in enumerate(np.diff(upto, axis=0, prepend=0.0))}
