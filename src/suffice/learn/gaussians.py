"""Models with all numbers in one Gaussian; where classes share its covariance, scores linear in the columns.

In:  what recipes of discriminants have learned.
Out: GaussianModel, which knows the density of the numbers; LinearModel, with the linear scores of the classes and the
     directions that separate them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from suffice.arrays import Array, repeated
from suffice.data.table import Table
from suffice.decisions.posterior import FURTHEST
from suffice.errors import ParameterError
from suffice.families.capabilities import LogQuadratic
from suffice.families.gaussian.densities import GaussianDensity, StudentDensity
from suffice.families.gaussian.family import Gaussian
from suffice.families.gaussian.linear import LinearScores
from suffice.families.gaussian.shapes import DIAGONAL
from suffice.kernels.scores import linear
from suffice.lazy import lazy
from suffice.learn.densities import AsksForDensities, Densities
from suffice.model.directions import Directions, class_scores, directions
from suffice.options import whole
from suffice.printing.description import Name, Series, Sheet
from suffice.printing.language import word
from suffice.printing.numbers import chosen
from suffice.threads import over_rows


class AsksForGaussian(AsksForDensities, Protocol):
    """The members of a recipe that such a model uses."""

    def gaussian(self) -> Gaussian: ...


@dataclass(frozen=True, eq=False)
class GaussianModel(Densities):
    recipe: AsksForGaussian

    @lazy
    def numbers(self) -> GaussianDensity | StudentDensity:
        """The density of the numeric columns."""
        joint = self.joint
        parts = zip(joint.schema.blocks, joint.density.parts, strict=True)
        found = next((density for block, density in parts if block.numeric), None)
        if found is None:  # every column is constant, and was left out
            return GaussianDensity(np.zeros((len(self.classes), 0)), np.zeros((1, 0)), DIAGONAL)
        assert isinstance(found, GaussianDensity | StudentDensity)  # there is no other of these kinds
        return found

    @property
    def means(self) -> Array:
        """The means of the classes over the columns modelled."""  # (K, D)
        return np.asarray(self.numbers.mean)

    @property
    def covariance(self) -> Array:
        """The covariance over the columns modelled: (D, D) where classes share it, otherwise (K, D, D)."""
        density = self.numbers
        variances = density.shape.diagonal(density.covariance, density.mean.shape[1])
        diagonal = None if density.shape.crosswise else variances[:, :, None] * np.eye(density.mean.shape[1])
        matrices = density.covariance if diagonal is None else diagonal
        own = repeated(matrices, len(density.mean))
        return np.asarray(matrices[0] if len(matrices) == 1 and self.recipe.gaussian().shared else own)

    @property
    def plug_in(self) -> GaussianDensity:
        """The density of the numeric columns, with known parameters."""
        if not isinstance(self.numbers, GaussianDensity):
            raise ParameterError(
                "With estimate='predictive' classes have Student-t densities, so scores are not linear. Use "
                "estimate='mean' or 'map' for linear scores."
            )
        return self.numbers


@dataclass(frozen=True, eq=False)
class LinearModel(GaussianModel):
    @lazy
    def linear_scores(self) -> LinearScores:
        """Scores of the classes; of two classes, the second's less the first's."""
        self.joint.refuse_several("A linear score of each class")
        scores = class_scores(self.plug_in, self.shares)
        if len(self.classes) != 2:
            return scores
        return LinearScores(scores.centre, np.diff(scores.weights, axis=0), np.diff(scores.offsets))

    @property
    def coefficients(self) -> Array:
        """Weights of the linear scores, (K, D), or (1, D) of two classes; 0 for columns that were left out."""
        return self._wide(self.linear_scores.weights)

    @property
    def intercept(self) -> Array:
        """The linear scores of a row of zeros."""
        scores = self.linear_scores
        return np.asarray(scores.offsets - scores.weights @ scores.centre)

    def scores(self, table: Table) -> Array:
        """The linear scores, and where they are not linear those of any density; missing cells are marginalised."""
        if not self._is_linear:
            return super().scores(table)
        scores = self.linear_scores
        out = self._projected(table, scores.centre, scores.weights.T) + scores.offsets
        holed = np.flatnonzero(np.isnan(out).any(axis=1))
        if len(holed):
            out[holed] = self._scores_of_holed(table.take(holed), scores.centre)
        return np.clip(out[:, 0] if len(self.classes) == 2 else out, -FURTHEST, FURTHEST)

    @lazy
    def _is_linear(self) -> bool:
        joint = self.joint
        parts = zip(joint.schema.blocks, joint.density.parts, strict=True)
        plain = all(isinstance(part, LogQuadratic) and block.transform is None for block, part in parts)
        return plain and len(joint.prevalence) == len(self.classes)

    def _scores_of_holed(self, table: Table, centre: Array) -> Array:
        """Ln p(x, k) less the log density around the centre: the same scores, from the cells that are there."""
        density, names = self.plug_in, self._modelled
        around = GaussianDensity(centre[None, :], density.covariance, density.shape)
        common = around.log_density(table.numbers(names, slice(0, table.rows)))
        scores = self.log_joint(table) - common
        return np.diff(scores, axis=1) if len(self.classes) == 2 else scores

    @property
    def _modelled(self) -> list[str]:
        """The columns that the scores are about."""
        return [column.name for column in self.joint.schema.columns]

    def _wide(self, rows: Array) -> Array:
        """(…, columns modelled) → (…, all columns), with 0 for those left out."""
        names = self.schema.names
        out = np.zeros((len(rows), len(names)))
        out[:, [names.index(name) for name in self._modelled]] = rows
        return out

    def _projected(self, table: Table, centre: Array, weights: Array) -> Array:
        """(rows − centre) · weights, over the columns modelled."""
        names, out = self._modelled, np.zeros((table.rows, weights.shape[1]))

        def project(blocks: Sequence[slice]) -> None:
            for rows in blocks:
                out[rows] = linear(table.numbers(names, rows), centre, weights.T)

        if names:
            over_rows(project, table.rows, len(table.names))
        return out

    def further(self) -> Sequence[Sheet]:
        """The weights of the linear scores."""
        if not self._is_linear:
            return []
        headings: list[Name] = list(self.classes)
        if len(headings) == 2:
            headings = [word("{first} against {second}", first=headings[1], second=headings[0])]
        every = np.column_stack([self.linear_scores.weights, self.intercept])
        series = [Series(heading, row, chosen(every)) for heading, row in zip(headings, every, strict=True)]
        return [Sheet(word("coefficients"), [*self._modelled, word("intercept")], series)]


class AsksForDirections(AsksForGaussian, Protocol):
    n_components: int | None


@dataclass(frozen=True, eq=False)
class DirectedModel(LinearModel):
    """Linear scores, and Fisher's directions: those that separate the classes best."""

    recipe: AsksForDirections

    @lazy
    def directions(self) -> Directions:
        """The directions that separate the classes, as many as were asked for."""
        self.joint.refuse_several("Directions between classes")
        found, wanted = directions(self.plug_in, self.shares), self.recipe.n_components
        if wanted is None:
            return found
        most = len(found.ratio)
        whole(wanted, f"n_components must be the number of directions, at most {most}", most=max(most, 1))
        return replace(found, scalings=found.scalings[:, :wanted], ratio=found.ratio[:wanted])

    @property
    def scalings(self) -> Array:
        """The factors of columns in `transform`, the direction that separates classes best first."""  # (D, L)
        return self._wide(self.directions.scalings.T).T

    def projected(self, table: Table) -> Array:
        """Rows projected onto the directions and centred."""  # (N, L)
        return self._projected(table, self.directions.centre, self.directions.scalings)

    def refuse_impossible(self) -> None:
        super().refuse_impossible()
        if self.recipe.n_components is not None:
            self.directions  # noqa: B018 # of which there must be as many

    def further(self) -> Sequence[Sheet]:
        """The weights of the linear scores, and the directions."""
        above = super().further()
        if not above:
            return []
        found = self.directions
        pairs, form = zip(found.scalings.T, found.ratio, strict=True), chosen(found.scalings)
        series = [Series(f"LD{i} ({r:.1%})", part, form, name=f"LD{i}") for i, (part, r) in enumerate(pairs, start=1)]
        return [*above, Sheet(word("scalings"), self._modelled, series)] if series else above
