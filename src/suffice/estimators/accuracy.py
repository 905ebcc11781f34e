"""The score of every classifier of ours: the share of rows whose class is predicted.

In:  rows and their labels, of which every one must be known. Out: one number, as scikit-learn's searches ask for it.
"""

from abc import abstractmethod

import numpy as np
from sklearn.base import ClassifierMixin

from suffice.arrays import Values
from suffice.data.batches import IntoRows, named_apart
from suffice.data.labels import IntoLabels, known_labels
from suffice.data.levels import Level, array_of
from suffice.data.weights import Weights, row_weights


class Scored(ClassifierMixin):
    """A classifier whose answers are right or wrong."""

    @abstractmethod
    def predict(self, X: IntoRows) -> Values:
        """The class of each row."""

    def _means_unknown(self) -> Level | None:
        """The label that means "not known", beside None and NaN."""
        return None

    def score(self, X: IntoRows, y: IntoLabels, sample_weight: Weights = None) -> float:
        """The share of rows that are predicted correctly. Every row must have a class; arguments are as for `fit`.

        Raises
        ------
        UnknownLabelsError
            If the class of some row is not known.

        """
        X, y, sample_weight = named_apart(X, y, sample_weight)
        predicted = self.predict(X)
        codes, classes = known_labels(y, len(predicted), self._means_unknown())
        right = array_of(classes)[codes].astype(object) == predicted.astype(object)  # labels of any type
        return float(np.average(right.astype(float), weights=row_weights(sample_weight, len(predicted))))
