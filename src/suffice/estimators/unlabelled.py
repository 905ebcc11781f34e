"""Rows whose component nobody has seen: what mixtures share with scikit-learn.

In:  the user's table, in any form that stage 1 reads, and where EM is to begin.
Out: answers about components, from the model that EM finds.
"""

from collections.abc import Mapping
from copy import copy
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import DensityMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from suffice.arrays import Array, Values, log_sum_exp
from suffice.data.batches import IntoRows, named_apart
from suffice.data.labelled import Labelled
from suffice.data.labels import IntoLabels, known_labels
from suffice.data.planning import Kinds
from suffice.data.source import Source
from suffice.data.table import IntoTable
from suffice.data.weights import Weights, row_weights
from suffice.errors import ParameterError
from suffice.estimators.batchwise import batchwise
from suffice.estimators.density_face import DensityFace
from suffice.estimators.face import say_what_is_taken
from suffice.learn.densities import Densities
from suffice.learn.mixture import MixtureModel, UnlabelledParameters, UnlabelledRecipe, unlabelled
from suffice.learn.model import Settings
from suffice.model.criteria import Criteria, criteria
from suffice.model.em.bootstrap import best_match
from suffice.model.em.run import Beginning
from suffice.model.em.search import Trace
from suffice.model.given import joint_of_tables
from suffice.model.joint import Joint
from suffice.options import numbers, shown

IntoStart = Beginning | DensityFace | Mapping[str, Any] | ArrayLike  # a way, a model, its tables, or an array of rows


