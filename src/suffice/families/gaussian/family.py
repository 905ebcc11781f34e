"""Gaussian columns: numbers in, moments, and class-wise log densities out, in three shapes, own or shared.

In:  a block (N, D) of finite numbers, NaN where missing.
Out: Moments; the belief is in `normal_wishart`, what the shape changes is in `shapes`.

Missing cells: diagonal and spherical shapes leave them out; the full shape keeps a record for each pattern of them.
Log densities of every shape are of the observed cells.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from suffice.arrays import Array, Codes, ratio, side_by_side
from suffice.errors import FileError, ParameterError, SingularError
from suffice.families.accumulator import Accumulator, RowAccumulator, Sums, unseen_sums
from suffice.families.capabilities import Shaped
from suffice.families.counts import checked
from suffice.families.gaussian.accumulators import coordinate_accumulator
from suffice.families.gaussian.correlations import typical
from suffice.families.gaussian.densities import GaussianDensity, StudentDensity, from_moment_tables
from suffice.families.gaussian.leave_one_out import downdated
from suffice.families.gaussian.leave_one_out_columns import apart, followed
from suffice.families.gaussian.moments import Moments, noise
from suffice.families.gaussian.normal_mean import NormalMeanPrior
from suffice.families.gaussian.normal_variance import InverseGammaPrior
from suffice.families.gaussian.normal_wishart import NormalInverseWishartPrior, flat, improper
from suffice.families.gaussian.patterns import AnyMoments, PatternMoments, pattern_moments
from suffice.families.gaussian.shapes import DIAGONAL, SHAPES, Shape
from suffice.families.gaussian.sums import moments_alone, moments_by_pattern
from suffice.families.given import over_levels
from suffice.families.leave_one_out import LeftOut
from suffice.families.mass import Mass
from suffice.families.memberships import Memberships
from suffice.families.protocol import (
    Density,
    FillsCells,
    LastStep,
    LeavesOut,
    Names,
    Parametric,
    Prior,
    Recorded,
    Rule,
    Shrinkable,
    Statistics,
    Tables,
)
from suffice.families.records import Records
from suffice.families.rows import Rows, rows_with
from suffice.families.summable import Asked, CellSums, Summable
from suffice.families.sums import Mask

ENOUGH, PLENTY = 12, 15  # degrees of freedom for each column that determine an own covariance well, a shared one
PLENTY_FOR_ENTRIES = 3  # and for each entry of a shared covariance, of which many columns have more than rows can tell
SMALLEST = float(np.finfo(float).tiny)
MOST_WORTH = 50  # rows for each column that a weak belief about a full covariance is worth
NEARLY = 1e-8  # of the variances of columns in standard deviations: with less some follow from others, as in MASS


@dataclass(frozen=True)
class Gaussian(
    LeavesOut[AnyMoments],
    Shrinkable[AnyMoments],
    FillsCells[AnyMoments],
    Summable[AnyMoments],
    Recorded[AnyMoments],
    Shaped[AnyMoments],
):
    """The family: `shape` says which variances and covariances there are, `shared` whether all components have one."""

    about = "means and variances"

    columns: int = 0  # of a template, to be told later
    shape: Shape = DIAGONAL
    shared: bool = False
    to_shared: float = 0.0  # Friedman's λ: own covariances towards the shared one
    to_spherical: float = 0.0  # Friedman's γ: covariances towards their mean variance
    inflated: float = 1.0  # what covariances are multiplied by at last
    models: int = 1  # side by side on the component axis, each with the same number of components

    def statistics(self, x: Array, memberships: Memberships) -> AnyMoments:
        if self.shape.crosswise:
            return pattern_moments(x, memberships)
        sums, counted = memberships.columnwise(x), memberships.counted
        if counted is None:
            return Moments.of(memberships.weight, sums)
        rows = Rows(counted.weight, sums[0]) if counted is memberships else rows_with(counted, ~np.isnan(x))
        return Moments.of(memberships.weight, sums, rows)

    @property
    def asks(self) -> Asked | None:
        return Asked.PRODUCTS if self.shape.crosswise else Asked.SQUARES

    def of_sums(self, sums: Sequence[CellSums], mass: Mass) -> AnyMoments:
        made = moments_by_pattern if self.shape.crosswise else moments_alone
        return made(sums, mass, self.columns)

    @property
    def crosswise(self) -> bool:
        return self.shape.crosswise

    def worth(self, prior: Prior[AnyMoments], statistics: AnyMoments) -> float:
        """Only variances differ, and in the mode of a record by itself everything else is a constant."""
        density = prior.after(statistics).mode()
        assert isinstance(density, GaussianDensity)  # there is no other with known parameters
        return float(-0.5 * (statistics.alone().seen * np.log(density.covariance)).sum())

    def side_by_side(self, models: int) -> "Gaussian":
        return replace(self, models=models)

    def singly(self, x: Array, weights: Array) -> Moments:
        there, full = ~np.isnan(x), self.shape.crosswise
        seen, mean = weights[:, None] * there, np.where(there, x, 0.0)
        scatter = np.zeros((*x.shape, x.shape[1]) if full else x.shape)
        return Moments(weights, seen, mean, scatter)

    def leave_one_out(self, x: Array, labels: Codes, weights: Array, statistics: AnyMoments, rule: Rule) -> LeftOut:
        prior = rule.prior(self, statistics)
        plain = not (self.shared or self.shrinks or self.finishes)
        moments, alone = statistics.complete().plain(), self.shape == DIAGONAL and plain
        if not isinstance(prior, NormalInverseWishartPrior):
            return super().leave_one_out(x, labels, weights, moments, rule)
        if alone and rule.levels == 1:
            return (followed if rule.moves else apart)(prior, moments, rule.step, x, labels, weights)
        if not self.shape.crosswise or rule.moves:
            return super().leave_one_out(x, labels, weights, moments, rule)
        return downdated(prior.after(statistics), rule.step, x, labels, weights)

    beside = False

    def records(self, statistics: AnyMoments, names: Names) -> Records:
        """A record is a column, or a pattern of missing cells where columns are kept together."""
        return statistics.records(names)

    def alike(self, statistics: AnyMoments, names: Names) -> Records:
        """Columns without scatter."""
        alone = statistics.alone()
        return alone.records(names).only(alone.squares() <= alone.seen * noise(alone.mean))

    def there(self, statistics: AnyMoments) -> Array:
        return statistics.alone().records(range(self.columns)).rows

    def without(self, statistics: AnyMoments, few: Mask) -> AnyMoments:
        return statistics.without(few)

    def accumulator(
        self, density: Parametric[AnyMoments], pooled: AnyMoments, rows: int
    ) -> Accumulator[Sums, AnyMoments]:
        """How EM reads a block: at once, where no cell is missing and no component too narrow for that."""
        complete = not pooled.hidden and bool((pooled.alone().seen == pooled.weight[:, None]).all())
        assert isinstance(density, GaussianDensity)  # there is no other with known parameters
        found = coordinate_accumulator(density, pooled, rows) if complete else None
        return unseen_sums(RowAccumulator(self, density)) if found is None else unseen_sums(found)

    def flat(self, components: int = 1) -> NormalInverseWishartPrior:
        return flat(self, components)

    def unbiased(self, components: int = 1) -> NormalInverseWishartPrior:
        """The improper belief whose mode divides by N − 1: one degree more is spent on each mean."""
        return improper(self, components, -(self.shape.size(self.columns) + 1) - 2 * self.means(components))

    def reference(self, components: int = 1) -> NormalInverseWishartPrior:
        return improper(self, components, -self.means(components))

    def weak(self, statistics: AnyMoments) -> NormalInverseWishartPrior:
        """Full covariances are worth as many rows as stand behind one on average.

        Those of real classes are more alike than rows that are not quite Gaussian make them look. Where there are very
        many rows that is little again.
        """
        seen = side_by_side(statistics.alone().seen.mean(axis=1), self.models)  # (M, K)
        behind = (seen.sum if self.shared else seen.mean)(axis=1, keepdims=True)
        least, size = self._least(statistics), self.shape.size(self.columns)  # a column by itself has size 1
        return self._around(statistics, np.maximum(least, np.minimum(behind, MOST_WORTH * size if size > 1 else 0.0)))

    def weak_for(self, statistics: AnyMoments, step: LastStep) -> NormalInverseWishartPrior:
        """With own full covariances no class comes out wider than others because it has fewer rows."""
        prior = self.weak(statistics)
        own = not self.shared and self.shape.size(self.columns) > 1
        return prior.evenly_wide(statistics.alone().seen.mean(axis=1), step) if own else prior

    def just_proper(self, statistics: AnyMoments) -> NormalInverseWishartPrior:
        return self._around(statistics, np.full((self.models, 1), self._least(statistics)))

    def _least(self, statistics: AnyMoments) -> float:
        """The mode's divisor before any row that makes a belief proper."""
        return 2.0 * self.shape.size(self.columns) + 1 + self.means(len(statistics.weight))

    def _around(self, statistics: AnyMoments, worth: Array) -> NormalInverseWishartPrior:
        """Around the covariance pooled within components; means vary as much as columns do overall."""
        mean, total, within = statistics.pooled(self.models)  # (M, D) each, and what it is worth in rows (M, 1)
        components = len(statistics.weight)
        kappa = np.minimum(1.0, ratio(within, total, 1.0))
        if self.shape.crosswise:
            kappa = np.broadcast_to(kappa.min(axis=1, keepdims=True), kappa.shape)
        scatter = self.shape.scaled(self._typical(statistics, within, worth[:, 0], self._plenty), worth)
        degrees = worth - self.shape.size(self.columns) - 1 - self.means(components)
        return self.belief(kappa, mean, degrees, scatter, components)

    def weak_given(self, statistics: AnyMoments, levels: int) -> NormalInverseWishartPrior:
        """Just proper, around the mean of the class and the variance within the levels of the class.

        That variance has the rows of the class behind it, and as many as the prior is worth with the class's own.
        """
        levelled, classes = statistics.alone(), over_levels(statistics.alone(), levels)
        of_class = self.weak(classes).after(classes).mode()
        rows, pseudo_rows = classes.seen, 3.0 + self.means(1)  # the mode's divisor before any row
        squares = side_by_side(levelled.squares(), len(classes.weight)).sum(axis=1)
        variance = (squares + pseudo_rows * of_class.covariance) / (rows + pseudo_rows)
        kappa = np.minimum(1.0, variance / of_class.covariance)
        parts = (np.repeat(part, levels, axis=0) for part in (kappa, of_class.mean, pseudo_rows * variance))
        centred, mean, scatter = parts
        return self.belief(centred, mean, 1.0, scatter, len(statistics.weight))

    def _typical(self, statistics: AnyMoments, within: Array, worth: Array, plenty: float = np.inf) -> Array:
        """The covariance within components, missing cells as if they went with no other column."""
        if not self.shape.crosswise:
            return self.shape.matrix(within)
        filled = self.filled(statistics) if statistics.hidden else statistics
        return typical(filled.complete(), self.models, within, worth, plenty)

    def weak_unlabelled(self, statistics: AnyMoments, components: int) -> NormalInverseWishartPrior:
        """For components not known, from all rows together: as mclust has it (Fraley and Raftery, 2007).

        Means lie anywhere among the rows, and K components fill the volume that the rows have. A full covariance is
        expected to be that of all rows, correlations included, over K^(2/D); mclust takes it as it is, or without
        correlations where there are no more rows than columns, and here it is shrunk towards none by as much as chance
        would make of them. Variances of columns by themselves are their own, where mclust takes their mean.
        """
        mean, total, _ = statistics.pooled()
        degrees = self.shape.size(self.columns) + 2.0
        scatter = self._typical(statistics, total, np.ones(1)) / components ** (2 / self.columns)
        return self.belief(np.full((1, self.columns), 0.01), mean, degrees, scatter, components)

    def holding(self, belief: Prior[Statistics], components: int) -> Prior[AnyMoments]:
        if not isinstance(belief, NormalInverseWishartPrior | NormalMeanPrior | InverseGammaPrior):
            raise ParameterError(f"Expected a belief about {self.about}; found one about {belief.about}.")
        return belief.on(self, components)

    def take(self, columns: Sequence[int]) -> "Gaussian":
        return replace(self, columns=len(columns))

    def marginal(self, statistics: AnyMoments, columns: Sequence[int]) -> AnyMoments:
        return statistics.take(columns)

    def restored(self, arrays: Mapping[str, Array], components: int) -> AnyMoments:
        if self.shape.crosswise:
            return PatternMoments.restored(arrays, components, self.columns)
        return Moments.restored(arrays, components, self.columns, crosswise=False)

    def density(self, arrays: Mapping[str, Array], components: int) -> GaussianDensity:
        """Known parameters, from their arrays, whatever the shape."""
        found = arrays["covariance"].shape
        sizes = {shape: shape.matrix(np.ones((1, self.columns))).shape[1:] for shape in SHAPES.values()}
        shape = next((shape for shape, size in sizes.items() if size == found[1:]), self.shape)
        wanted = (1 if found[0] == 1 else components, *sizes[shape])
        parts = checked(arrays, {"mean": (components, self.columns), "covariance": wanted})
        if not (shape.diagonal(parts["covariance"], self.columns) > 0).all():
            raise FileError("The file holds impossible variances.")
        if shape.crosswise and not _regular(parts["covariance"]):
            raise FileError("The file holds impossible covariances.")
        return GaussianDensity(parts["mean"], parts["covariance"], shape)

    def titles(self, names: Names) -> list[str]:
        return [", ".join(names)] if self.shape.crosswise else list(names)

    def from_tables(self, tables: Tables, names: Names) -> GaussianDensity:
        return from_moment_tables(tables, names, self.shape)

    def constant(self, statistics: AnyMoments) -> list[int]:
        return np.flatnonzero(statistics.still()).tolist()

    @property
    def _plenty(self) -> float:
        """Degrees of freedom for each row of a shared covariance, which has (size + 1) / 2 entries of its own."""
        return max(PLENTY, PLENTY_FOR_ENTRIES * (self.shape.size(self.columns) + 1) / 2)

    def enough(self, weight: Array) -> NDArray[np.bool_]:
        """So many degrees of freedom for each row of a covariance matrix; one shrunk to the shared one has some of its.

        Shrinkage alone does not make up for them: what is left of few rows is still taken for certain.
        """
        free = self.shape.means(self.columns) * np.maximum(weight - 1, 0.0)
        whole, own = free.sum(axis=-1), free.min(axis=-1)
        least = whole if self.shared else (1 - self.to_shared) * own + self.to_shared * whole
        enough = self._plenty if self.shared and not self.shrinks else ENOUGH
        return np.asarray(least >= enough * self.shape.size(self.columns))

    def refuse_nearly_dependent(self, density: Density) -> None:
        if isinstance(density, GaussianDensity):
            self.check(density.mean, density.covariance, NEARLY)

    def check(self, mean: Array, covariance: Array, least: float = 0.0) -> None:
        """A SingularError where columns do not vary, or not but for others; nobody owns a covariance that is shared."""
        try:
            self.shape.check(mean, covariance, least)
        except SingularError as error:
            owner = None if self.shared else error.component
            raise SingularError(str(error), owner, error.columns, error.remedies) from None

    def drowned(self, statistics: AnyMoments) -> list[int]:
        return np.flatnonzero(statistics.drowned()).tolist()

    def blurred(self, statistics: AnyMoments) -> list[int]:
        return np.flatnonzero(statistics.blurred()).tolist()

    @property
    def shrinks(self) -> bool:
        return self.to_shared > 0 or self.to_spherical > 0

    @property
    def finishes(self) -> bool:
        return self.inflated != 1

    def finished(self, density: Density) -> Density:
        """Wider, as rows that are not quite Gaussian bear out."""
        assert isinstance(density, GaussianDensity | StudentDensity)  # there is no other of this family
        return density.inflated(self.inflated) if self.finishes else density

    def suited(self, statistics: Statistics) -> AnyMoments:
        """Statistics that may say more than this shape asks for, cut down to what it takes."""
        assert isinstance(statistics, AnyMoments)  # no other family models numbers by their moments
        return statistics if self.shape.crosswise else statistics.alone()

    def initial_parameters(self, statistics: AnyMoments) -> GaussianDensity:
        """Where EM over missing cells begins: means of what is there, the variance within, no correlation.

        A column that does not vary within components has the least variance that there is.
        """
        alone = statistics.alone()
        mean, _, within = alone.pooled()
        owners = 1 if self.shared else len(statistics.weight)
        matrix = np.repeat(self.shape.matrix(np.maximum(within, SMALLEST)), owners, axis=0)
        return GaussianDensity(np.where(alone.seen > 0, alone.mean, mean), matrix, self.shape)

    def means(self, components: int) -> int:
        """How many means stand on each variance."""
        return self.shape.means(self.columns) * (components // self.models if self.shared else 1)

    def belief(
        self, kappa: Array, mean: Array, degrees: float | Array, scatter: Array, components: int
    ) -> NormalInverseWishartPrior:
        """A belief about these columns, from its arrays."""
        return NormalInverseWishartPrior.of(self, kappa, mean, degrees, scatter, components)


def _regular(covariance: Array) -> bool:
    """Whether matrices have the factors that every answer needs."""
    try:
        np.linalg.cholesky(covariance)
    except np.linalg.LinAlgError:
        return False
    return True
