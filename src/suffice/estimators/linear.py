"""Discriminants with one covariance for all classes: scores linear in the columns, and directions between classes."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import ClassVar

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from suffice.arrays import Array
from suffice.data.table import IntoTable, Table
from suffice.decisions.posterior import FURTHEST
from suffice.estimators.batchwise import batchwise
from suffice.estimators.discriminants import INFLATE, Discriminant, gaussian
from suffice.families.capabilities import LogQuadratic
from suffice.families.gaussian.densities import GaussianDensity, LinearScores
from suffice.families.gaussian.family import Gaussian
from suffice.kernels.scores import linear
from suffice.model.directions import Directions, class_scores, directions
from suffice.options import whole
from suffice.printing.description import Name, Series, Sheet
from suffice.printing.language import word
from suffice.printing.numbers import chosen
from suffice.threads import over_rows


class Linear(Discriminant):
    """What one shared covariance adds: scores that are linear in the columns, which are numbers."""

    BESIDE: ClassVar[bool] = False

    @property
    def coef_(self) -> Array:
        """Weights of the linear scores, Σ⁻¹(μ_k − overall mean), (K, D); for two classes (1, D), second minus first.

        Scores are determined only up to a term common to all classes; this choice is accurate even if columns lie far
        from 0. Columns that were left out have weight 0.
        """
        return self._wide(self._scores().weights)

    @property
    def intercept_(self) -> Array:
        """The linear scores of a row of zeros, so that decision_function(X) = X @ coef_.T + intercept_."""
        scores = self._scores()
        return np.asarray(scores.offsets - scores.weights @ scores.centre)

    @batchwise
    def decision_function(self, X: IntoTable) -> Array:
        """The linear scores; for two classes, the log odds of the second. Missing cells are marginalised exactly.

        If scores are not linear, as with estimate="predictive" or several components in a class: ln p(row, class).
        """
        check_is_fitted(self)
        if not self._is_linear():
            return super().decision_function(X)
        scores = self._scores()
        out = self._projected(X, scores.centre, scores.weights.T) + scores.offsets
        holed = np.flatnonzero(np.isnan(out).any(axis=1))
        if len(holed):
            out[holed] = self._scores_of_holed(self._table(X).take(holed), scores.centre)
        return np.clip(out[:, 0] if len(self.classes_) == 2 else out, -FURTHEST, FURTHEST)

    def _further(self) -> list[Sheet]:
        if not self._is_linear():
            return []
        headings: list[Name] = self.classes_.tolist()
        if len(headings) == 2:
            headings = [word("{first} against {second}", first=headings[1], second=headings[0])]
        every = np.column_stack([self._scores().weights, self.intercept_])
        series = [Series(heading, row, chosen(every)) for heading, row in zip(headings, every, strict=True)]
        columns = [column.name for column in self.joint_.schema.columns]
        return [Sheet(word("coefficients"), [*columns, word("intercept")], series)]

    def _is_linear(self) -> bool:
        joint = self.joint_
        parts = zip(joint.schema.blocks, joint.density.parts, strict=True)
        plain = all(isinstance(part, LogQuadratic) and block.transform is None for block, part in parts)
        return plain and len(joint.prevalence) == len(self.classes_)

    def _scores_of_holed(self, table: Table, centre: Array) -> Array:
        """Ln p(x, k) less the log density around the centre: the same scores, from the cells that are there."""
        density, names = self._part(), [column.name for column in self.joint_.schema.columns]
        around = GaussianDensity(centre[None, :], density.covariance, density.shape)
        common = around.log_density(table.numbers(names, slice(0, table.rows)))
        scores = self.joint_.log_joint(table, self._as_fitted._unseen()) - common
        return np.diff(scores, axis=1) if len(self.classes_) == 2 else scores

    def _scores(self) -> LinearScores:
        self.joint_.refuse_several("A linear score of each class")
        scores = class_scores(self._part(), self.priors_)
        if len(self.classes_) != 2:
            return scores
        return LinearScores(scores.centre, np.diff(scores.weights, axis=0), np.diff(scores.offsets))

    def _wide(self, rows: Array) -> Array:
        """(…, columns modelled) → (…, all columns), with 0 for those left out."""
        out = np.zeros((len(rows), self.n_features_in_))
        names = self._schema.names
        out[:, [names.index(column.name) for column in self.joint_.schema.columns]] = rows
        return out

    def _projected(self, X: IntoTable, centre: Array, weights: Array) -> Array:
        """(rows − centre) · weights, over the columns modelled."""
        table, names = self._table(X), [column.name for column in self.joint_.schema.columns]
        out = np.zeros((table.rows, weights.shape[1]))

        def project(blocks: Sequence[slice]) -> None:
            for rows in blocks:
                out[rows] = linear(table.numbers(names, rows), centre, weights.T)

        if names:
            over_rows(project, table.rows, len(table.names))
        return out


@dataclass(eq=False, repr=False)
class LinearDiscriminant(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Linear):
    """All classes share one covariance, so that boundaries are linear: GaussianDiscriminant(shared=True).

    It takes the parameters of GaussianDiscriminant and `n_components`, the number of Fisher's directions (those that
    separate the classes best) that `transform` projects rows onto; by default all of them.

    >>> from sklearn.datasets import load_iris
    >>> from suffice import LinearDiscriminant
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LinearDiscriminant().fit(X, y)
    >>> model.transform(X).shape, model.explained_variance_ratio_.round(4).tolist()
    ((150, 2), [0.9912, 0.0088])
    """

    shape: str = "full"
    _: KW_ONLY
    shrink_spherical: float = 0.0
    inflate: float | None = None
    n_components: int | None = None

    TUNABLE = ("shape", "shrink_spherical", INFLATE)

    def _gaussian(self) -> Gaussian:
        return gaussian(self.shape, True, 0.0, self.shrink_spherical, self.inflate)

    def _refuse_impossible(self) -> None:
        super()._refuse_impossible()
        if self._as_fitted.n_components is not None:
            self._directions()

    @batchwise
    def transform(self, X: IntoTable) -> Array:
        """Rows projected onto Fisher's directions and centred; their covariance within classes is the identity."""
        check_is_fitted(self)
        found = self._directions()
        return self._projected(X, found.centre, found.scalings)

    @property
    def scalings_(self) -> Array:
        """What `transform` multiplies columns by, (D, L), the direction that separates classes best first."""
        return self._wide(self._directions().scalings.T).T

    @property
    def explained_variance_ratio_(self) -> Array:
        """The share of the variance between classes along each direction."""
        return self._directions().ratio

    def _further(self) -> list[Sheet]:
        above = super()._further()
        if not above:
            return []
        found, names = self._directions(), [column.name for column in self.joint_.schema.columns]
        pairs = zip(found.scalings.T, found.ratio, strict=True)
        form = chosen(found.scalings)
        series = [Series(f"LD{i} ({r:.1%})", part, form, name=f"LD{i}") for i, (part, r) in enumerate(pairs, start=1)]
        return [*above, Sheet(word("scalings"), names, series)] if series else above

    @property
    def _n_features_out(self) -> int:
        return int(self.scalings_.shape[1])

    def _directions(self) -> Directions:
        self.joint_.refuse_several("Directions between classes")
        found, wanted = directions(self._part(), self.priors_), self._as_fitted.n_components
        if wanted is None:
            return found
        most = len(found.ratio)
        whole(wanted, f"n_components must be the number of directions, at most {most}", most=max(most, 1))
        return replace(found, scalings=found.scalings[:, :wanted], ratio=found.ratio[:wanted])


class NearestMean(Linear):
    """One variance for all classes and columns: the nearest class mean wins, allowing for how common each class is.

    With priors="uniform" it is plainly the nearest mean. Columns should be in comparable units. It takes the parameters
    of GaussianDiscriminant.

    >>> from suffice import NearestMean
    >>> rows, labels = [[0.0], [1.0], [9.0], [11.0]], ["low", "low", "high", "high"]
    >>> NearestMean(estimate="unbiased").fit(rows, labels).predict([[4.0]]).tolist()
    ['low']
    """

    def _gaussian(self) -> Gaussian:
        return gaussian("spherical", True, 0.0, 0.0)
