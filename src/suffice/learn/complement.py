"""Recipe of complement naive Bayes: each class weighed by the words of all others, from the counts of naive Bayes.

In:  a summary of rows of counts, or the rows.
Out: Complement: scores of classes, which are no log densities, so that there are no posteriors.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from suffice.arrays import Array, Values
from suffice.data.blocks import cut
from suffice.data.frames import Library
from suffice.data.kinds import COUNTS
from suffice.data.labelled import Labelled
from suffice.data.levels import Levels, array_of
from suffice.data.schema import Schema
from suffice.data.source import Source
from suffice.data.table import IntoTable, Table
from suffice.engines.scoring.answers import Scoring
from suffice.errors import NoDensityError, NoFormulaError, ParameterError
from suffice.families.capabilities import CountsCells
from suffice.learn.densities import Densities
from suffice.learn.model import Model, Packed
from suffice.learn.naive_bayes import NaiveBayesRecipe
from suffice.learn.packing import packed_model
from suffice.learn.recipe import Recipe
from suffice.model.rules import MOST_SMOOTHING
from suffice.model.summary import Summary
from suffice.options import number, switch
from suffice.printing.description import Description, Series, Sheet, sizes
from suffice.printing.language import word
from suffice.printing.numbers import amount
from suffice.reporting.describe import MOST_WORDS

NO_POSTERIORS = "Scores of complement naive Bayes are no log densities, so there are no posteriors; use NaiveBayes."
COUNTING = NaiveBayesRecipe(kinds=COUNTS)


@dataclass(frozen=True, eq=False)
class Complement(Model):
    recipe: "ComplementRecipe"
    counted: Densities
    weights: Array  # (K, words)
    schema: Schema
    classes: Levels
    library: Library | None

    @property
    def rows(self) -> Summary:
        """The summary of the words that were counted."""
        return self.counted.rows

    @property
    def read(self) -> Schema:
        return self.counted.read

    def table(self, X: IntoTable) -> Table:
        return self.counted.table(X)

    def scores(self, table: Table) -> Array:
        """Σ count · weight for each class; for two classes, the second's minus the first's."""  # (N, K) or (N,)
        cells = cut(table, self.rows.schema, "ignore")
        scores = np.concatenate([blocks[0] @ self.weights.T for _, blocks in cells])
        return np.asarray(scores[:, 1] - scores[:, 0] if len(self.classes) == 2 else scores)

    def best(self, table: Table) -> Values:
        """The class whose complement fits worst."""
        scores = self.scores(table)
        found = (scores > 0).astype(np.intp) if scores.ndim == 1 else np.argmax(scores, axis=1)
        return np.asarray(array_of(self.classes)[found])

    def answers(self, X: IntoTable, proba: bool) -> Mapping[str, Values]:
        return {self.NOUN: self.best(self.table(X))}

    def log_posterior(self, table: Table) -> Array:
        raise NoDensityError(NO_POSTERIORS)

    def scoring(self, output: str) -> Scoring:
        raise NoFormulaError("There is no SQL for complement naive Bayes; use NaiveBayes.")

    def description(self) -> Description:
        """The words that speak most for each class against all others."""
        names = self.schema.names
        order = np.argsort(-(self.weights - self.weights.mean(axis=0)), axis=1, kind="stable")[:, :MOST_WORDS]
        lines = [", ".join(names[j] for j in row) for row in order]
        rows = Series(word("rows"), self.rows.statistics.weight, amount)
        sheet = Sheet(word("class"), self.classes, [rows, Series(word("most telling"), lines)])
        many = sizes({"row": self.rows.n, "class": len(self.classes), "column": len(names)})
        smoothing = word("smoothing {number}", number=self.recipe.smoothing)
        return Description((self.recipe.name, *many, smoothing), [sheet])

    def packed(self) -> Packed:
        return packed_model(self.recipe.name, self.recipe.parameters, self.rows, None)


@dataclass(eq=False, repr=False)
class ComplementParameters:
    smoothing: float = 1.0
    normalised: bool = False


@dataclass(eq=False, repr=False)
class ComplementRecipe(ComplementParameters, Recipe):
    name = "ComplementNaiveBayes"
    POSTERIORS = False

    def check(self) -> None:
        wanted = "smoothing must be a number of rows, above 0"
        number(self.smoothing, wanted, lambda rows: rows > 0)
        number(self.smoothing, f"{wanted}, at most {MOST_SMOOTHING:g}", lambda rows: rows <= MOST_SMOOTHING)
        switch(self.normalised, "normalised")

    def learn(self, known: Labelled) -> Complement:
        known.refuse_hidden()
        return self.of_counts(COUNTING.learn(known))

    def learn_of(self, source: Source) -> Complement:
        if source.batches is None:
            source.known(None).refuse_hidden()
        return self.of_counts(COUNTING.learn_of(source))

    def more(self, before: Complement, source: Source) -> Complement:
        """The model of the rows before and of more."""
        return self.of_counts(COUNTING.more(before.counted, source))

    def of_summary(self, summary: Summary) -> Complement:
        """The model that the rows behind a summary give."""
        return self.of_counts(COUNTING.of_summary(summary))

    def of_counts(self, counted: Densities) -> Complement:
        """The model that follows from what was counted."""
        self.check()
        [piece] = counted.rows.pieces()
        if not isinstance(piece.family, CountsCells):
            raise ParameterError("Complement naive Bayes needs rows of counts: a number, 0 or more, for each word.")
        [counts] = piece.family.counts(piece.statistics)
        weights = _weights(counts, float(self.smoothing), self.normalised)
        return Complement(self, counted, weights, counted.schema, counted.classes, counted.library)


def _weights(counts: Array, smoothing: float, normalised: bool) -> Array:
    """−ln of the share of each word in all other classes; of a single class, in its own."""  # (K, words)
    others = counts.sum(axis=0) - counts if len(counts) > 1 else counts
    share = (others + smoothing) / (others + smoothing).sum(axis=1, keepdims=True)
    weights = -np.log(share)
    return np.asarray(weights / np.abs(weights).sum(axis=1, keepdims=True) if normalised else weights)