class Unlabelled(UnlabelledParameters, DensityMixin, DensityFace):
    """The base of all mixtures: they learn from rows without labels, and tell of components."""

    RECIPE: ClassVar[type[UnlabelledRecipe]]

    model_: MixtureModel

    def recipe(self) -> UnlabelledRecipe:
        """The parameters as a value, from which models are learned; where EM begins is no part of it."""
        found = self.RECIPE.of({name: getattr(self, name) for name in self.RECIPE.offers() if name != "start"})
        assert isinstance(found, UnlabelledRecipe)  # as RECIPE says
        return found

    def _asked(self) -> MixtureModel:
        check_is_fitted(self)
        return self.model_

    def fit(self, X: IntoRows, y: IntoLabels = None, sample_weight: Weights = None) -> Self:
        """Learn from these rows. `y` is ignored; a column named as `y` or as the weights is not used as a feature.

        Raises
        ------
        TableError
            If the rows cannot be read as a table.
        KindError
            If a column holds cells that its kind does not allow.
        ParameterError
            If a setting is not known, or does not fit the rows or another setting.
        TooManyComponentsError
            If there are fewer rows than components.

        """
        return self.fit_source(Source.of(X, y, sample_weight))

    def fit_source(self, source: Source) -> Self:
        """Learn from rows that may have been read already."""
        self.start_anew()
        recipe = self.recipe()
        recipe.check()
        if source.streams:
            return self.hold(recipe.learn_in_batches(source, self.beginning(source)))
        known = unlabelled(source.X, source.sample_weight)
        recipe.refuse_few(known.table.rows)
        return self.hold(recipe.learn_from(known, self.beginning(source, known)))

    def beginning(self, source: Source, known: Labelled | None = None) -> Beginning:
        """Read where EM begins; of an array with a line for each row of the table, keep those of rows that count."""
        if self.warm_start and self.fitted is not None:
            return self._asked().joint
        start = read_start(self.start, self.kinds, MixtureModel)
        if isinstance(start, str | Joint) or known is None or known.kept is None:
            return start
        return start[known.kept] if np.shape(start)[:1] == (source.table.rows,) else start

    @classmethod
    def from_tables(cls, tables: Any, kinds: Kinds = None, joint: Any = None) -> Self:
        """A mixture from given parameters, in the form of tables(): the weights, and a table for each column.

        `kinds` is as for the constructor, and is needed only where the tables do not tell.

        Raises
        ------
        ParameterError
            If the tables do not have the form of tables(), or probabilities do not sum to 1.

        """
        return cls._holding(
            joint_of_tables(tables, MixtureModel.NOUN, MixtureModel.SHARE, kinds, joint), {"kinds": kinds}
        )

    @classmethod
    def _holding(cls, joint: Joint, parameters: Settings) -> Self:
        count = len(joint.prevalence)
        mixed = replace(joint, classes=("all",), owners=np.zeros(count, dtype=np.intp))
        own = {name: value for name, value in parameters.items() if name in cls.RECIPE.offers()}
        face = cls(count, **own)
        return face.hold(face.recipe().given(mixed))

    # answers

    @batchwise
    def _log_components(self, X: IntoTable) -> Array:
        model = self._asked()
        return model.log_components(model.table(X))

    @batchwise
    def predict_proba(self, X: IntoTable) -> Array:
        """P(component | row), as (N, K).

        Raises
        ------
        TableError
            If the rows cannot be read, or lack a column of the model.
        NotFittedError
            If the model has not been fitted.

        """
        model = self._asked()
        return model.posterior(model.table(X))

    @batchwise
    def predict(self, X: IntoTable) -> Values:
        """The most probable component of each row; component 0 is the largest."""
        return np.asarray(np.argmax(self._log_components(X), axis=1))

    def fit_predict(self, X: IntoTable, y: IntoLabels = None, sample_weight: Weights = None) -> Values:
        return self.fit(X, y, sample_weight).predict(X)

    @batchwise
    def score_samples(self, X: IntoTable) -> Array:
        """Ln p(row)."""
        return log_sum_exp(self._log_components(X))

    def score(self, X: IntoTable, y: IntoLabels = None) -> float:
        """The mean of ln p(row)."""
        return float(self.score_samples(X).mean())

    def bic(self, X: IntoTable, sample_weight: Weights = None) -> float:
        """Bayes' information criterion, −2 ln p(rows) + parameters · ln N; smaller is better."""
        return self.criteria(X, sample_weight).bic

    def aic(self, X: IntoTable, sample_weight: Weights = None) -> float:
        """Akaike's criterion, −2 ln p(rows) + 2 · parameters; smaller is better."""
        return self.criteria(X, sample_weight).aic

    def icl(self, X: IntoTable, sample_weight: Weights = None) -> float:
        """The BIC of rows together with their most probable components; smaller is better, and overlap is penalised."""
        return self.criteria(X, sample_weight).icl

    def criteria(self, X: IntoTable, sample_weight: Weights = None) -> Criteria:
        """All information criteria of rows at once."""
        X, sample_weight = named_apart(X, sample_weight)
        logs = self._log_components(X)
        return criteria(logs, row_weights(sample_weight, len(logs)), self._asked().joint)

    # what was learned

    @property
    def weights_(self) -> Array:
        """The share of each component among the rows."""
        return self._asked().joint.prevalence

    @property
    def n_iter_(self) -> int:
        """The number of EM steps."""
        return len(self._course("n_iter_").objective)

    @property
    def converged_(self) -> bool:
        """True if EM has settled."""
        return self._course("converged_").converged

    def _course(self, name: str) -> Trace:
        trace = self._asked().trace
        if trace is None:
            raise AttributeError(
                f"There is no {name}: given parameters need no steps of EM, and files of the first format do not say."
            )
        return trace

    def relabelled(self, order: ArrayLike) -> Self:
        """A copy whose component i is this model's component order[i], in tables, answers and intervals.

        Raises
        ------
        ParameterError
            If `order` does not name each component once.

        """
        model, count = self._asked(), len(self.weights_)
        found = numbers(order, "order")
        if found.ndim != 1 or sorted(found.tolist()) != list(range(count)):
            raise ParameterError(f"order must name each of the components 0 … {count - 1} once; found {shown(order)}.")
        other = copy(self)
        other.model_ = model.reordered(found.astype(np.intp))
        return other

    def matched(self, X: IntoTable, to: DensityFace | IntoLabels) -> Self:
        """A copy with components in the order of another model's, or of classes, matched by the rows they share.

        `to` is a fitted model, a label for each row, or the name of the column of labels; classes are in sorted order.

        Raises
        ------
        ParameterError
            If `to` has another number of classes or components.

        """
        X, to = named_apart(X, to)
        mine = self.predict_proba(X)
        theirs = _memberships(to, X, len(mine))
        if theirs.shape != mine.shape:
            raise ParameterError(
                f"This mixture has {mine.shape[1]} components, but the model or labels to match have "
                f"{theirs.shape[1]}. Give a model, or labels, with as many as the mixture."
            )
        return self.relabelled(best_match(theirs.T @ mine, np.zeros(mine.shape[1], dtype=np.intp)))

    def __sklearn_tags__(self) -> Tags:
        return say_what_is_taken(super().__sklearn_tags__(), self.kinds)


def _memberships(given: DensityFace | IntoLabels, X: IntoTable, rows: int) -> Array:
    """P(component | row) by another model, or 0 and 1 by labels."""
    if isinstance(given, DensityFace):
        check_is_fitted(given)
        return given.model_.component_posterior(given.model_.table(X))
    codes, classes = known_labels(given, rows, None)
    return np.eye(len(classes))[codes]


def read_start(given: IntoStart, kinds: Kinds, of: type[Densities]) -> Beginning:
    """Read where EM begins for a kind of model: the name of a way, parameters, or anything that can be an array."""
    if isinstance(given, str | Joint):
        return given
    if isinstance(given, Mapping):
        return joint_of_tables(given, of.NOUN, of.SHARE, kinds, None)
    if isinstance(given, DensityFace):
        check_is_fitted(given)
        return given.model_.with_parameters
    try:
        return np.asarray(given)
    except ValueError:  # lists of different lengths
        raise ParameterError(
            f"start must be a name, labels or memberships of the rows, a model or its tables; found {shown(given)}."
        ) from None
