"""The mass of the rows of each component, with their number: what a record holds of rows of which no cell is there.

In:  memberships of the rows.
Out: Mass, which adds and comes off again to the last digit, however different the weights; and says where rows that
     were taken away leave so little that rounding in the sums they came from may be all of it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from suffice.arrays import Array, Codes, placed, ratio
from suffice.families.memberships import Memberships
from suffice.families.rows import Rows
from suffice.families.sums import Low, Sums, joined_low, restored_low, taken_off
from suffice.families.twofold import COLLECTED, scrambled


@dataclass(frozen=True, eq=False)
class Mass:
    weight: Array  # (K,)
    rows: Array | None = None  # (K,) how many there are; None where nobody has counted them
    low: Low = None  # what floats cannot hold; None where they are enough
    # Σ of the fractional weights of each collect, times a number of its own between ½ and 1: while whole collects are
    # left it is below their weight, and where more than that is left, rows came off in another grouping
    seal: Array | None = None  # (K,)

    @classmethod
    def within(cls, memberships: Memberships) -> "Mass":
        counted = memberships.counted
        return cls(memberships.weight) if counted is None else cls(memberships.weight, counted.weight, {})

    def sealed(self) -> "Mass":
        """As one collect."""
        number = 0.5 + 0.5 * scrambled(self.weight)
        return self if self.low is None else replace(self, seal=np.where(self.weight % 1 != 0, self.weight * number, 0))

    @property
    def sums(self) -> Sums:
        seal = np.zeros_like(self.weight) if self.seal is None else self.seal
        return Sums({"weight": self.weight, "seal": seal}, self.low)

    @property
    def counted(self) -> Rows | None:
        return None if self.rows is None else Rows(self.rows, self.rows[:, None][:, :0])

    def _of(self, sums: Sums, rows: Rows | None) -> "Mass":
        return Mass(sums.high["weight"], None if rows is None else rows.of, sums.low, sums.high["seal"])

    def __add__(self, other: "Mass") -> "Mass":
        return self._of(self.sums + other.sums, self.counted and self.counted.added(other.counted))

    def __sub__(self, other: "Mass") -> "Mass":
        whole, part = (self.sums, self.counted), (other.sums, other.counted)
        rest, left = taken_off(whole, part, lambda rows: {"weight": rows.of == 0}, ("weight",))
        return self._of(rest.without({"seal": rest.high["weight"] == 0}), left)

    def joined(self, other: "Mass") -> "Mass":
        """In floats: blocks of one collect."""
        rows = None if self.rows is None or other.rows is None else self.rows + other.rows
        return Mass(self.weight + other.weight, rows, joined_low(self.low, other.low))

    def digits(self) -> Array:
        """How many the weights have left where rows were taken away; none where rows are left but no weight."""  # (K,)
        doubt = COLLECTED * 2 * np.abs(self.sums.high["seal"])
        left = ratio(self.weight, np.where(doubt > COLLECTED * 2 * self.weight, doubt, 0.0), np.inf)
        lost = (self.weight == 0) & (self.rows is not None and self.rows > 0)
        return np.where(lost, 0.0, np.log10(np.maximum(left, 1.0)))

    def onto(self, components: Codes, size: int) -> "Mass":
        return self._each(lambda part: placed(part, components, size))

    def only(self, components: Codes) -> "Mass":
        return self._each(lambda part: part[components])

    def _each(self, change: Callable[[Array], Array]) -> "Mass":
        low = None if self.low is None else {name: change(part) for name, part in self.low.items()}
        rows, seal = (None if part is None else change(part) for part in (self.rows, self.seal))
        return Mass(change(self.weight), rows, low, seal)

    def arrays(self) -> dict[str, Array]:
        """By name; what is 0 in all of them only where it is the weight."""
        beside = {f"{name}_low": part for name, part in (self.low or {}).items()}
        seal = {} if self.seal is None or not self.seal.any() else {"seal": self.seal}
        return {"weight": self.weight, **beside, **seal, **({} if self.rows is None else {"rows": self.rows})}

    @classmethod
    def restored(cls, arrays: Mapping[str, Array]) -> "Mass":
        """From `arrays`, of which the shapes are right."""
        rows = Rows.restored(arrays, arrays.get("rows", arrays["weight"]))  # of no other record than the rows
        seal = arrays.get("seal", np.zeros_like(arrays["weight"]))
        low = restored_low({**arrays, "seal": seal}, ("weight", "seal"))
        return cls(arrays["weight"], None if rows is None else rows.of, low, seal)


MASS = ("weight", "weight_low", "seal", "seal_low", "rows")  # the names of its arrays
