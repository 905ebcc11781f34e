"""Counts: the additive record of every family whose rows can be counted up.

In:  sums over the rows of each component, and how many rows there are.
Out: what a Dirichlet or Gamma belief adds to itself. Counted things stand in `counts` (cells hit, events), the
     room they had in `exposure` (rows, time), and ln h(x) of the rows, which only evidence needs, in `log_base`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from suffice.arrays import Array, Codes, close, placed, ratio
from suffice.errors import FileError
from suffice.families.mass import Mass
from suffice.families.protocol import Statistics
from suffice.families.rows import BEHIND, Rows, after
from suffice.families.sums import WHOLE, Low, Mask, Sums, joined_low, restored_low, taken_off

MASSES = ("weight", "counts", "exposure")


@dataclass(frozen=True, eq=False)
class Counts(Statistics):
    weight: Array  # (K,)
    counts: Array  # (K, C)
    exposure: Array  # (K, C), or (K, 0) where the counts themselves are the exposure
    log_base: Array  # (K, G), a column for each group of cells that share a total
    rows: Rows | None = None  # behind each count, (K, C); None where nobody has counted them
    low: Low = None  # what floats cannot hold of the four; None for a record that floats are enough for

    @property
    def sums(self) -> Sums:
        high = {"weight": self.weight, "counts": self.counts, "exposure": self.exposure, "log_base": self.log_base}
        return Sums(high, self.low)

    @classmethod
    def of(cls, sums: Sums, rows: Rows | None) -> "Counts":
        shared = rows and rows.sharing(sums.high["weight"], sums.high["counts"])
        return cls(**sums.high, rows=shared, low=sums.low)

    def __add__(self, other: "Counts") -> "Counts":
        return Counts.of(self.sums + other.sums, self.rows and self.rows.added(other.rows))

    def __sub__(self, other: "Counts") -> "Counts":
        rest, left = taken_off((self.sums, self.rows), (other.sums, other.rows), self._none, MASSES)
        weight = rest.high["weight"] if left is None else left.of
        return Counts.of(rest.without({"log_base": (weight == 0)[:, None]}), left)

    def _none(self, left: Rows) -> dict[str, Mask]:
        """Where no row is left."""
        behind = left.behind == 0
        return {"weight": left.of == 0, "counts": behind} | ({"exposure": behind} if self.exposure.shape[1] else {})

    def joined(self, other: "Counts") -> "Counts":
        """In floats, as they are summed up within a block."""
        plain = replace(self, low=None) + replace(other, low=None)
        return replace(plain, low=joined_low(self.low, other.low))

    def alike(self, other: "Counts", tolerance: float) -> bool:
        """Whether each number agrees; sums of logarithms may come near 0, and are as good as their terms."""
        mine, theirs, slack = self.sums.high, other.sums.high, tolerance * self.weight[:, None]
        return all(close(mine[name], theirs[name], tolerance) for name in MASSES) and close(
            self.log_base, other.log_base, tolerance, slack
        )

    @classmethod
    def restored(cls, arrays: Mapping[str, Array], components: int, cells: int, room: int, groups: int) -> "Counts":
        """From `arrays`, refusing what cannot be counts."""
        shapes = {"weight": (), "counts": (cells,), "exposure": (room,), "log_base": (groups,)}
        shapes |= {f"{name}_low": shape for name, shape in shapes.items()} | {"rows": (), BEHIND: (cells,)}
        needed = {n: (components, *shape) for n, shape in shapes.items() if n in arrays or n in (*MASSES, "log_base")}
        parts = checked(arrays, needed)
        if any((parts[name] < 0).any() for name in MASSES):
            raise FileError("The file holds negative counts.")
        high = {name: parts[name] for name in (*MASSES, "log_base")}
        return cls(**high, rows=Rows.restored(parts, parts["counts"]), low=restored_low(parts, tuple(high)))

    def arrays(self) -> dict[str, Array]:
        return self.sums.arrays() | (self.rows.arrays(self.counts) if self.rows else {})

    def plain(self) -> "Counts":
        return replace(self, rows=None, low=None)

    def among(self, mass: Mass) -> "Counts":
        """The same of rows of which these cells may all be missing."""
        own, of_rows = ({} if low is None else low for low in (self.low, mass.low))
        low = {name: part for name, part in own.items() if name != "weight"}
        low |= {name: part for name, part in of_rows.items() if name == "weight"}
        rows = None if self.rows is None or mass.rows is None else Rows(mass.rows, self.rows.behind)
        return replace(self, weight=mass.weight, rows=rows, low=None if self.low is None else low)

    def onto(self, components: Codes, size: int) -> "Counts":
        return self._each(lambda part: placed(part, components, size))

    def only(self, components: Codes) -> "Counts":
        return self._each(lambda part: part[components])

    def _each(self, change: Callable[[Array], Array]) -> "Counts":
        """With other components."""
        sums = self.sums.each(lambda _, part: change(part))
        weight, counts = sums.high["weight"], sums.high["counts"]
        rows = after(self.rows, change, (self.weight, weight), (self.counts, counts))
        return Counts(**sums.high, rows=rows, low=sums.low)

    def kept(self, whole: "Counts") -> Array:
        """The least share of a count that is left of the whole; nothing left of it is exact."""  # (K,)
        shares = (ratio(a, b, 1.0) for a, b in ((self.counts, whole.counts), (self.exposure, whole.exposure)))
        left = np.concatenate(list(shares), axis=1)
        return np.asarray(np.where(left > 0, left, 1.0).min(axis=1, initial=1.0))

    def take(self, cells: Sequence[int] | Codes, groups: Sequence[int]) -> "Counts":
        """Some of the cells, and some of the groups."""
        return self._across(lambda part: part[:, cells], lambda part: part[:, groups])

    def onto_cells(self, cells: Codes, size: int) -> "Counts":
        """The same counts among more cells."""
        return self._across(lambda part: placed(part, cells, size, axis=1), np.asarray)

    def _across(self, cells: Callable[[Array], Array], groups: Callable[[Array], Array]) -> "Counts":
        """With other cells, and other groups."""
        room = cells if self.exposure.shape[1] else np.asarray
        change: dict[str, Callable[[Array], Array]] = {"weight": np.asarray}
        change |= {"counts": cells, "exposure": room, "log_base": groups}
        sums = self.sums.each(lambda name, part: change[name](part))
        if self.rows is None:
            return Counts.of(sums, None)
        behind = sums.high["counts"] if self.rows.behind is self.counts else cells(self.rows.behind)
        return Counts.of(sums, Rows(self.rows.of, behind))


def checked(arrays: Mapping[str, Array], shapes: Mapping[str, tuple[int, ...]]) -> dict[str, Array]:
    """Exactly the arrays that are wanted, in the shapes that are wanted."""
    found = {name: array.shape for name, array in arrays.items()}
    if found != dict(shapes):
        raise FileError(f"The arrays of the file do not fit its schema: expected {dict(shapes)}, found {found}.")
    return dict(arrays)


def drawn(rate: Array, rng: np.random.Generator) -> Array:
    """Counts of events at these rates; beyond the whole numbers of floats they are Gaussian."""
    counts = rng.poisson(np.minimum(rate, WHOLE)).astype(float)
    large = rate > WHOLE
    return np.where(large, rng.normal(rate, np.sqrt(rate)), counts) if large.any() else counts
