"""Stage 0, formulas: what a density says of a row, as an expression of its cells that can be worked out elsewhere.

In:  cells, each an Expression that has no value where the cell is missing; whatever is made of it has none either.
Out: Expressions, trees of plain values that Python's own operators build; and Formula, ln p of a row under K
     components. `engines.scoring` writes them in SQL.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
from scipy.special import gammaln

from suffice.arrays import Array

SHIFT = 8  # from where on Stirling's series has all digits
SERIES = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156)
BEYOND = float(np.finfo(float).max)  # above it there is only infinity
FLAT = 1e5  # what ln(1 + u) may be multiplied with before its last digit shows
Pattern = tuple[int, ...]  # columns of a block that are there together


class Expression:
    """A number that is worked out for each row."""

    def __add__(self, other: "Operand") -> "Expression":
        return added([self, expression(other)])

    def __sub__(self, other: "Operand") -> "Expression":
        return added([self, -expression(other)])

    def __mul__(self, other: "Operand") -> "Expression":
        one, two = self, expression(other)
        if isinstance(one, Number) and isinstance(two, Number):
            return Number(one.value * two.value)
        return one if two == ONE else two if one == ONE else Product(one, two)

    def __truediv__(self, other: "Operand") -> "Expression":
        return Quotient(self, expression(other))

    def __neg__(self) -> "Expression":
        return self * -1.0

    __radd__, __rmul__ = __add__, __mul__

    def __rsub__(self, other: "Operand") -> "Expression":
        return expression(other) - self


Operand = Expression | float


@dataclass(frozen=True)
class Number(Expression):
    value: float


@dataclass(frozen=True, eq=False)
class Cell(Expression):
    """A cell, by what it is called where the expression is worked out."""

    name: str


@dataclass(frozen=True, eq=False)
class Sum(Expression):
    terms: tuple[Expression, ...]


@dataclass(frozen=True, eq=False)
class Product(Expression):
    one: Expression
    two: Expression


@dataclass(frozen=True, eq=False)
class Quotient(Expression):
    above: Expression
    below: Expression


@dataclass(frozen=True, eq=False)
class Square(Expression):
    of: Expression


@dataclass(frozen=True, eq=False)
class Function(Expression):
    name: str  # ln, exp, abs, floor, cos, sin, atanh; log1p and lgamma, which not every engine has
    of: Expression


@dataclass(frozen=True, eq=False)
class Once(Expression):
    """The same number, which is used again and again: worked out beforehand."""

    of: Expression


@dataclass(frozen=True, eq=False)
class OrElse(Expression):
    """The expression, or the other where it has no value."""

    of: Expression
    otherwise: Expression


@dataclass(frozen=True, eq=False)
class Lookup(Expression):
    """What a table has for a value; what stands beside it for all others, also for none."""

    of: Expression
    table: tuple[tuple[Any, Expression], ...]
    otherwise: Expression | None = None


@dataclass(frozen=True, eq=False)
class Cases(Expression):
    """The first whose condition holds; no value where none does and nothing else is given."""

    branches: tuple[tuple["Condition", Expression], ...]
    otherwise: Expression | None = None


@dataclass(frozen=True, eq=False)
class Greatest(Expression):
    of: tuple[Expression, ...]


@dataclass(frozen=True, eq=False)
class Least(Expression):
    of: tuple[Expression, ...]


@dataclass(frozen=True, eq=False)
class Literal(Expression):
    """A class or an action."""

    value: Any


class Condition:
    """What holds for a row or does not."""


@dataclass(frozen=True, eq=False)
class Missing(Condition):
    of: Expression


@dataclass(frozen=True, eq=False)
class Compared(Condition):
    one: Expression
    sign: str  # <, <=, =, <>, >=, >
    two: Expression


@dataclass(frozen=True, eq=False)
class Among(Condition):
    of: Expression
    values: tuple[Any, ...]


@dataclass(frozen=True, eq=False)
class All(Condition):
    of: tuple[Condition, ...]


@dataclass(frozen=True, eq=False)
class Either(Condition):
    of: tuple[Condition, ...]


@dataclass(frozen=True, eq=False)
class Not(Condition):
    of: Condition


ZERO, ONE, NEVER = Number(0.0), Number(1.0), Number(-np.inf)


def parts(given: Expression | Condition) -> Iterator[Expression | Condition]:
    """What it is made of, one step down."""
    waiting = list(vars(given).values())
    while waiting:
        part = waiting.pop()
        if isinstance(part, Expression | Condition):
            yield part
        elif isinstance(part, tuple):
            waiting.extend(part)


def expression(given: Operand) -> Expression:
    return given if isinstance(given, Expression) else Number(float(given))


def added(terms: Iterable[Expression]) -> Expression:
    """Their sum, all numbers among them in one."""
    flat = [part for term in terms for part in (term.terms if isinstance(term, Sum) else (term,))]
    rest = tuple(part for part in flat if not isinstance(part, Number))
    level = sum(part.value for part in flat if isinstance(part, Number))
    kept = (*rest, Number(level)) if level or not rest else rest
    return kept[0] if len(kept) == 1 else Sum(kept)


def dot(weights: Array, cells: Sequence[Expression]) -> Expression:
    """Σ weight · cell, but for weights of 0."""
    return added(cell * float(weight) for weight, cell in zip(weights, cells, strict=True) if weight)


def ln(of: Expression) -> Expression:
    return Function("ln", of)


def exp(of: Expression) -> Expression:
    return Function("exp", of)


def lgamma(of: Expression) -> Expression:
    return Number(float(gammaln(of.value))) if isinstance(of, Number) else Function("lgamma", of)


def gained(amount: Expression, before: float) -> Expression:
    """Ln Γ(before + amount) − ln Γ(before), never as a difference of large numbers; from nothing nothing is gained."""
    if not before:
        return times_log(amount, -np.inf)
    if before < SHIFT or isinstance(amount, Number):
        return lgamma(amount + before) - float(gammaln(before))
    after = amount + before
    grown = times_log1p(before - 0.5, amount / before) + amount * ln(after) - amount
    return grown + stirling_tail(after) - stirling_tail(Number(before))


def log_of_sum(terms: Sequence[Expression]) -> Expression:
    """Ln Σ exp, by the greatest."""
    once = tuple(map(Once, terms))
    top = Once(Greatest(once))
    return Cases(((Compared(top, "=", NEVER), NEVER),), ln(added(exp(term - top) for term in once)) + top)


def if_there(term: Expression) -> Expression:
    """A term about a cell; a cell that is missing says nothing."""
    return OrElse(term, ZERO)


def level_formula(cell: Expression, levels: Sequence[Any], numbers: Array, unseen: float) -> Expression:
    """The number of the level that a cell holds; 0 where it is missing."""
    table = tuple((level, Number(float(number))) for level, number in zip(levels, numbers, strict=True))
    return Cases(((Missing(cell), ZERO),), Lookup(cell, table, Number(float(unseen))))


def times_log(amount: Expression, log_probability: float) -> Expression:
    """Amount · ln p, where nothing times ln 0 is nothing."""
    if np.isfinite(log_probability):
        return amount * log_probability
    none, some = Compared(amount, "=", ZERO), Compared(amount, ">", ZERO)
    return Cases(((none, ZERO), (some, NEVER)))


def times_log1p(power: float, of: Expression) -> Expression:
    """Power · ln(1 + u), u ≥ 0, with all its digits where the power is large and u small."""
    return ln(1.0 + of) * power if abs(power) < FLAT else Function("log1p", of) * power


def stirling_tail(z: Expression) -> Expression:
    """Ln Γ(z) − (z − ½) ln z + z − ½ ln 2π, of numbers above SHIFT."""
    return reduce(lambda sum_, term: sum_ / (z * z) + term, reversed(SERIES[:-1]), expression(SERIES[-1])) / z


@dataclass(frozen=True, eq=False)
class Formula:
    """Ln p of a row under K components."""

    own: tuple[Expression, ...]  # (K,)
    common: Expression = ZERO  # to be added to each: Bayes' rule can do without
    refused: tuple[Condition, ...] = ()  # rows of which it says nothing, if one of these holds


def total(blocks: Sequence[Formula]) -> Formula:
    """Of rows whose blocks are independent."""
    own = tuple(added(terms) for terms in zip(*(block.own for block in blocks), strict=True))
    refused = tuple(condition for block in blocks for condition in block.refused)
    return Formula(own, added(block.common for block in blocks), refused)


def levels(numbers: Array) -> Formula:
    """A number for each component, whatever the row."""
    return Formula(tuple(Number(float(number)) for number in numbers))
