"""Moments: weight, mean and centred scatter, the additive record of the Gaussian families.

In:  rows of a block, centred on the mean of their component before anything is squared.
Out: merged by Chan, Golub and LeVeque's rule; never Σx², which cancels. A normal–inverse-Wishart belief merges
     with the same rule, so "posterior = prior + statistics" is literally `merged`.

Scatter is (K, D), a sum of squares for each column, or (K, D, D) where columns are modelled together.

Records that are kept are merged in twofold numbers, so that what was added comes off again in any order, however far
out it lies; `mean` and `scatter` are their high parts, and `fine` has the rest.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from suffice.arrays import Array, Codes, close, placed, ratio, side_by_side
from suffice.errors import FileError, NotInSummaryError
from suffice.families.capabilities import ColumnMoments
from suffice.families.counts import checked
from suffice.families.gaussian.doubt import Doubt
from suffice.families.gaussian.merging import apart, together
from suffice.families.gaussian.whitening import Whitening
from suffice.families.mass import Mass
from suffice.families.protocol import Names, Statistics
from suffice.families.records import Records
from suffice.families.rows import BEHIND, Rows
from suffice.families.sums import Mask, Sums, none_left, taken_off
from suffice.families.twofold import Twofold
from suffice.lazy import lazy

EPSILON = float(np.finfo(float).eps)
ASYMMETRY = 1e-9  # of a covariance in a file, in standard deviations
BLUR = 2.0**-43  # of a mean: a thousand times its rounding
FINE = ("weight_low", "seen_low", "mean_low", "scatter_low", "doubt", "doubt_low", "seal", "seal_low", "merging")
MASSES = ("weight", "seen")
NOT_THERE = (
    "These rows are not in this summary: taking them away would leave an impossible variance. "
    "Subtract only rows that were added before, with the same weights."
)


@dataclass(frozen=True, eq=False)
class Moments(ColumnMoments):
    weight: Array  # (K,) mass of rows
    seen: Array  # (K, D) mass of the rows in which the column is not missing
    mean: Array  # (K, D)
    scatter: Array  # (K, D) or (K, D, D)
    # low parts of the three, and the doubt about the scatter, by the names in FINE: all that differs from a record just
    # collected. None for a record that floats are enough for, because nothing is taken away from it that matters
    fine: Mapping[str, Array] | None = None
    rows: Rows | None = None  # behind each column, (K, D); None where nobody has counted them

    @property
    def crosswise(self) -> bool:
        """Whether the scatter is a matrix, not that of each column by itself."""
        return self.scatter.ndim == 3

    @classmethod
    def of(cls, weight: Array, sums: tuple[Array, Array, Array, Array], rows: Rows | None = None) -> "Moments":
        """From the mass, the mean as a sum of two, and the scatter, that a kernel found."""
        seen, near, off, scatter = sums
        mean = Twofold.sum(near, off)
        return cls(weight, seen, mean.high, scatter, {"mean_low": mean.low}, rows)

    @property
    def masses(self) -> Sums:
        """Weight, and that of the rows of each column."""
        there = [name for name in MASSES if f"{name}_low" in (self.fine or {})]
        low = None if self.fine is None else {name: self._low(name) for name in there}
        return Sums({"weight": self.weight, "seen": self.seen}, low)

    def __add__(self, other: "Moments") -> "Moments":
        if self.fine is None or other.fine is None:
            return Moments(self.weight + other.weight, *together(self._floats(), other._floats(), self.crosswise)[:3])
        weight = self._weight() + other._weight()
        seen, mean, scatter, between = together(self._twofold(), other._twofold(), self.crosswise)
        mass = ratio(self.seen * other.seen, seen.high)
        whole, apart_by, size = _diagonal(scatter.high), _diagonal(between.high), self._size(other)
        doubt = (self._doubt() + other._doubt()).after(mass, apart_by, size, whole)
        return _exactly(weight, seen, mean, scatter, doubt, self.rows and self.rows.added(other.rows))

    def __sub__(self, other: "Moments") -> "Moments":
        masses, rows = taken_off((self.masses, self.rows), (other.masses, other.rows), none_left, MASSES)
        weight, left = masses["weight"], masses.high["seen"] > 0
        if self.fine is None or other.fine is None:
            rest = Moments(weight.high, *apart(self._floats(), other._floats(), left, self.crosswise)[:3])
            return rest._cleared(self, self._rounding(other))
        seen, mean, scatter, between, moved = apart(self._twofold(), other._twofold(), left, self.crosswise)
        apart_by, size = _diagonal(between.high), self._size(other)
        doubt = (self._doubt() - other._doubt()).after(moved.high, apart_by, size, self.squares())
        return _exactly(weight, seen, mean, scatter, doubt, rows)._cleared(self, doubt.bound())

    def joined(self, other: "Moments") -> "Moments":
        """In floats that count from a mean of the block itself, so that means far from 0 are still told apart."""
        near = np.where(self.seen > 0, self.mean, other.mean)
        mine, theirs = ((r.seen, r._off(near), r.scatter) for r in (self, other))
        seen, off, scatter, _ = together(mine, theirs, self.crosswise)
        weight, rows = self.weight + other.weight, self.rows and self.rows.added(other.rows)
        return Moments.of(weight, (seen, near, off, scatter), rows and rows.sharing(weight, seen))

    def _off(self, near: Array) -> Array:
        """The mean less what is near it; nothing where no row has been, whose mean is far from anything."""
        return np.where(self.seen > 0, self.mean - near + self._low("mean"), 0.0)

    def _floats(self) -> tuple[Array, Array, Array]:
        """Mass, mean and scatter, where one of two records has no more."""
        return self.seen, self.mean, self.scatter

    def _twofold(self) -> tuple[Twofold, Twofold, Twofold]:
        """The same with all their digits."""
        seen, mean, scatter = (Twofold(vars(self)[part], self._low(part)) for part in ("seen", "mean", "scatter"))
        return seen, mean, scatter

    def _weight(self) -> Twofold:
        return Twofold(self.weight, self._low("weight"))

    def _low(self, name: str) -> Array:
        found = (self.fine or {}).get(f"{name}_low")
        return np.zeros_like(vars(self).get(name, self.seen)) if found is None else found

    def _doubt(self) -> Doubt:
        assert self.fine is not None
        if "doubt" not in self.fine:
            return Doubt.of(self.seen, self._twofold()[1], self.squares())
        total, sealed = (Twofold(self.fine[name], self._low(name)) for name in ("doubt", "seal"))
        return Doubt(total, sealed, self.fine["merging"])

    def _merging(self) -> Array:
        return (self.fine or {}).get("merging", np.zeros_like(self.seen))

    def _size(self, other: "Moments") -> Array:
        return np.abs(self.mean) + np.abs(other.mean)

    def _rounding(self, other: "Moments") -> Array:
        """What floats can leave of a sum of squares when rows are taken away."""  # (K, D)
        whole, error = self.squares(), np.sqrt(self.seen * noise(self._size(other)))  # of a deviation, then squared
        return np.asarray(64 * EPSILON * whole + error**2 + 2 * error * np.sqrt(whole))

    def _cleared(self, whole: "Moments", rounding: Array) -> "Moments":
        """The scatter left by a subtraction: 0 where it may all be rounding, an error where it is truly negative."""
        squares, gone = self.squares(), self.seen == 0
        bound = 1e-9 * whole.squares() + rounding
        if np.any(squares < -bound) or np.any(gone & (squares > bound)):
            raise NotInSummaryError(NOT_THERE)
        gone |= squares <= rounding
        if not gone.any():
            return self
        gone = gone[:, :, None] | gone[:, None, :] if self.crosswise else gone
        return self._each(lambda name, part: np.where(gone, 0.0, part) if name.startswith("scatter") else part)

    def digits(self) -> Array:
        """How many digits the sums of squares have left, where rows have been taken away."""  # (K, D)
        if self.fine is None or "doubt" not in self.fine:
            return np.full(self.seen.shape, np.inf)
        left = ratio(self.squares(), self._doubt().bound(), np.inf)
        constant = (left == 0) & self._constant()
        return np.where((self.seen > 0) & ~constant, np.log10(np.maximum(left, 1.0)), np.inf)

    def _constant(self) -> NDArray[np.bool_]:
        """Whether columns of which no variation is left need not have had any: where nothing behind them varied, or
        rounding is small beside the cells, or the cells are 0 up to a rounding that is small beside other components.
        """
        doubtful, size = self.doubtful(), np.abs(self.mean)
        small = (self.spread() == 0) | (doubtful < 1e-4 * np.sqrt(self.spread()))
        constant = ~self._doubt().varied() | (doubtful < 1e-4 * size) | ((size < 2.0**-24 * doubtful) & small)
        return np.asarray(constant)

    def doubtful(self) -> Array:
        """The largest standard deviation that rounding can stand for."""  # (K, D)
        return np.sqrt(ratio(self._doubt().bound(), self.seen))

    def alike(self, other: "Moments", tolerance: float) -> bool:
        """Whether masses agree, and means and scatters in standard deviations of each component and column."""
        squares = np.maximum(self.squares(), other.squares())
        sd, size = np.sqrt(ratio(squares, self.seen)), np.maximum(np.abs(self.mean), np.abs(other.mean))
        off = (self.mean - other.mean) + (self._low("mean") - other._low("mean"))
        rounding = 8 * EPSILON * size + np.sqrt(ratio(self._merging() + other._merging(), self.seen))
        room = tolerance * squares + self.seen * rounding**2  # of a single row, rounding is all the scatter there is
        root = np.sqrt(room)
        rooms = root[:, :, None] * root[:, None, :] if self.crosswise else room
        return (
            all(close(a, b, tolerance) for a, b in ((self.weight, other.weight), (self.seen, other.seen)))
            and bool(np.all(np.abs(off) <= tolerance * sd + rounding))
            and bool(np.all(np.abs(self.scatter - other.scatter) <= rooms))
        )

    def onto(self, components: Codes, size: int) -> "Moments":
        return self._each(lambda _, part: placed(part, components, size))

    def only(self, components: Codes) -> "Moments":
        return self._each(lambda _, part: part[components])

    def take(self, columns: Sequence[int]) -> "Moments":
        chosen = list(columns)
        return self._by_column(lambda part: part[:, chosen], lambda part: part[:, chosen][:, :, chosen])

    def arrays(self) -> dict[str, Array]:
        plain = {"weight": self.weight, "seen": self.seen, "mean": self.mean, "scatter": self.scatter}
        return {**plain, **(self.fine or {}), **(self.rows.arrays(self.seen) if self.rows else {})}

    def _every_array(self) -> dict[str, Array]:
        """Those that a record just collected leaves to be understood, too."""
        return _exactly(self._weight(), *self._twofold(), self._doubt(), None).arrays()

    def _each(self, change: Callable[[str, Array], Array]) -> "Moments":
        made = _from({name: change(name, array) for name, array in self.arrays().items()})
        return made if self.fine is not None else made.plain()

    def _by_column(
        self, columns: Callable[[Array], Array], matrix: Callable[[Array], Array] | None = None
    ) -> "Moments":
        """With other columns; a scatter matrix has them twice."""
        change: dict[int, Callable[[Array], Array]] = {1: np.asarray, 2: columns, 3: matrix or columns}
        return self._each(lambda _, part: change[part.ndim](part))

    @classmethod
    def restored(cls, arrays: Mapping[str, Array], components: int, columns: int, crosswise: bool) -> "Moments":
        """From `arrays`, refusing what cannot be moments."""
        wide = (components, columns)
        scatter = (*wide, columns) if crosswise else wide
        shapes = {"weight": (components,), "seen": wide, "mean": wide, "scatter": scatter}
        others = {"weight_low": (components,), "scatter_low": scatter, "rows": (components,)}
        shapes |= {name: others.get(name, wide) for name in (*FINE, "rows", BEHIND) if name in arrays}
        parts = checked(arrays, shapes)
        moments = _from(parts)
        masses = moments.weight, moments.seen, moments.squares()
        if not moments._symmetric() or any((part < 0).any() for part in masses):
            raise FileError("The file holds negative weights, or impossible scatters.")
        if (moments.seen > moments.weight[:, None] * (1 + 1e-9)).any():
            raise FileError("The file counts more rows for a column than there are.")
        return moments

    def _symmetric(self) -> bool:
        """But for rounding, which EM over missing cells leaves in it."""
        if not self.crosswise:
            return True
        size = np.sqrt(np.abs(self.squares()))
        off = np.abs(self.scatter - np.swapaxes(self.scatter, 1, 2))
        return bool((off <= ASYMMETRY * size[:, :, None] * size[:, None, :]).all())

    def records(self, names: Names) -> Records:
        """A record is a column."""
        return Records.counted(list(names), self.rows, len(self.weight))

    def without(self, few: Mask) -> "Moments":
        """As if some cells were missing. Low parts go with them: what was dropped never comes off again."""
        across = few[:, :, None] | few[:, None, :] if self.crosswise else few
        seen, mean = np.where(few, 0.0, self.seen), np.where(few, 0.0, self.mean)
        rows = self.rows and self.rows.outside(few, self.weight, seen)
        return Moments(self.weight, seen, mean, np.where(across, 0.0, self.scatter), {}, rows)

    def complete(self) -> "Moments":
        return self

    def plain(self) -> "Moments":
        """The high parts alone, for models, which take no rows away: to add them takes a sixth of the time."""
        return self if self.fine is None and self.rows is None else replace(self, fine=None, rows=None)

    def among(self, mass: Mass) -> "Moments":
        """The same of rows of which these columns may all be missing."""
        low = mass.sums["weight"].low
        fine = None if self.fine is None else {**self.fine, "weight_low": low}
        rows = None if self.rows is None or mass.rows is None else Rows(mass.rows, self.rows.behind)
        return replace(self, weight=mass.weight, fine=fine, rows=rows)

    def never_together(self) -> tuple[int, int] | None:
        """Columns by themselves need not be seen together."""
        return None

    def alone(self) -> "Moments":
        """What the rows say about each column by itself."""
        return self._by_column(np.asarray, _diagonal) if self.crosswise else self

    def spread_over(self, positions: Codes, columns: int) -> "Moments":
        """The columns by themselves at `positions` of more columns, of which nothing is known."""
        return self.alone()._by_column(lambda part: placed(part, positions, columns, axis=1))

    def covariances(self, less: int) -> Array:
        """NaN between columns that are kept each by itself."""
        if self.crosswise:
            return divided(self.scatter, self.seen[:, :1, None], less)
        out = np.full((*self.mean.shape, self.mean.shape[1]), np.nan)
        diagonal = np.arange(self.mean.shape[1])
        out[:, diagonal, diagonal] = divided(self.scatter, self.seen, less)
        return out

    def squares(self) -> Array:
        """The scatter of each column by itself."""  # (K, D)
        return _diagonal(self.scatter)

    def pooled(self, models: int = 1) -> tuple[Array, Array, Array]:
        """Of each column: mean, variance, and variance within components (all of it, if it varies only between).

        Each (M, D): components may belong to several models side by side.
        """
        mass, mean, within, between = self.apart(models)
        total, within = ratio(within + between, mass), ratio(within, mass)
        return mean, total, np.where(within > self.noise(models) + noise(np.sqrt(total)), within, total)

    def still(self) -> NDArray[np.bool_]:
        """Which columns never vary: cells that differ at all differ by more."""  # (D,)
        return self._still

    @lazy
    def _still(self) -> NDArray[np.bool_]:
        rounding = 2.0**-60 * np.abs(self.mean)
        return np.asarray(np.sqrt(self.spread()) <= rounding.max(axis=0, initial=0.0))

    def drowned(self) -> NDArray[np.bool_]:
        """Which columns may vary or not: rows that were taken away have left no digit of their spread."""  # (D,)
        if self.fine is None or "doubt" not in self.fine:  # no rows have been taken away
            return np.zeros(self.mean.shape[1], dtype=bool)
        doubt = self.doubtful().max(axis=0, initial=0.0)
        return np.asarray(~self.still() & (np.sqrt(self.spread()) <= doubt))

    def blurred(self) -> NDArray[np.bool_]:
        """Which columns lie too far from 0 for their spread."""  # (D,)
        size, spread = np.abs(self.mean), np.sqrt(self.spread())
        far = np.asarray(spread <= BLUR * size.max(axis=0, initial=0.0))
        if not far.any():
            return far
        known = ~self.still() & ~self.drowned()
        return np.asarray(far & known & (spread <= BLUR * np.where(self.seen > 0, size, np.inf).min(axis=0)))

    def spread(self) -> Array:
        """The variance of each column over all components."""  # (D,)
        return self._spread

    @lazy
    def _spread(self) -> Array:
        [mass], _, [within], [between] = self._together
        return ratio(within + between, mass)

    def apart(self, models: int) -> tuple[Array, Array, Array, Array]:
        """Mass and mean of each column, and its scatter within and between components."""  # (M, D)
        return self._together if models == 1 else self._apart(models)

    @lazy
    def _together(self) -> tuple[Array, Array, Array, Array]:
        return self._apart(1)

    def _apart(self, models: int) -> tuple[Array, Array, Array, Array]:
        seen, means = (side_by_side(part, models) for part in (self.seen, self.mean))  # (M, K, D)
        near = _of_rows(means, seen)  # so that means far from 0 are told apart
        mass, off = seen.sum(axis=1), means - near
        middle = ratio((seen * off).sum(axis=1), mass)
        within = side_by_side(self.squares(), models).sum(axis=1)
        return mass, near[:, 0] + middle, within, (seen * (off - middle[:, None]) ** 2).sum(axis=1)

    def noise(self, models: int = 1) -> Array:
        """The variance that rounding alone can give to each column."""  # (M, D)
        return noise(side_by_side(np.abs(self.mean), models).max(axis=1, initial=0.0))

    @lazy
    def whitening(self) -> Whitening | None:
        """Coordinates in which columns modelled together have covariance 1 in the first component, if they can."""
        return Whitening.of_regular(self.mean[0], self.scatter[0] / self.weight[0])

    def kept(self, whole: "Moments") -> Array:
        """The least share of a column's scatter that is left of the whole."""  # (K,)
        return np.asarray(ratio(self.squares(), whole.squares(), 1.0).min(axis=1, initial=1.0))


