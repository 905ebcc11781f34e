"""Complement naive Bayes: each class weighed by the words of all others, from the counts of naive Bayes."""

from dataclasses import dataclass, field
from typing import Any, Self

from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from suffice.arrays import Array, Values
from suffice.data.batches import IntoRows
from suffice.data.kinds import COUNTS
from suffice.data.labelled import Classes
from suffice.data.labels import IntoLabels
from suffice.data.levels import array_of
from suffice.data.source import Source
from suffice.data.table import IntoTable
from suffice.data.weights import Weights
from suffice.estimators.accuracy import Scored
from suffice.estimators.batchwise import batchwise
from suffice.estimators.face import Face, say_what_is_taken
from suffice.learn.complement import Complement, ComplementParameters, ComplementRecipe
from suffice.model.summary import Summary


@dataclass(eq=False, repr=False)
class ComplementNaiveBayes(ComplementParameters, Scored, Face):
    """Complement naive Bayes: each class is judged by the words of all other classes (Rennie et al. 2003).

    For a class with few rows, the words of all other classes say more than its own. The scores are not log densities,
    so there are no posteriors: `decision_function` gives the scores, `predict` the class with the largest.

    Parameters
    ----------
    smoothing : float
        The number of rows added to every word; above 0.
    normalised : bool
        Whether to divide the weights of each class by the sum of their sizes, so that no class gains weight because its
        words depend on each other: the "weight-normalised" variant of the paper.

    Examples
    --------
    >>> from suffice import ComplementNaiveBayes
    >>> model = ComplementNaiveBayes().fit({"goal": [2, 3, 0], "vote": [0, 1, 4]}, ["sport", "sport", "news"])
    >>> model.predict({"goal": [1], "vote": [0]}).tolist()
    ['sport']

    """

    RECIPE = ComplementRecipe

    model_: Complement = field(init=False)

    def recipe(self) -> ComplementRecipe:
        """The parameters as a value, from which models are learned."""
        return ComplementRecipe(self.smoothing, self.normalised)

    def _asked(self) -> Complement:
        check_is_fitted(self)
        return self.model_

    def fit(self, X: IntoRows, y: IntoLabels, sample_weight: Weights = None, classes: Classes = None) -> Self:
        """Learn from these rows alone, given as for NaiveBayes.

        Raises
        ------
        TableError
            If the rows cannot be read as a table, or there is not one label for each.
        KindError
            If a count is below 0.
        ParameterError
            If `smoothing` is not above 0.

        """
        return self.fit_source(Source.of(X, y, sample_weight, classes))

    def partial_fit(self, X: IntoRows, y: IntoLabels, classes: Classes = None, sample_weight: Weights = None) -> Self:
        """Learn from more rows."""
        recipe = self.recipe()
        recipe.check()  # before anything is counted
        if not self.__sklearn_is_fitted__():
            return self.fit(X, y, sample_weight, classes)
        return self.hold(recipe.more(self.model_, Source.of(X, y, sample_weight, classes, self.model_.schema)))

    @classmethod
    def from_summary(cls, summary: Summary, **parameters: Any) -> Self:
        """The model for the rows behind a summary that was collected with kinds="counts".

        Raises
        ------
        ParameterError
            If columns were not collected as counts.

        """
        model = cls(**parameters)
        return model.hold(model.recipe().of_summary(summary))

    @property
    def classes_(self) -> Values:
        """The classes, in the order of every answer."""
        return array_of(self._asked().classes)

    @property
    def weights_(self) -> Array:
        """The weight of each word for each class, (K, words)."""
        return self._asked().weights

    @property
    def summary_(self) -> Summary:
        """The counts of words that the weights follow from."""
        return self._asked().rows

    @batchwise
    def decision_function(self, X: IntoTable) -> Array:
        """Σ count · weight for each class, (N, K); for two classes, the second's minus the first's, (N,)."""
        model = self._asked()
        return model.scores(model.table(X))

    @batchwise
    def predict(self, X: IntoTable) -> Values:
        """The class whose complement fits worst; ties go to the first class.

        Raises
        ------
        TableError
            If the rows cannot be read, or lack a column of the model.
        NotFittedError
            If the model has not been fitted.

        """
        model = self._asked()
        return model.best(model.table(X))

    def __sklearn_tags__(self) -> Tags:
        tags = say_what_is_taken(super().__sklearn_tags__(), COUNTS)
        tags.classifier_tags.poor_score = True  # as scikit-learn's own says of itself
        return tags
