"""Any family, of a block that is turned into another first: log-Gaussian columns are Gaussian ones of ln x.

In:  a block of the user's own cells, which a Transform maps, cell by cell, onto the block that the inner family models.
Out: statistics, beliefs and densities of the user's own cells. A density of x is that of z = f(x) times |dz/dx|, and
     the sum of ln |dx/dz| over rows is kept beside the inner statistics, so that likelihood and evidence follow too.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Generic

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, ndtr

from suffice.arrays import Array, Codes, close, placed
from suffice.errors import NoFormulaError
from suffice.families.charts import Chart, Span
from suffice.families.counts import checked
from suffice.families.gaussian.densities import GaussianDensity
from suffice.families.leave_one_out import LeftOut, Rule
from suffice.families.memberships import Memberships
from suffice.families.protocol import (
    Block,
    Density,
    Distribution,
    Embedding,
    Family,
    Names,
    Parametric,
    Prior,
    Recorded,
    S,
    Statistics,
    Tables,
    Terms,
    recorded,
)
from suffice.families.records import Records
from suffice.families.sums import Low, Mask, Sums, joined_low, restored_low
from suffice.formulas import Expression, Formula, Once, Pattern, added, if_there, ln

NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(64)  # a Gaussian as points with masses
STEPS = np.linspace(-40.0, 40.0, 801)
MASSES = (STEPS[1] - STEPS[0]) * expit(STEPS) * expit(-STEPS)  # a logistic distribution likewise
INSIDE = np.nextafter(0.0, 1.0), np.nextafter(1.0, 0.0)


@dataclass(frozen=True)
class Transform:
    """A map from the cells of a column onto the whole line, or onto other units; one to one."""

    title: str  # of what is modelled: "ln {}"
    into: Callable[[Array], Array]  # z = f(x)
    back: Callable[[Array], Array]
    log_slope: Callable[[Array], Array]  # ln |dx/dz| at z
    mean: Callable[[Array, Array], Array] | None = None  # of x, where z is Gaussian of this mean and variance
    formula: Callable[[Expression], tuple[Expression, Expression]] | None = None  # z and ln |dx/dz|, of x
    tells: bool = True  # whether Σ ln |dx/dz| tells more of the rows than the inner statistics

    def titles(self, names: Names) -> list[str]:
        return [self.title.format(name) for name in names]

    def volume(self, z: Array) -> Array:
        """Ln |dx/dz| of each cell, nothing for missing ones."""
        return np.where(np.isnan(z), 0.0, self.log_slope(z))


def _expit(z: Array) -> Array:
    """Never 0 or 1, which have no logit."""
    return np.asarray(np.clip(expit(z), *INSIDE))


def _mean_of_expit(mean: Array, variance: Array) -> Array:
    """E expit(z) = P(L < z) for a logistic L; whichever of the two is the narrower is laid out in points."""
    middle, sd = mean[..., None], np.sqrt(variance)[..., None]
    narrow = expit(middle + np.minimum(sd, 1.0) * NODES) @ WEIGHTS / WEIGHTS.sum()
    wide = ndtr((middle - STEPS) / np.maximum(sd, 1.0)) @ MASSES
    return np.asarray(np.where(sd[..., 0] < 1, narrow, wide))


# functions with names, so that models can be pickled


def _same(z: Array) -> Array:
    return z


def _mean_of_exp(mean: Array, variance: Array) -> Array:
    return np.asarray(np.exp(mean + variance / 2))


def _logit(x: Array) -> Array:
    return np.asarray(np.log(x) - np.log1p(-x))


def _log_slope_of_expit(z: Array) -> Array:
    return np.asarray(-np.abs(z) - 2 * np.log1p(np.exp(-np.abs(z))))


def _log_degrees(z: Array) -> Array:
    return np.full(z.shape, np.log(180 / np.pi))


def _log_formula(x: Expression) -> tuple[Expression, Expression]:
    z = Once(ln(x))
    return z, z


def _logit_formula(x: Expression) -> tuple[Expression, Expression]:
    """The slope is x (1 − x)."""
    return Once(ln(x) - ln(1.0 - x)), ln(x) + ln(1.0 - x)


def _degrees_formula(x: Expression) -> tuple[Expression, Expression]:
    return x * (np.pi / 180), x * 0.0 + float(np.log(180 / np.pi))


LOG = Transform("ln {}", np.log, np.exp, _same, _mean_of_exp, _log_formula, tells=False)
LOGIT = Transform("logit {}", _logit, _expit, _log_slope_of_expit, _mean_of_expit, _logit_formula)
DEGREES = Transform("{} in radians", np.deg2rad, np.rad2deg, _log_degrees, formula=_degrees_formula, tells=False)


@dataclass(frozen=True, eq=False)
class TransformedStatistics(Statistics, Generic[S]):
    inner: S
    volume: Array  # (K, D) Σ ln |dx/dz|
    low: Low = None  # what floats cannot hold of it; None where they are enough
    weight: Array = field(init=False)  # that of the inner ones

    def __post_init__(self) -> None:
        object.__setattr__(self, "weight", self.inner.weight)

    @property
    def hidden(self) -> bool:
        return self.inner.hidden

    def __add__(self, other: "TransformedStatistics[S]") -> "TransformedStatistics[S]":
        return _of(self.inner + other.inner, self.sums + other.sums)

    def __sub__(self, other: "TransformedStatistics[S]") -> "TransformedStatistics[S]":
        inner = self.inner - other.inner
        rest = self.sums.less(other.sums, None, ())
        return _of(inner, rest.without({"volume": inner.weight[:, None] == 0}))

    @property
    def sums(self) -> Sums:
        return Sums({"volume": self.volume}, self.low)

    def joined(self, other: "TransformedStatistics[S]") -> "TransformedStatistics[S]":
        volume, low = self.volume + other.volume, joined_low(self.low, other.low)
        return TransformedStatistics(self.inner.joined(other.inner), volume, low)

    def alike(self, other: "TransformedStatistics[S]", tolerance: float) -> bool:
        slack = tolerance * self.weight[:, None]
        return self.inner.alike(other.inner, tolerance) and close(self.volume, other.volume, tolerance, slack)

    def onto(self, components: Codes, size: int) -> "TransformedStatistics[S]":
        return _of(self.inner.onto(components, size), self.sums.each(lambda _, part: placed(part, components, size)))

    def only(self, components: Codes) -> "TransformedStatistics[S]":
        return _of(self.inner.only(components), self.sums.each(lambda _, part: part[components]))

    def arrays(self) -> dict[str, Array]:
        return {**self.sums.arrays(), **{f"inner/{name}": array for name, array in self.inner.arrays().items()}}

    def digits(self) -> Array:
        return self.inner.digits()

    def doubtful(self) -> Array:
        return self.inner.doubtful()

    def kept(self, whole: "TransformedStatistics[S]") -> Array:
        return self.inner.kept(whole.inner)


def _of(inner: S, sums: Sums) -> TransformedStatistics[S]:
    return TransformedStatistics(inner, sums.high["volume"], sums.low)


@dataclass(frozen=True)
class Transformed(Recorded[TransformedStatistics[S]]):
    """The family: the inner one, of the block turned into another."""

    inner: Family[S]
    transform: Transform
    about: str = field(init=False, repr=False, compare=False)  # as the inner one says

    def __post_init__(self) -> None:
        object.__setattr__(self, "about", self.inner.about)

    @property
    def columns(self) -> int:
        return self.inner.columns

    def statistics(self, x: Block, memberships: Memberships) -> TransformedStatistics[S]:
        z = self.transform.into(x)
        low: Low = None if memberships.counted is None else {}
        volume = memberships.sums(self.transform.volume(z))
        return TransformedStatistics(self.inner.statistics(z, memberships), volume, low)

    def flat(self, components: int = 1) -> "TransformedPrior[S]":
        return self._of(self.inner.flat(components))

    def unbiased(self, components: int = 1) -> "TransformedPrior[S]":
        return self._of(self.inner.unbiased(components))

    def reference(self, components: int = 1) -> "TransformedPrior[S]":
        return self._of(self.inner.reference(components))

    def weak(self, statistics: TransformedStatistics[S]) -> "TransformedPrior[S]":
        return self._of(self.inner.weak(statistics.inner))

    def weak_given(self, statistics: TransformedStatistics[S], levels: int) -> "TransformedPrior[S]":
        return self._of(self.inner.weak_given(statistics.inner, levels))

    def weak_unlabelled(self, statistics: TransformedStatistics[S], components: int) -> "TransformedPrior[S]":
        return self._of(self.inner.weak_unlabelled(statistics.inner, components))

    def holding(self, belief: Prior[Statistics], components: int) -> "TransformedPrior[S]":
        return self._of(self.inner.holding(belief, components))

    def _of(self, prior: Prior[S]) -> "TransformedPrior[S]":
        return TransformedPrior(prior, self.transform)

    def take(self, columns: Sequence[int]) -> "Transformed[S]":
        return replace(self, inner=self.inner.take(columns))

    def marginal(self, statistics: TransformedStatistics[S], columns: Sequence[int]) -> TransformedStatistics[S]:
        inner = self.inner.marginal(statistics.inner, columns)
        return _of(inner, statistics.sums.each(lambda _, part: part[:, list(columns)]))

    def restored(self, arrays: Mapping[str, Array], components: int) -> TransformedStatistics[S]:
        mine = {name.removeprefix("inner/"): array for name, array in arrays.items() if name.startswith("inner/")}
        rest = {name: array for name, array in arrays.items() if not name.startswith("inner/")}
        found = checked(rest, dict.fromkeys(("volume", *rest), (components, self.columns)))
        inner, low = self.inner.restored(mine, components), restored_low(found, ("volume",))
        return TransformedStatistics(inner, found["volume"], low)

    @property
    def beside(self) -> bool:
        return self.transform.tells or recorded(self.inner).beside

    def records(self, statistics: TransformedStatistics[S], names: Names) -> Records:
        return recorded(self.inner).records(statistics.inner, names)

    def alike(self, statistics: TransformedStatistics[S], names: Names) -> Records:
        return recorded(self.inner).alike(statistics.inner, names)

    def there(self, statistics: TransformedStatistics[S]) -> Array:
        return recorded(self.inner).there(statistics.inner)

    def without(self, statistics: TransformedStatistics[S], few: Mask) -> TransformedStatistics[S]:
        inner = recorded(self.inner).without(statistics.inner, few)
        gone = self.transform.tells | (recorded(self.inner).there(inner) == 0)
        return TransformedStatistics(inner, np.where(gone, 0.0, statistics.volume), {})

    def density(self, arrays: Mapping[str, Array], components: int) -> "TransformedDensity[S]":
        return TransformedDensity(self.inner.density(arrays, components), self.transform)

    def titles(self, names: Names) -> list[str]:
        return self.inner.titles(self.transform.titles(names))

    def from_tables(self, tables: Tables, names: Names) -> "TransformedDensity[S]":
        return TransformedDensity(self.inner.from_tables(tables, self.transform.titles(names)), self.transform)

    def enough(self, weight: Array) -> NDArray[np.bool_]:
        return self.inner.enough(weight)

    def constant(self, statistics: TransformedStatistics[S]) -> list[int]:
        return self.inner.constant(statistics.inner)

    def embedding(self, sample: Block) -> Embedding:
        inside = self.inner.embedding(self.transform.into(sample))
        return lambda x: inside(self.transform.into(x))

    def leave_one_out(
        self, x: Block, labels: Codes, weights: Array, statistics: TransformedStatistics[S], rule: Rule
    ) -> LeftOut:
        z = self.transform.into(x)
        found = self.inner.leave_one_out(z, labels, weights, statistics.inner, rule)
        volume = self.transform.volume(z).sum(axis=1, keepdims=True)
        return replace(found, log_density=found.log_density - volume)


@dataclass(frozen=True, eq=False)
class TransformedPrior(Prior[TransformedStatistics[S]]):
    """The belief about the parameters of the inner family, which are the same."""

    inner: Prior[S]
    transform: Transform
    about: str = field(init=False, repr=False, compare=False)  # as the inner one says

    def __post_init__(self) -> None:
        object.__setattr__(self, "about", self.inner.about)

    @property
    def shares(self) -> bool:
        return self.inner.shares

    @property
    def proper(self) -> bool:
        return self.inner.proper

    def after(self, statistics: TransformedStatistics[S]) -> "TransformedPrior[S]":
        return replace(self, inner=self.inner.after(statistics.inner))

    def parameters(self, components: int) -> int:
        return self.inner.parameters(components)

    def mode(self) -> "TransformedDensity[S]":
        return TransformedDensity(self.inner.mode(), self.transform)

    def mean(self) -> "TransformedDensity[S]":
        return TransformedDensity(self.inner.mean(), self.transform)

    def predictive(self) -> "TransformedPredictive":
        return TransformedPredictive(self.inner.predictive(), self.transform)

    def maximum_likelihood(self, statistics: TransformedStatistics[S]) -> "TransformedDensity[S]":
        return TransformedDensity(self.inner.maximum_likelihood(statistics.inner), self.transform)

    def marginals(self, names: Names) -> dict[str, dict[str, Distribution]]:
        return self.inner.marginals(self.transform.titles(names))

    def draw(self, rng: np.random.Generator) -> "TransformedDensity[S]":
        return TransformedDensity(self.inner.draw(rng), self.transform)

    def expected_log_density(self, other: "TransformedPrior[S]") -> Array:
        return self.inner.expected_log_density(other.inner)

    def stacked(self, others: Sequence["TransformedPrior[S]"]) -> "TransformedPrior[S]":
        return replace(self, inner=self.inner.stacked([other.inner for other in others]))

    def side_by_side(self, models: int) -> "TransformedPrior[S]":
        return replace(self, inner=self.inner.side_by_side(models))

    def log_density(self, density: Parametric[TransformedStatistics[S]]) -> Array:
        assert isinstance(density, TransformedDensity)  # there is no other with known parameters
        return self.inner.log_density(density.inner)

    def chart(
        self, density: Parametric[TransformedStatistics[S]], statistics: TransformedStatistics[S]
    ) -> "TransformedChart[S] | None":
        assert isinstance(density, TransformedDensity)  # there is no other with known parameters
        inner = self.inner.chart(density.inner, statistics.inner)
        return None if inner is None else TransformedChart(inner, self.transform)

    def log_evidence(self, statistics: TransformedStatistics[S]) -> Array:
        found, volume = self.inner.log_evidence(statistics.inner), statistics.volume.sum(axis=1)
        return np.asarray(found - (volume if len(found) == len(volume) else volume.sum()))


@dataclass(frozen=True, eq=False)
class TransformedPredictive(Density):
    inner: Density
    transform: Transform

    def log_density(self, x: Block) -> Array:
        z = self.transform.into(x)
        return np.asarray(self.inner.log_density(z) - self.transform.volume(z).sum(axis=1, keepdims=True))

    def scores(self, x: Block) -> Array:
        return self.inner.scores(self.transform.into(x))

    def formula(self, cells: Sequence[Expression], patterns: Sequence[Pattern]) -> Formula:
        if self.transform.formula is None:
            raise NoFormulaError(f"The transform of {self.transform.title.format('x')} has no formula.")
        turned = [self.transform.formula(cell) for cell in cells]
        inner = self.inner.formula([z for z, _ in turned], patterns)
        return replace(inner, common=inner.common - added(if_there(volume) for _, volume in turned))

    def terms(self, x: Block, a: int, b: int) -> Terms:
        return self.inner.terms(self.transform.into(x), a, b)

    def paired(self, x: Block) -> Array:
        z = self.transform.into(x)
        return np.asarray(self.inner.paired(z) - self.transform.volume(z).sum(axis=1))

    def sample(self, components: Codes, rng: np.random.Generator) -> Block:
        return self.transform.back(self.inner.sample(components, rng))

    def tables(self, names: Names) -> Tables:
        return self.inner.tables(self.transform.titles(names))

    @property
    def independent(self) -> bool:
        return self.inner.independent

    def only(self, components: Codes) -> "TransformedPredictive":
        return replace(self, inner=self.inner.only(components))

    def take(self, columns: Sequence[int]) -> "TransformedPredictive":
        return TransformedPredictive(self.inner.take(columns), self.transform)


@dataclass(frozen=True, eq=False)
class TransformedDensity(TransformedPredictive, Parametric[TransformedStatistics[S]]):
    inner: Parametric[S]

    def arrays(self) -> dict[str, Array]:
        return self.inner.arrays()

    def only(self, components: Codes) -> "TransformedDensity[S]":
        return replace(self, inner=self.inner.only(components))

    def take(self, columns: Sequence[int]) -> "TransformedDensity[S]":
        return replace(self, inner=self.inner.take(columns))

    def log_likelihood(self, statistics: TransformedStatistics[S]) -> float:
        return self.inner.log_likelihood(statistics.inner) - float(statistics.volume.sum())

    def filled(self, x: Block, memberships: Array) -> Block:
        """Missing cells as expected in the user's own units, which is not what back gives of the mean of z."""
        if self.transform.mean is None or not isinstance(self.inner, GaussianDensity):
            return np.where(np.isnan(x), self.transform.back(self.inner.filled(self.transform.into(x), memberships)), x)
        variance = self.inner.shape.diagonal(self.inner.covariance, self.inner.mean.shape[1])
        means = self.transform.mean(self.inner.mean, np.broadcast_to(variance, self.inner.mean.shape))
        return np.where(np.isnan(x), memberships @ means, x)

    def refilled(self, x: Block, components: Codes, rng: np.random.Generator) -> Block:
        drawn = self.transform.back(self.inner.refilled(self.transform.into(x), components, rng))
        return np.where(np.isnan(x), drawn, x)  # cells that are there, to the last digit


@dataclass(frozen=True, eq=False)
class TransformedChart(Chart[TransformedStatistics[S]], Generic[S]):
    """The parameters of the inner family, which are the same."""

    inner: Chart[S]
    transform: Transform

    @property
    def own(self) -> int:
        return self.inner.own

    @property
    def shared(self) -> int:  # type: ignore[override]
        return self.inner.shared

    @property
    def edges(self) -> NDArray[np.bool_]:
        return self.inner.edges

    def moved(self, own: Array, shared: Array) -> TransformedDensity[S]:
        return TransformedDensity(self.inner.moved(own, shared), self.transform)

    def slopes(self, x: Block) -> Array:
        return self.inner.slopes(self.transform.into(x))

    def curvature(self) -> Array:
        return self.inner.curvature()

    def span(self, title: str, heading: str) -> Span:
        return self.inner.span(title, heading)