def of_rows(statistics: Statistics, rows: Rows | None) -> Moments:
    """Moments of columns by themselves, with the numbers of rows behind them."""
    assert isinstance(statistics, Moments)  # as those of columns by themselves are
    return replace(statistics, rows=rows)


def spread_over(statistics: Statistics, positions: Codes, columns: int) -> Moments:
    """Moments of columns by themselves, at `positions` of more columns."""
    assert isinstance(statistics, Moments)  # there is no other record of a number by itself
    return statistics.spread_over(positions, columns)


def divided(scatter: Array, seen: Array, less: int) -> Array:
    """Scatter over mass; no covariance where no mass is left."""
    mass = np.broadcast_to(np.maximum(seen - less, 0.0), scatter.shape)
    return ratio(np.asarray(scatter, dtype=float), mass, np.nan)


def _of_rows(means: Array, seen: Array) -> Array:
    """The mean of one component that has rows, for each column."""  # (M, 1, D)
    if seen[:, 0].all():
        return means[:, :1]
    return np.take_along_axis(means, seen.argmax(axis=1)[:, None], axis=1)


def total(records: Sequence[Moments]) -> Moments:
    """The sum of many records, in pairs side by side."""
    size, count, whole = len(records[0].weight), len(records), _beside(records)
    while count > 1:
        half = count // 2
        first, second, odd = np.split(np.arange(count * size), [half * size, 2 * half * size])
        whole, count = _beside([whole.only(first) + whole.only(second), whole.only(odd)]), count - half
    return whole


