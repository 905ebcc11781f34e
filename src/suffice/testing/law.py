"""What a law is: one function that tries a family, and says in its docstring what must hold.

In:  a Case and a random generator.
Out: nothing, or an AssertionError. `LAWS` has every law that has been stated.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from suffice.arrays import Array
from suffice.families.protocol import Statistics
from suffice.testing.case import Case

HOW = ("low", "doubt", "seal", "merging")  # endings of arrays that tell how a record was computed, not what it says
COUNTED = ("rows", "rows_behind")  # and of those that tell of how many rows, whatever they weigh


@dataclass(frozen=True)
class Law:
    name: str
    check: Callable[[Case, np.random.Generator], None]
    concerns: Callable[[Case], bool]

    def __str__(self) -> str:
        return self.name


Check = Callable[[Case, np.random.Generator], None]
LAWS: list[Law] = []


def law(concerns: Callable[[Case], bool] = lambda case: True) -> Callable[[Check], Check]:
    """Join the laws; the docstring is what the law says."""

    def join(check: Check) -> Check:
        LAWS.append(Law((check.__doc__ or "").split(".")[0], check, concerns))
        return check

    return join


def said(statistics: Statistics) -> dict[str, Array]:
    return {name: array for name, array in statistics.arrays().items() if not name.endswith((*HOW, *COUNTED))}


def same(a: Statistics, b: Statistics, tolerance: float = 1e-10) -> None:
    mine, theirs = said(a), said(b)
    for name in mine | theirs:  # what one record does not have is nothing
        found, expected = mine.get(name, np.zeros(())), theirs.get(name, np.zeros(()))
        np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance, err_msg=name)


def close(a: Array | float, b: Array | float, tolerance: float = 1e-9) -> None:
    np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)
