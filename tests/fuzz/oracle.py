"""Naive Bayes and Gaussian discriminants straight from the textbook, written without a line of the library.

In:  plain rows: cells as numbers, text, booleans or None, a label and a weight for each.
Out: ln p(row, class), posteriors, and both for every row by a model that was fitted without it. Sums, means, variances,
     determinants and distances are exact fractions; only logarithms round.

It knows the estimates "ml" (variances divide by N) and "unbiased" (by N − 1, or N − K where classes share one), with
smoothing λ in every table of counts, and class priors as in the rows, even, smoothed or given. What the rows do not
determine (no variance, nothing to divide by) is `UndeterminedError`. A column that never varies says nothing. A class
without cells in a column of categories has them even, where λ = 0.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import comb, exp, fsum, inf, lgamma, log, pi
from typing import Any

Exact = Fraction
LOG_2PI = log(2 * pi)


class UndeterminedError(Exception):
    """These rows do not say what the parameters are."""


@dataclass(frozen=True)
class Column:
    """What is modelled: one column, or several modelled together ("joint", "counts")."""

    kind: str
    names: tuple[str, ...]
    trials: int = 1  # binomial
    declared: tuple[Any, ...] = ()  # categorical: levels that there are, met or not


@dataclass(frozen=True)
class Rows:
    cells: tuple[dict[str, Any], ...]
    labels: tuple[Any, ...]
    weights: tuple[Exact, ...]

    @classmethod
    def of(cls, cells: Sequence[dict[str, Any]], labels: Sequence[Any], weights: Sequence[float]) -> "Rows":
        """Weight 0 is the row absent."""
        there = [(c, k, Exact(w)) for c, k, w in zip(cells, labels, weights, strict=True) if w]
        return cls(*(tuple(part) for part in zip(*there, strict=True))) if there else cls((), (), ())

    def without(self, row: int) -> "Rows":
        return Rows(*(part[:row] + part[row + 1 :] for part in (self.cells, self.labels, self.weights)))

    def of_class(self, name: Any) -> "Rows":
        mine = [i for i, label in enumerate(self.labels) if label == name]
        return Rows(*(tuple(part[i] for i in mine) for part in (self.cells, self.labels, self.weights)))

    def observed(self, name: str) -> list[tuple[Any, Exact]]:
        """The cells of a column that are there, with their weights."""
        pairs = zip((cells[name] for cells in self.cells), self.weights, strict=True)
        return [(cell, weight) for cell, weight in pairs if cell is not None]

    @property
    def mass(self) -> Exact:
        return sum(self.weights, Exact(0))


@dataclass(frozen=True)
class Settings:
    columns: tuple[Column, ...]
    estimate: str = "ml"
    smoothing: float = 1.0
    priors: Any = None  # None, "uniform", "smoothed" or {class: probability}
    unseen: str = "prior"
    shape: str = "full"  # of columns modelled together
    shared: bool = False

    @property
    def spent(self) -> int:
        """What each mean takes off the divisor of a variance."""
        return int(self.estimate == "unbiased")

    @property
    def added(self) -> Exact:
        return Exact(self.smoothing)


@dataclass(frozen=True)
class Frame:
    """What stays when single rows leave: the classes, the levels, and the columns that are not all 0."""

    classes: tuple[Any, ...]
    levels: dict[str, tuple[Any, ...]]
    rated: frozenset[str]


@dataclass(frozen=True)
class Fitted:
    classes: tuple[Any, ...]
    prevalence: tuple[float, ...]
    factors: list[Any] = field(default_factory=list)  # each: (cells of a row, class) → ln p

    def log_joint(self, cells: dict[str, Any]) -> list[float]:
        return [
            -inf if share == 0 else fsum_of_logs([log(share), *(factor(cells, k) for factor in self.factors)])
            for k, share in zip(self.classes, self.prevalence, strict=True)
        ]

    def posterior(self, cells: dict[str, Any]) -> list[float]:
        return posterior(self.log_joint(cells), self.prevalence)


def posterior(log_joint: Sequence[float], prevalence: Sequence[float]) -> list[float]:
    """A row that no class can have produced says nothing: it keeps the prevalence."""
    largest = max(log_joint)
    if largest == -inf:
        return list(prevalence)
    shares = [exp(value - largest) for value in log_joint]
    return [share / fsum(shares) for share in shares]


def fsum_of_logs(values: Sequence[float]) -> float:
    return -inf if -inf in values else fsum(values)


def fit(rows: Rows, settings: Settings, frame: Frame | None = None, classes: Sequence[Any] = ()) -> Fitted:
    frame = frame or frame_of(rows, settings, classes)
    mass = {k: rows.of_class(k).mass for k in frame.classes}
    present = tuple(k for k in frame.classes if mass[k] > 0)
    columns = [_varying(column, rows, frame) for column in settings.columns]
    factors = [FACTORS[c.kind](rows, c, settings, frame, present) for c in columns if c is not None]
    shares = prevalence(mass, settings)
    return Fitted(frame.classes, tuple(shares[k] for k in frame.classes), factors)


def frame_of(rows: Rows, settings: Settings, classes: Sequence[Any] = ()) -> Frame:
    levels = {
        column.names[0]: tuple(sorted(_met(rows, column.names[0]) | set(column.declared)))
        for column in settings.columns
        if column.kind == "categorical"
    }
    rated = frozenset(name for column in settings.columns for name in column.names if any(_met(rows, name)))
    return Frame(tuple(sorted({*rows.labels, *classes})), levels, rated)


def _met(rows: Rows, name: str) -> set[Any]:
    return {cell for cell, _ in rows.observed(name)}


def _varying(column: Column, rows: Rows, frame: Frame) -> Column | None:
    """The column, without what never varies in it; None where nothing is left."""
    if column.kind == "categorical":
        return column if len(frame.levels[column.names[0]]) > 1 else None
    if column.kind in ("gaussian", "log-gaussian", "joint"):
        names = tuple(name for name in column.names if len(_met(rows, name)) > 1)
        return replace(column, names=names) if names else None
    if column.kind in ("poisson", "exponential"):  # all 0, or all missing: no rate is known
        return column if column.names[0] in frame.rated else None
    return column


def prevalence(mass: dict[Any, Exact], settings: Settings) -> dict[Any, float]:
    """A class of which nothing is left is impossible, whatever was declared."""
    given = settings.priors
    if isinstance(given, dict):
        return given
    amounts = {None: mass, "uniform": dict.fromkeys(mass, Exact(1))}
    if given == "smoothed":
        amounts["smoothed"] = {k: mass[k] + settings.added for k in mass}
    whole = sum(amounts[given].values(), Exact(0))
    if not whole:
        raise UndeterminedError("no rows")
    return {k: float(amount / whole) for k, amount in amounts[given].items()}


def leave_one_out(rows: Rows, settings: Settings) -> list[tuple[list[float], Fitted]]:
    """The posterior of each row by refitting without it. A class that loses its last row is impossible."""
    frame = frame_of(rows, settings)
    fit(rows, settings, frame)
    out = []
    for row, cells in enumerate(rows.cells):
        fitted = fit(rows.without(row), settings, frame)
        out.append((fitted.posterior(cells), fitted))
    return out


# The factors: (cells of a row, class) → ln p(cells | class)


def categorical(rows: Rows, column: Column, settings: Settings, frame: Frame, classes: Sequence[Any]) -> Any:
    [name], added = column.names, settings.added
    levels = frame.levels[name]
    counts = {k: _tally(rows.of_class(k).observed(name), levels) for k in classes}

    def log_probability(cells: dict[str, Any], k: Any) -> float:
        cell, known = cells[name], counts[k]
        seen = sum(known.values(), Exact(0))
        if cell is None or (cell not in levels and (settings.unseen == "ignore" or not added)):
            return 0.0
        if cell not in levels:
            return _log(added / (seen + (len(levels) + 1) * added))
        whole = seen + len(levels) * added
        return _log((known[cell] + added) / whole) if whole else -log(len(levels))

    return log_probability


def _tally(cells: Sequence[tuple[Any, Exact]], levels: Sequence[Any]) -> dict[Any, Exact]:
    counts = dict.fromkeys(levels, Exact(0))
    for cell, weight in cells:
        counts[cell] += weight
    return counts


def binomial(rows: Rows, column: Column, settings: Settings, frame: Frame, classes: Sequence[Any]) -> Any:
    [name], n, added = column.names, column.trials, settings.added
    observed = {k: rows.of_class(k).observed(name) for k in classes}
    hits = {k: sum((Exact(cell) * weight for cell, weight in observed[k]), Exact(0)) for k in classes}
    tries = {k: sum((n * weight for _, weight in observed[k]), Exact(0)) for k in classes}

    def log_probability(cells: dict[str, Any], k: Any) -> float:
        if cells[name] is None:
            return 0.0
        x, whole = int(cells[name]), tries[k] + 2 * added
        p = (hits[k] + added) / whole if whole else Exact(1, 2)
        return log(comb(n, x)) + _times_log(x, p) + _times_log(n - x, 1 - p)

    return log_probability


def counts(rows: Rows, column: Column, settings: Settings, frame: Frame, classes: Sequence[Any]) -> Any:
    """One multinomial row over several columns."""
    names, added = column.names, settings.added
    sums = {
        k: {name: sum((Exact(cell) * w for cell, w in rows.of_class(k).observed(name)), Exact(0)) for name in names}
        for k in classes
    }

    def log_probability(cells: dict[str, Any], k: Any) -> float:
        whole = sum(sums[k].values(), Exact(0)) + len(names) * added
        chances = {name: (sums[k][name] + added) / whole if whole else Exact(1, len(names)) for name in names}
        ways = lgamma(1 + sum(cells[name] for name in names)) - fsum(lgamma(1 + cells[name]) for name in names)
        return fsum_of_logs([ways, *(_times_log(cells[name], chances[name]) for name in names)])

    return log_probability


def poisson(rows: Rows, column: Column, settings: Settings, frame: Frame, classes: Sequence[Any]) -> Any:
    [name] = column.names
    rates = {k: _mean(rows.of_class(k).observed(name)) for k in classes}

    def log_probability(cells: dict[str, Any], k: Any) -> float:
        x = cells[name]
        return 0.0 if x is None else _times_log(x, rates[k]) - float(rates[k]) - lgamma(x + 1)

    return log_probability


def exponential(rows: Rows, column: Column, settings: Settings, frame: Frame, classes: Sequence[Any]) -> Any:
    [name] = column.names
    means = {k: _mean(rows.of_class(k).observed(name)) for k in classes}
    if not all(means.values()):
        raise UndeterminedError(f"{name} waits for nothing")

    def log_density(cells: dict[str, Any], k: Any) -> float:
        x = cells[name]
        return 0.0 if x is None else -_log(means[k]) - float(Exact(x) / means[k])

    return log_density


def log_gaussian(rows: Rows, column: Column, settings: Settings, frame: Frame, classes: Sequence[Any]) -> Any:
    """Gaussian after ln: the density of x itself loses ln x."""
    [name] = column.names
    taken = tuple({name: None if cells[name] is None else log(cells[name])} for cells in rows.cells)
    of_logs = gaussian(replace(rows, cells=taken), column, settings, frame, classes)

    def log_density(cells: dict[str, Any], k: Any) -> float:
        x = cells[name]
        return 0.0 if x is None else of_logs({name: log(x)}, k) - log(x)

    return log_density


def gaussian(rows: Rows, column: Column, settings: Settings, frame: Frame, classes: Sequence[Any]) -> Any:
    """One column by itself, with a variance for each class."""
    return joint(rows, column, replace(settings, shape="diagonal", shared=False), frame, classes)


def joint(rows: Rows, column: Column, settings: Settings, frame: Frame, classes: Sequence[Any]) -> Any:
    """Columns in one Gaussian. Missing cells only where the shape has no covariances."""
    names = column.names
    means = {k: [_mean(rows.of_class(k).observed(name)) for name in names] for k in classes}
    covariance = _covariances(rows, names, settings, classes, means)

    def log_density(cells: dict[str, Any], k: Any) -> float:
        there = [j for j, name in enumerate(names) if cells[name] is not None]
        off = [Exact(cells[names[j]]) - means[k][j] for j in there]
        matrix = [[covariance[k][i][j] for j in there] for i in there]
        determinant, solved = _solved(matrix, off)
        distance = sum((a * b for a, b in zip(off, solved, strict=True)), Exact(0))
        return -(float(distance) + _log(determinant) + len(there) * LOG_2PI) / 2

    return log_density


FACTORS = {
    "categorical": categorical,
    "binomial": binomial,
    "counts": counts,
    "poisson": poisson,
    "exponential": exponential,
    "log-gaussian": log_gaussian,
    "gaussian": gaussian,
    "joint": joint,
}


def _covariances(rows: Rows, names: Sequence[str], settings: Settings, classes: Sequence[Any], means: Any) -> Any:
    """S / (N − what the means have taken), pooled over classes where they share it, over columns where spherical."""
    size, spent = range(len(names)), settings.spent
    scatter = {k: _scatter(rows.of_class(k), names, means[k]) for k in classes}
    seen = {k: [sum((w for _, w in rows.of_class(k).observed(name)), Exact(0)) for name in names] for k in classes}
    out = {}
    for k in classes:
        among = classes if settings.shared else [k]
        total = [[sum((scatter[c][i][j] for c in among), Exact(0)) for j in size] for i in size]
        mass = [sum((seen[c][j] - spent for c in among), Exact(0)) for j in size]
        if settings.shape == "spherical":
            variance = _over(sum((total[j][j] for j in size), Exact(0)), sum(mass, Exact(0)))
            out[k] = [[variance if i == j else Exact(0) for j in size] for i in size]
        else:
            full = settings.shape == "full"
            out[k] = [[_over(total[i][j], mass[j]) if full or i == j else Exact(0) for j in size] for i in size]
        if _solved(out[k], [Exact(0)] * len(names))[0] <= 0:
            raise UndeterminedError(f"no variance of {names} in {k}")
    return out


def _scatter(rows: Rows, names: Sequence[str], means: Sequence[Exact]) -> list[list[Exact]]:
    off = [[None if c[n] is None else Exact(c[n]) - m for n, m in zip(names, means, strict=True)] for c in rows.cells]
    pairs = [(d, w) for d, w in zip(off, rows.weights, strict=True)]
    return [
        [
            sum((w * d[i] * d[j] for d, w in pairs if d[i] is not None and d[j] is not None), Exact(0))
            for j in range(len(names))
        ]
        for i in range(len(names))
    ]


def _mean(cells: Sequence[tuple[Any, Exact]]) -> Exact:
    return _over(sum((Exact(x) * w for x, w in cells), Exact(0)), sum((w for _, w in cells), Exact(0)))


def _over(total: Exact, mass: Exact) -> Exact:
    if mass <= 0:
        raise UndeterminedError("nothing to divide by")
    return total / mass


def _solved(matrix: list[list[Exact]], right: list[Exact]) -> tuple[Exact, list[Exact]]:
    """The determinant of a covariance, and matrix⁻¹ right, by elimination; a determinant of 0 ends it."""
    rows, determinant = [[*row, value] for row, value in zip(matrix, right, strict=True)], Exact(1)
    for i in range(len(rows)):
        determinant *= rows[i][i]
        if not determinant:
            return Exact(0), []
        rows[i] = [value / rows[i][i] for value in rows[i]]
        for other in range(len(rows)):
            if other != i:
                factor = rows[other][i]
                rows[other] = [a - factor * b for a, b in zip(rows[other], rows[i], strict=True)]
    return determinant, [row[-1] for row in rows]


def _times_log(times: Any, value: Exact) -> float:
    return times * _log(value) if times else 0.0


def _log(value: Exact) -> float:
    return log(value.numerator) - log(value.denominator) if value else -inf