def _beside(records: Sequence[Moments]) -> Moments:
    """The components of all."""
    plain = any(record.fine is None for record in records)
    parts = [record.plain().arrays() if plain else record._every_array() for record in records]
    joined = _from({name: np.concatenate([part[name] for part in parts]) for name in parts[0]})
    rows = [record.rows for record in records if record.rows]
    if plain or len(rows) < len(records):
        return joined.plain() if plain else joined
    of, behind = (np.concatenate(some) for some in ([r.of for r in rows], [r.behind for r in rows]))
    return replace(joined, rows=Rows(of, behind))


def blur(mean: Array) -> Array:
    """The variance up to which the rounding of a mean is a thousandth of a standard deviation, or more."""
    return (BLUR * mean) ** 2


def noise(mean: Array) -> Array:
    """The mean square that rounding alone can give to cells of this size."""
    return (8 * EPSILON * mean) ** 2


def _from(arrays: Mapping[str, Array]) -> Moments:
    fine = {name: array for name, array in arrays.items() if name in FINE}
    rows = Rows.restored(arrays, arrays["seen"])
    return Moments(arrays["weight"], arrays["seen"], arrays["mean"], arrays["scatter"], fine, rows)


def _exactly(
    weight: Twofold, seen: Twofold, mean: Twofold, scatter: Twofold, doubt: Doubt, rows: Rows | None
) -> Moments:
    total, sealed = doubt.total, doubt.sealed
    fine = (weight.low, seen.low, mean.low, scatter.low, total.high, total.low, sealed.high, sealed.low, doubt.merging)
    shared = rows and rows.sharing(weight.high, seen.high)
    return Moments(weight.high, seen.high, mean.high, scatter.high, dict(zip(FINE, fine, strict=True)), shared)


def _diagonal(scatter: Array) -> Array:
    return scatter if scatter.ndim == 2 else np.diagonal(scatter, axis1=1, axis2=2)
