"""Complement naive Bayes: each class weighed by the words of all others, from the counts of naive Bayes."""

from dataclasses import dataclass, field
from os import PathLike
from typing import Any, Self

import numpy as np
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from suffice.arrays import Array, Values
from suffice.data.batches import IntoRows
from suffice.data.blocks import cut
from suffice.data.kinds import COUNTS
from suffice.data.labelled import Classes
from suffice.data.labels import IntoLabels
from suffice.data.levels import array_of
from suffice.data.schema import Schema
from suffice.data.source import Source
from suffice.data.table import IntoTable
from suffice.data.weights import Weights
from suffice.errors import ParameterError
from suffice.estimators.accuracy import Scored
from suffice.estimators.batchwise import AnswersRows, batchwise
from suffice.estimators.face import say_what_is_taken
from suffice.estimators.files import Packed, packed_model
from suffice.estimators.naive_bayes import NaiveBayes
from suffice.estimators.parameters import Named, Settings
from suffice.families.capabilities import CountsCells
from suffice.model.rules import MOST_SMOOTHING
from suffice.model.summary import Summary
from suffice.options import number, switch
from suffice.printing.description import Description, Series, Sheet, sizes
from suffice.printing.language import word
from suffice.printing.numbers import amount
from suffice.reporting.describe import MOST_WORDS
from suffice.store import write


@dataclass(eq=False, repr=False)
class ComplementNaiveBayes(AnswersRows, Scored, Named):
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

    smoothing: float = 1.0
    normalised: bool = False
    counts_: NaiveBayes = field(init=False)  # what was counted
    _as_fitted: Settings = field(init=False)  # the parameters behind what was learned

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
        settings = self._checked()
        source = Source.of(X, y, sample_weight, classes)
        if source.batches is None:
            source.known(None).refuse_hidden()
        return self._take(NaiveBayes(kinds=COUNTS)._fit(source), settings)

    def partial_fit(self, X: IntoRows, y: IntoLabels, classes: Classes = None, sample_weight: Weights = None) -> Self:
        """Learn from more rows."""
        if not self.__sklearn_is_fitted__():
            return self.fit(X, y, sample_weight, classes)
        settings = self._checked()  # before anything is counted
        return self._take(self.counts_.partial_fit(X, y, classes, sample_weight), settings)

    @classmethod
    def from_summary(cls, summary: Summary, **parameters: Any) -> Self:
        """The model for the rows behind a summary that was collected with kinds="counts".

        Raises
        ------
        ParameterError
            If columns were not collected as counts.

        """
        model = cls(**parameters)
        return model._take(NaiveBayes.from_summary(summary, kinds=COUNTS), model._checked())

    def _checked(self) -> Settings:
        wanted = "smoothing must be a number of rows, above 0"
        number(self.smoothing, wanted, lambda rows: rows > 0)
        amount = number(self.smoothing, f"{wanted}, at most {MOST_SMOOTHING:g}", lambda rows: rows <= MOST_SMOOTHING)
        return {"smoothing": amount, "normalised": switch(self.normalised, "normalised")}

    def _take(self, counted: NaiveBayes, settings: Settings) -> Self:
        [piece] = counted.summary_.pieces()
        if not isinstance(piece.family, CountsCells):
            raise ParameterError("Complement naive Bayes needs rows of counts: a number, 0 or more, for each word.")
        self._as_fitted = settings
        self.counts_, self.classes_ = counted, array_of(counted.summary_.classes)
        self.n_features_in_ = counted.n_features_in_
        if "feature_names_in_" in vars(counted):
            self.feature_names_in_ = counted.feature_names_in_
        [counts] = piece.family.counts(piece.statistics)
        self.weights_ = _weights(counts, **settings)
        return self

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to a file that `suffice.load` reads back bit for bit."""
        write(path, *self._packed())

    def _packed(self) -> Packed:
        check_is_fitted(self)
        return packed_model(type(self).__name__, self._as_fitted, self.counts_.summary_, None)

    def _columns_read(self) -> Schema:
        check_is_fitted(self)
        return self.counts_._columns_read()

    @batchwise
    def decision_function(self, X: IntoTable) -> Array:
        """Σ count · weight for each class, (N, K); for two classes, the second's minus the first's, (N,)."""
        check_is_fitted(self)
        table = self.counts_._table(X)
        cells = cut(table, self.counts_.summary_.schema, "ignore")
        scores = np.concatenate([blocks[0] @ self.weights_.T for _, blocks in cells])
        return np.asarray(scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores)

    def predict(self, X: IntoTable) -> Values:
        """The class whose complement fits worst; ties go to the first class.

        Raises
        ------
        TableError
            If the rows cannot be read, or lack a column of the model.
        NotFittedError
            If the model has not been fitted.

        """
        scores = self.decision_function(X)
        best = (scores > 0).astype(np.intp) if scores.ndim == 1 else np.argmax(scores, axis=1)
        return np.asarray(self.classes_[best])

    def _row_answers(self, X: IntoTable, proba: bool) -> dict[str, Values]:
        return {"class": self.predict(X)}

    def __sklearn_is_fitted__(self) -> bool:
        return "counts_" in vars(self)

    def description(self) -> Description:
        """The words that speak most for each class against all others."""
        summary, names = self.counts_.summary_, self.counts_._schema.names
        order = np.argsort(-(self.weights_ - self.weights_.mean(axis=0)), axis=1, kind="stable")[:, :MOST_WORDS]
        lines = [", ".join(names[j] for j in row) for row in order]
        rows = Series(word("rows"), summary.statistics.weight, amount)
        sheet = Sheet(word("class"), summary.classes, [rows, Series(word("most telling"), lines)])
        many = sizes({"row": summary.n, "class": len(summary.classes), "column": len(names)})
        return Description((type(self).__name__, *many, word("smoothing {number}", number=self.smoothing)), [sheet])

    def __sklearn_tags__(self) -> Tags:
        tags = say_what_is_taken(super().__sklearn_tags__(), COUNTS)
        tags.classifier_tags.poor_score = True  # as scikit-learn's own says of itself
        return tags


def _weights(counts: Array, smoothing: float, normalised: bool) -> Array:
    """−ln of the share of each word in all other classes; of a single class, in its own."""  # (K, words)
    others = counts.sum(axis=0) - counts if len(counts) > 1 else counts
    share = (others + smoothing) / (others + smoothing).sum(axis=1, keepdims=True)
    weights = -np.log(share)
    return np.asarray(weights / np.abs(weights).sum(axis=1, keepdims=True) if normalised else weights)
