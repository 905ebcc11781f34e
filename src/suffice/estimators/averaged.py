"""Averages of one-dependence models: every category in turn is the parent of all other columns."""

from collections.abc import Callable
from dataclasses import dataclass, field

from sklearn.utils import Tags

from suffice.arrays import Array
from suffice.data.labels import IntoLabels
from suffice.data.table import IntoTable
from suffice.data.weights import Weights
from suffice.errors import NoDensityError
from suffice.estimators.face import say_what_is_taken
from suffice.estimators.generative import GenerativeClassifier
from suffice.learn.averaged import AveragedParameters, AveragedRecipe, OfParents
from suffice.model.averaged import WHY


@dataclass(eq=False, repr=False)
class AveragedOneDependence(AveragedParameters, GenerativeClassifier):
    """The average of models in each of which all columns depend on the class and on one category (Webb et al., 2005).

    If columns depend on each other, it often does better than naive Bayes, and nothing has to be searched for. A column
    serves as a parent if its level in the row occurs often enough; numbers are children of every category, as in
    Flores et al. (2009). Its P(class, row) is not a density, so there are no samples, no evidence and no EM.

    Parameters
    ----------
    smoothing : float or "auto"
        λ, the number of rows added to every cell of a table of counts.
    min_count : float
        How many rows must have a level for its column to serve as a parent.
    kinds : None, str or dict
        As for NaiveBayes.
    estimate : "auto", "map" or "predictive"
        How the parameters of columns that are not counted are estimated from the rows of each class and level, under a
        weak prior centred on the class. "auto" is "predictive", which integrates them out.
    priors : None, "uniform", "smoothed", array or dict
        Class probabilities: learned together with each parent, (N(class, x_j) + λ)/(N + λ K S_j), or as for NaiveBayes.
        Given ones multiply each P(class, row) by given/learned, where learned are (N_class + λ)/(N + λ K): as
        `BayesDecision(AveragedOneDependence(), priors=...)` does.
    unseen : "prior", "ignore" or "error"
        A category never seen in fitting does not serve as a parent; as a child it is treated as in NaiveBayes.

    Examples
    --------
    >>> from suffice import AveragedOneDependence
    >>> table = {"a": ["x", "x", "y", "y"] * 3, "b": ["u", "v", "u", "v"] * 3}
    >>> model = AveragedOneDependence().fit(table, ["same", "other", "other", "same"] * 3)
    >>> model.predict({"a": ["x", "x"], "b": ["u", "v"]}).tolist()
    ['same', 'other']

    """

    RECIPE = AveragedRecipe

    model_: OfParents = field(init=False)

    def _asked(self) -> OfParents:
        super()._asked()
        return self.model_

    @property
    def parents_(self) -> list[str]:
        """The columns that serve as parents, for rows whose level there occurs often enough."""
        return [column.name for column in self._asked().averaged.parents.columns]

    # what there is not

    def log_density(self, X: IntoTable) -> Array:
        """Raises an error that says why this model has none.

        Raises
        ------
        NoDensityError
            Always.

        """
        raise NoDensityError(WHY)

    @property
    def score_samples(self) -> Callable[[IntoTable], Array]:  # not there for who looks for it
        """Raises an error that says why there is no ln p(row).

        Raises
        ------
        NoDensityError
            Always.

        """
        raise NoDensityError(WHY)

    def log_likelihood(self, X: IntoTable, y: IntoLabels, sample_weight: Weights = None) -> float:
        """Raises an error that says why this model has none.

        Raises
        ------
        NoDensityError
            Always.

        """
        raise NoDensityError(WHY)

    def __sklearn_tags__(self) -> Tags:
        return say_what_is_taken(super().__sklearn_tags__(), self.kinds)
