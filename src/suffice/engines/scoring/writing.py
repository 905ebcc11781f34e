"""Expressions as SQL: one function for each kind of expression, and a tree that is never deep.

In:  an Expression or a Condition of `suffice.formulas`, a Dialect, and what is worked out already, by name.
Out: its text. Sums and conjunctions are split in halves again and again, because engines end at a depth of a thousand.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from suffice.engines.scoring.dialects import Dialect
from suffice.engines.scoring.spelling import spelled_out
from suffice.formulas import (
    All,
    Among,
    Cases,
    Cell,
    Compared,
    Condition,
    Either,
    Expression,
    Function,
    Greatest,
    Least,
    Literal,
    Lookup,
    Missing,
    Not,
    Number,
    Once,
    OrElse,
    Product,
    Quotient,
    Square,
    Sum,
)

LEAST_POWER = -600.0  # of e, that is still a double after some divisions and products


@dataclass(frozen=True)
class Writer:
    dialect: Dialect
    names: Mapping[Once, str]  # what has a layer of its own
    wide: bool = False  # whether there are so many squares that engines should not look for what is written twice

    def __call__(self, given: Expression | Condition) -> str:
        return self.condition(given) if isinstance(given, Condition) else self.expression(given)

    def expression(self, given: Expression) -> str:
        match given:
            case Number(value):
                return self.dialect.double_literal(value)
            case Cell(name):
                return name
            case Once():
                return self.names[given]
            case Sum(terms):
                return balanced([self(term) for term in terms], " + ")
            case Product(one, two):
                return f"({self(one)} * {self(two)})"
            case Quotient(above, below):
                return f"({self(above)} / {self(below)})"
            case Square(of):
                return self._square(of)
            case Function():
                return self._function(given)
            case Literal(value):
                return self.dialect.literal(value)
            case Greatest(of):
                return balanced([self(part) for part in of], ", ", self.dialect.greatest)
            case Least(of):
                return balanced([self(part) for part in of], ", ", self.dialect.least)
            case OrElse(of, otherwise):
                return f"coalesce({self(of)}, {self(otherwise)})"
            case Lookup(of, table, otherwise):
                entries = " ".join(f"WHEN {self.dialect.literal(key)} THEN {self(entry)}" for key, entry in table)
                return f"CASE {self(of)} {entries}{self._else(otherwise)} END"
            case Cases(branches, otherwise):
                entries = " ".join(f"WHEN {self(condition)} THEN {self(entry)}" for condition, entry in branches)
                return f"CASE {entries}{self._else(otherwise)} END"
        raise AssertionError(f"unknown expression: {type(given).__name__}")

    def condition(self, given: Condition) -> str:
        match given:
            case Missing(of):
                return f"{self(of)} IS NULL"
            case Compared(one, sign, two):
                return f"{self(one)} {sign} {self(two)}"
            case Among(of, values):
                return f"{self(of)} IN ({', '.join(map(self.dialect.literal, values))})"
            case All(of):
                return balanced([self(part) for part in of], " AND ")
            case Either(of):
                return balanced([self(part) for part in of], " OR ")
            case Not(Missing(of)):
                return f"{self(of)} IS NOT NULL"
            case Not(of):
                return f"NOT ({self(of)})"
        raise AssertionError(f"unknown condition: {type(given).__name__}")

    def _else(self, otherwise: Expression | None) -> str:
        return "" if otherwise is None else f" ELSE {self(otherwise)}"

    def _square(self, of: Expression) -> str:
        """A product is faster, but for a long expression, which it would work out twice."""
        text = self(of)
        return f"power({text}, 2)" if self.wide or isinstance(of, Sum) else f"({text} * {text})"

    def _function(self, given: Function) -> str:
        if given.name == "log1p" or (given.name == "lgamma" and not self.dialect.lgamma):
            return self(spelled_out(given))
        inside = self(given.of)
        if given.name == "exp" and self.dialect.strict:
            nothing, least = (self.dialect.double_literal(value) for value in (0.0, LEAST_POWER))
            return f"CASE WHEN {inside} < {least} THEN {nothing} ELSE exp({inside}) END"
        return f"{given.name}({inside})"


def balanced(parts: Sequence[str], sign: str, function: str = "") -> str:
    """All parts in one, in halves of halves."""
    if len(parts) == 1:
        return parts[0]
    half = len(parts) // 2
    return f"{function}({balanced(parts[:half], sign, function)}{sign}{balanced(parts[half:], sign, function)})"
