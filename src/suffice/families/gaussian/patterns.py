"""Moments of columns modelled together, one record for each pattern of missing cells: exact, and still additive.

In:  rows of a block (N, D), NaN where missing.
Out: PatternMoments. Complete rows are one pattern, and everything is closed form. With cells missing, `expected` fills
     in what a density expects of them (the E step), from these records alone: EM on patterns is EM on the rows.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from operator import add

import numpy as np
from numpy.typing import NDArray

from suffice.arrays import Array, Codes, close
from suffice.errors import FileError, HiddenCellsError, NotInSummaryError, ParameterError
from suffice.families.capabilities import Numeric, Patterned
from suffice.families.counts import checked
from suffice.families.gaussian.distances import patterns
from suffice.families.gaussian.missing_cells import MissingCells, Regressing
from suffice.families.gaussian.moments import Moments, divided, total
from suffice.families.mass import MASS, Mass
from suffice.families.memberships import Memberships
from suffice.families.protocol import Names, Parametric, emptied
from suffice.families.records import Records
from suffice.families.rows import Rows
from suffice.families.sums import Mask
from suffice.lazy import lazy

MOST_PATTERNS = 1000

Pattern = tuple[int, ...]  # the columns that are there


@dataclass(frozen=True, eq=False)
class PatternMoments(Numeric, Patterned):
    weight: Array  # (K,) mass of all rows, those with no cell at all included
    columns: int
    parts: Mapping[Pattern, Moments]  # each over the columns of its pattern
    counted: Mass | None = None  # the weight with the number of rows, if it is known

    @classmethod
    def of(cls, mass: Mass, columns: int, parts: Mapping[Pattern, Moments]) -> "PatternMoments":
        return cls(mass.weight, columns, parts, mass)

    @property
    def mass(self) -> Mass:
        """The weight of all rows, with their number."""
        return self.counted or Mass(self.weight)

    def __post_init__(self) -> None:
        if len(self.parts) > MOST_PATTERNS:
            raise ParameterError(
                f"Cells are missing in more than {MOST_PATTERNS} different patterns over {self.columns} columns "
                "modelled together. Model the columns by themselves (joint=False, or shape='diagonal'), or leave out "
                "those with the most missing cells."
            )
        ordered = {pattern: self.parts[pattern] for pattern in sorted(self.parts)}
        object.__setattr__(self, "parts", ordered)  # sums over them are the same bits, whichever rows came first

    def __add__(self, other: "PatternMoments") -> "PatternMoments":
        return self._with(other, add, self.mass + other.mass)

    def joined(self, other: "PatternMoments") -> "PatternMoments":
        return self._with(other, Moments.joined, self.mass.joined(other.mass))

    def _with(
        self, other: "PatternMoments", both: Callable[[Moments, Moments], Moments], mass: Mass
    ) -> "PatternMoments":
        parts = dict(self.parts)
        for pattern, moments in other.parts.items():
            parts[pattern] = both(parts[pattern], moments) if pattern in parts else moments
        return PatternMoments.of(mass, self.columns, parts)

    def __sub__(self, other: "PatternMoments") -> "PatternMoments":
        unknown = [
            pattern for pattern, moments in other.parts.items() if pattern not in self.parts and moments.weight.any()
        ]
        if unknown:
            raise NotInSummaryError(
                "These rows are not in this summary: no row in it has cells missing in the same places. "
                "Subtract only rows that were added before, with the same weights."
            )
        rest = {
            pattern: moments - other.parts[pattern] if pattern in other.parts else moments
            for pattern, moments in self.parts.items()
        }
        left = {pattern: moments for pattern, moments in rest.items() if moments.weight.any()}
        return PatternMoments.of(self.mass - other.mass, self.columns, left)

    def alike(self, other: "PatternMoments", tolerance: float) -> bool:
        return (
            self.parts.keys() == other.parts.keys()
            and close(self.weight, other.weight, tolerance)
            and all(moments.alike(other.parts[pattern], tolerance) for pattern, moments in self.parts.items())
        )

    def onto(self, components: Codes, size: int) -> "PatternMoments":
        parts = {pattern: moments.onto(components, size) for pattern, moments in self.parts.items()}
        return PatternMoments.of(self.mass.onto(components, size), self.columns, parts)

    def only(self, components: Codes) -> "PatternMoments":
        parts = {pattern: moments.only(components) for pattern, moments in self.parts.items()}
        left = {pattern: moments for pattern, moments in parts.items() if moments.weight.any()}
        return PatternMoments.of(self.mass.only(components), self.columns, left)

    def plain(self) -> "PatternMoments":
        parts = {pattern: moments.plain() for pattern, moments in self.parts.items()}
        return PatternMoments(self.weight, self.columns, parts)

    def take(self, columns: Sequence[int]) -> "PatternMoments":
        """What the rows say about some of the columns; patterns that differ elsewhere become one."""
        position = {column: i for i, column in enumerate(columns)}
        pieces = (_restricted(pattern, moments, position) for pattern, moments in self.parts.items())
        return PatternMoments(self.weight, len(columns), _merged(piece for piece in pieces if piece), self.counted)

    def arrays(self) -> dict[str, Array]:
        """The arrays of each part, named after the columns of its pattern: "0,2/mean"."""
        named = ((",".join(map(str, pattern)), moments) for pattern, moments in self.parts.items())
        parts = {f"{pattern}/{name}": array for pattern, m in named for name, array in m.arrays().items()}
        return {**self.mass.arrays(), **parts}

    @classmethod
    def restored(cls, arrays: Mapping[str, Array], components: int, columns: int) -> "PatternMoments":
        """From `arrays`, refusing what cannot be moments by pattern."""
        whole = {name: arrays[name] for name in MASS if name in arrays}
        mass = Mass.restored(checked(whole, dict.fromkeys(("weight", *whole), (components,))))
        grouped: dict[Pattern, dict[str, Array]] = {}
        for name, array in arrays.items():
            if name not in whole:
                where, part = name.split("/")
                grouped.setdefault(tuple(map(int, where.split(","))), {})[part] = array
        if any(list(pattern) != sorted(set(pattern) & set(range(columns))) for pattern in grouped):
            raise FileError("The file holds an impossible pattern of columns.")
        parts = {p: Moments.restored(some, components, len(p), crosswise=True) for p, some in grouped.items()}
        if any((sum(m.weight[k] for m in parts.values()) > w * (1 + 1e-9)) for k, w in enumerate(mass.weight)):
            raise FileError("The file holds patterns with more rows than there are.")
        return cls.of(mass, columns, parts)

    def records(self, names: Names) -> Records:
        """A record is a pattern."""
        titles = [_titled(pattern, names) for pattern in self.parts]
        rows = [part.records(names).rows[:, 0] for part in self.parts.values()]
        return Records(titles, np.stack(rows, axis=1) if rows else np.zeros((len(self.weight), 0)))

    def without(self, few: Mask) -> "PatternMoments":
        """As if the rows of some patterns had no cells."""
        parts = zip(self.parts.items(), few.T, strict=True)
        kept = {pattern: emptied(moments, gone) for (pattern, moments), gone in parts}
        return replace(self, parts={pattern: moments for pattern, moments in kept.items() if moments.weight.any()})

    @property
    def hidden(self) -> bool:
        """Whether cells are missing, so that densities need EM."""
        return any(len(pattern) < self.columns for pattern in self.parts)

    def complete(self) -> Moments:
        """The one record of rows without missing cells."""
        if self.hidden:
            raise HiddenCellsError("Cells are missing among columns modelled together, so there is no closed form.")
        every = tuple(range(self.columns))
        return self.parts.get(every) or self._zero(crosswise=True)

    def alone(self) -> Moments:
        """What the rows say about each column by itself."""
        return self._alone

    @lazy
    def _alone(self) -> Moments:
        if len(self.parts) == 1 and not self.hidden:
            return self.complete().alone().among(self.mass)
        spread = [m.spread_over(np.array(pattern, dtype=np.intp), self.columns) for pattern, m in self.parts.items()]
        return (total(spread) if spread else self._zero(crosswise=False)).among(self.mass)

    def patterns_of(self, columns: Sequence[int]) -> list[Pattern]:
        return list(self.take(columns).parts)

    def covariances(self, less: int) -> Array:
        """Each over the rows that have both cells."""
        if not self.hidden:
            return self.complete().covariances(less)
        out = self.alone().covariances(less)
        for i, j in combinations(range(self.columns), 2):
            both = self.take([i, j]).parts.get((0, 1))
            if both is not None:
                out[:, i, j] = out[:, j, i] = divided(both.scatter[:, 0, 1], both.seen[:, 0], less)
        return out

    def digits(self) -> Array:
        return self.alone().digits()

    def doubtful(self) -> Array:
        return self.alone().doubtful()

    def pooled(self, models: int = 1) -> tuple[Array, Array, Array]:
        return self.alone().pooled(models)

    def spread(self) -> Array:
        return self.alone().spread()

    def still(self) -> NDArray[np.bool_]:
        return self.alone().still()

    def drowned(self) -> NDArray[np.bool_]:
        return self.alone().drowned()

    def blurred(self) -> NDArray[np.bool_]:
        return self.alone().blurred()

    def noise(self, models: int = 1) -> Array:
        return self.alone().noise(models)

    def expected(self, density: Parametric["PatternMoments"]) -> Moments:
        """The moments of the rows with each missing cell as the density expects it, given the cells that are there."""
        assert isinstance(density, Regressing)  # there is no other with known parameters
        return total([cells.filled(moments) for cells, moments in self._cells(density)])

    def filled(self, density: Parametric["PatternMoments"]) -> "PatternMoments":
        """The same as moments by pattern, of which there is one."""
        return replace(self, parts={tuple(range(self.columns)): self.expected(density)})

    def never_together(self) -> tuple[int, int] | None:
        """Two columns that no row has both of, so that their covariance is not determined."""
        together = np.zeros((self.columns, self.columns))
        for pattern, moments in self.parts.items():
            together[np.ix_(pattern, pattern)] += moments.weight.sum()
        apart = np.argwhere(together == 0)
        return (int(apart[0, 0]), int(apart[0, 1])) if len(apart) else None

    def log_likelihood(self, density: Parametric["PatternMoments"]) -> float:
        """Ln p of all observed cells, from the records alone."""
        assert isinstance(density, Regressing)  # there is no other with known parameters
        return float(sum(cells.log_likelihood(moments) for cells, moments in self._cells(density)))

    def entropy(self, density: Parametric["PatternMoments"]) -> float:
        """Of the missing cells, given those that are there."""
        assert isinstance(density, Regressing)  # there is no other with known parameters
        return float(sum(moments.weight @ cells.entropy() for cells, moments in self._cells(density)))

    def _cells(self, density: Regressing) -> Iterator[tuple[MissingCells, Moments]]:
        """What the density says of each pattern, and the rows that have it."""
        return ((MissingCells.of(pattern, density), moments) for pattern, moments in self.parts.items())

    def _zero(self, crosswise: bool) -> Moments:
        k, d = len(self.weight), self.columns
        zero = np.zeros((k, d))
        scatter = np.zeros((k, d, d) if crosswise else (k, d))
        return Moments(np.zeros(k), zero, zero, scatter, {}, Rows(np.zeros(k), zero))


def _titled(pattern: Pattern, names: Names) -> str:
    there = ", ".join(str(names[j]) for j in pattern)
    return there if len(pattern) == len(names) else f"{there} (the others missing)"


AnyMoments = Moments | PatternMoments


def pattern_moments(x: Array, memberships: Memberships) -> PatternMoments:
    """As if no cell were missing; if one is, a sum says so, and the rows are told apart by their patterns."""
    x = np.ascontiguousarray(x)
    whole = _together(x, memberships)
    if np.isnan(whole.mean).any():
        return _by_pattern(x, memberships)
    parts = {tuple(range(x.shape[1])): whole} if len(x) else {}
    return PatternMoments.of(Mass.within(memberships), x.shape[1], parts)


def _by_pattern(x: Array, memberships: Memberships) -> PatternMoments:
    parts: dict[Pattern, Moments] = {}
    for rows, observed in patterns(~np.isnan(x)):
        some, belonging = (x, memberships) if isinstance(rows, slice) else (x[rows][:, observed], memberships[rows])
        parts[tuple(observed.tolist())] = _together(some, belonging)
    return PatternMoments.of(Mass.within(memberships), x.shape[1], parts)


def _together(x: Array, memberships: Memberships) -> Moments:
    """No cell is missing."""
    sums, counted = memberships.crosswise(x), memberships.counted
    if counted is None:
        return Moments.of(memberships.weight, sums)
    behind = sums[0] if counted is memberships else np.repeat(counted.weight[:, None], x.shape[1], axis=1)
    return Moments.of(memberships.weight, sums, Rows(counted.weight, behind))


def _merged(pieces: Iterable[tuple[Pattern, Moments]]) -> dict[Pattern, Moments]:
    out: dict[Pattern, Moments] = {}
    for pattern, moments in pieces:
        out[pattern] = out[pattern] + moments if pattern in out else moments
    return out


def _restricted(pattern: Pattern, moments: Moments, position: Mapping[int, int]) -> tuple[Pattern, Moments] | None:
    kept = sorted((position[column], i) for i, column in enumerate(pattern) if column in position)
    if not kept:
        return None
    return tuple(new for new, _ in kept), moments.take([i for _, i in kept])
