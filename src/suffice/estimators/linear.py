"""Discriminants with one covariance for all classes: scores linear in the columns, and directions between classes."""

from dataclasses import dataclass, field

from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin

from suffice.arrays import Array
from suffice.data.table import IntoTable
from suffice.estimators.batchwise import batchwise
from suffice.estimators.discriminants import Discriminant
from suffice.learn.discriminants import LinearParameters, LinearRecipe, NearestMeanRecipe
from suffice.learn.gaussians import DirectedModel, LinearModel


class LinearScored(Discriminant):
    """Discriminants whose classes share one covariance: scores are linear in the columns, which are numbers."""

    model_: LinearModel

    def _asked(self) -> LinearModel:
        super()._asked()
        return self.model_

    @property
    def coef_(self) -> Array:
        """Weights of the linear scores, Σ⁻¹(μ_k − overall mean), (K, D); for two classes (1, D), second minus first.

        Scores are determined only up to a term common to all classes; this choice is accurate even if columns lie far
        from 0. Columns that were left out have weight 0.
        """
        return self._asked().coefficients

    @property
    def intercept_(self) -> Array:
        """The linear scores of a row of zeros, so that decision_function(X) = X @ coef_.T + intercept_."""
        return self._asked().intercept

    @batchwise
    def decision_function(self, X: IntoTable) -> Array:
        """The linear scores; for two classes, the log odds of the second. Missing cells are marginalised exactly.

        If scores are not linear, as with estimate="predictive" or several components in a class: ln p(row, class).
        """
        model = self._asked()
        return model.scores(model.table(X))


@dataclass(eq=False, repr=False)
class LinearDiscriminant(LinearParameters, ClassNamePrefixFeaturesOutMixin, TransformerMixin, LinearScored):
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

    RECIPE = LinearRecipe

    model_: DirectedModel = field(init=False)

    def _asked(self) -> DirectedModel:
        super()._asked()
        return self.model_

    @batchwise
    def transform(self, X: IntoTable) -> Array:
        """Rows projected onto Fisher's directions and centred; their covariance within classes is the identity."""
        model = self._asked()
        return model.projected(model.table(X))

    @property
    def scalings_(self) -> Array:
        """The factors of columns in `transform`, (D, L), the direction that separates classes best first."""
        return self._asked().scalings

    @property
    def explained_variance_ratio_(self) -> Array:
        """The share of the variance between classes along each direction."""
        return self._asked().directions.ratio

    @property
    def _n_features_out(self) -> int:
        return int(self.scalings_.shape[1])


class NearestMean(LinearScored):
    """One variance for all classes and columns: the nearest class mean wins, allowing for how common each class is.

    With priors="uniform" it is plainly the nearest mean. Columns should be in comparable units. It takes the parameters
    of GaussianDiscriminant.

    >>> from suffice import NearestMean
    >>> rows, labels = [[0.0], [1.0], [9.0], [11.0]], ["low", "low", "high", "high"]
    >>> NearestMean(estimate="unbiased").fit(rows, labels).predict([[4.0]]).tolist()
    ['low']
    """

    RECIPE = NearestMeanRecipe
