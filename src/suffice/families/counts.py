"""Counts: the additive record of every family whose rows can be counted up.

In:  sums over the rows of each component.
Out: what a Dirichlet or Gamma belief adds to itself. Counted things stand in `counts` (cells hit, events), the
     room they had in `exposure` (rows, time), and ln h(x) of the rows, which only evidence needs, in `log_base`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from suffice.arrays import Array, Codes, close, placed, ratio
from suffice.errors import FileError, NotInSummaryError
from suffice.families.protocol import Statistics

WHOLE = 2.0**53  # up to where floats have every whole number
SUBTRACTION_ERROR = 1e-9  # of the minuend: what rounding can leave behind, with room to spare


@dataclass(frozen=True, eq=False)
class Counts(Statistics):
    weight: Array  # (K,)
    counts: Array  # (K, C)
    exposure: Array  # (K, C), or (K, 0) where the counts themselves are the exposure
    log_base: Array  # (K, G), a column for each group of cells that share a total

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(
            self.weight + other.weight,
            self.counts + other.counts,
            self.exposure + other.exposure,
            self.log_base + other.log_base,
        )

    def __sub__(self, other: "Counts") -> "Counts":
        weight, log_base = taken_away(self.weight, other.weight), self.log_base - other.log_base
        counts, exposure = taken_away(self.counts, other.counts), taken_away(self.exposure, other.exposure)
        return Counts(weight, counts, exposure, np.where(weight[:, None] > 0, log_base, 0.0))

    def alike(self, other: "Counts", tolerance: float) -> bool:
        """Whether each number agrees; sums of logarithms may come near 0, and are as good as their terms."""
        numbers = zip(self._parts()[:3], other._parts()[:3], strict=True)
        slack = tolerance * self.weight[:, None]
        return all(close(a, b, tolerance) for a, b in numbers) and close(
            self.log_base, other.log_base, tolerance, slack
        )

    @classmethod
    def restored(cls, arrays: Mapping[str, Array], components: int, cells: int, room: int, groups: int) -> "Counts":
        """From `arrays`, refusing what cannot be counts."""
        shapes = {"weight": (), "counts": (cells,), "exposure": (room,), "log_base": (groups,)}
        parts = checked(arrays, {name: (components, *shape) for name, shape in shapes.items()})
        if any((parts[name] < 0).any() for name in ("weight", "counts", "exposure")):
            raise FileError("The file holds negative counts.")
        return cls(**parts)

    def plain(self) -> "Counts":
        return self

    def onto(self, components: Codes, size: int) -> "Counts":
        return Counts(*(placed(part, components, size) for part in self._parts()))

    def only(self, components: Codes) -> "Counts":
        return Counts(*(part[components] for part in self._parts()))

    def kept(self, whole: "Counts") -> Array:
        """The least share of a count that is left of the whole; nothing left of it is exact."""  # (K,)
        shares = (ratio(a, b, 1.0) for a, b in ((self.counts, whole.counts), (self.exposure, whole.exposure)))
        left = np.concatenate(list(shares), axis=1)
        return np.asarray(np.where(left > 0, left, 1.0).min(axis=1, initial=1.0))

    def take(self, cells: Sequence[int] | Codes, groups: Sequence[int]) -> "Counts":
        exposure = self.exposure[:, cells] if self.exposure.shape[1] else self.exposure
        return Counts(self.weight, self.counts[:, cells], exposure, self.log_base[:, groups])

    def onto_cells(self, cells: Codes, size: int) -> "Counts":
        return Counts(self.weight, placed(self.counts, cells, size, axis=1), self.exposure, self.log_base)

    def _parts(self) -> tuple[Array, Array, Array, Array]:
        return self.weight, self.counts, self.exposure, self.log_base


def checked(arrays: Mapping[str, Array], shapes: Mapping[str, tuple[int, ...]]) -> dict[str, Array]:
    """Exactly the arrays that are wanted, in the shapes that are wanted."""
    found = {name: array.shape for name, array in arrays.items()}
    if found != dict(shapes):
        raise FileError(f"The arrays of the file do not fit its schema: expected {dict(shapes)}, found {found}.")
    return dict(arrays)


def taken_away(whole: Array, part: Array) -> Array:
    """Whole − part, where what is below zero by rounding is zero and what is further below was never in there."""
    rest = whole - part
    rounded = (whole % 1 != 0) | (part % 1 != 0) | (whole > WHOLE)  # other differences are exact
    bound = np.where(rounded, SUBTRACTION_ERROR * np.abs(whole), 0.0)
    if np.any(rest < -bound):
        raise NotInSummaryError(
            "These rows are not in this summary: taking them away would leave a count below 0 "
            f"({rest.min():.3g}). Subtract only rows that were added before, with the same weights."
        )
    return np.where(rest <= bound, 0.0, rest)


def drawn(rate: Array, rng: np.random.Generator) -> Array:
    """Counts of events at these rates; beyond the whole numbers of floats they are Gaussian."""
    counts = rng.poisson(np.minimum(rate, WHOLE)).astype(float)
    large = rate > WHOLE
    return np.where(large, rng.normal(rate, np.sqrt(rate)), counts) if large.any() else counts
