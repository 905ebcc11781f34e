"""Rows whose component nobody has seen: fitted by the one EM loop, whatever families the columns have."""

from abc import abstractmethod
from collections.abc import Mapping
from contextlib import closing
from copy import copy
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any, Self

import numpy as np
from sklearn.base import DensityMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from suffice.arrays import Array, Codes, Values, log_sum_exp
from suffice.data.batches import IntoRows, is_source, named_apart
from suffice.data.frames import Library
from suffice.data.labels import IntoLabels, known_labels, without_labels
from suffice.data.planning import Kinds, plan
from suffice.data.schema import Schema
from suffice.data.source import Source
from suffice.data.table import IntoTable, Table, read_table
from suffice.data.weights import Weights, row_weights
from suffice.decisions.posterior import shares, with_prior_where_impossible
from suffice.engines.lazy_rows import library
from suffice.errors import FileError, ParameterError, TooManyComponentsError
from suffice.estimators.batchwise import batchwise, by_name
from suffice.estimators.classifier import Classifier
from suffice.estimators.discriminants import covariance_in_words
from suffice.estimators.face import Face, say_what_is_taken
from suffice.estimators.in_batches import refuse_intervals
from suffice.estimators.parameters import Settings
from suffice.families.gaussian.family import Gaussian
from suffice.model.collect import numbers_together
from suffice.model.criteria import Criteria, criteria
from suffice.model.design import Design, numbers_in
from suffice.model.em.bootstrap import best_match
from suffice.model.em.intervals import left_open
from suffice.model.em.label_evidence import LabelEvidence
from suffice.model.em.run import Beginning, Guess, Mixed, Problem, posed, run, set_up
from suffice.model.em.search import Trace
from suffice.model.em.starts import KMEANS
from suffice.model.em.streamed import first_pass
from suffice.model.given import joint_of_tables
from suffice.model.joint import Joint
from suffice.model.rules import Control, Rules
from suffice.model.summary import Summary
from suffice.model.uncertainty import Reordered
from suffice.options import Seed, generator, numbers, shown, switch, whole
from suffice.printing.description import Text
from suffice.printing.language import word
from suffice.progress import watched
from suffice.store import Header


@dataclass(eq=False, repr=False)
class Unlabelled(DensityMixin, Face):
    """What mixtures share. A face says which Gaussian its numeric columns have by `_gaussian`."""

    components: int = 1
    _: KW_ONLY
    kinds: Kinds = None
    start: Any = KMEANS
    restarts: int = 10
    parameter_prior: Any = "weak"
    tol: float = 1e-6
    max_iter: int = 500
    smoothing: float = 1.0
    warm_start: bool = False
    random_state: Seed = 0
    intervals: Any = None

    NOUN, SHARE = "component", "weight"
    start_rows_: int = field(init=False)  # from which EM over batches began

    @abstractmethod
    def _gaussian(self) -> Gaussian:
        """Of which shape the covariance of numeric columns is, and whether it is shared."""

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
        if is_source(X):
            return self._fit_in_batches(Source.of(X, y, sample_weight))
        X, _, sample_weight = named_apart(X, y, sample_weight)
        control, table = self._control(), read_table(X)
        with self._learning():
            self._as_fitted = self._copied({"start": KMEANS})
            problem, schema, rows = self._set_up(table, sample_weight)
            start = self._start(rows, table.rows)
            if not isinstance(start, str) or self.components == 1:  # there is one start only
                control = replace(control, restarts=1)
            found = run(problem, start, control)
            self._left_open = left_open(problem, found.joint, control)
            return self._keep(schema, found, table.library)

    def _fit_in_batches(self, source: Source) -> Self:
        """A pass for each step of EM, from where it ends for a sample of the rows; start_rows_ says how many."""
        control = self._control()
        refuse_intervals(control)
        with self._learning(), closing(source.in_batches()) as named:
            self._as_fitted = self._copied({"start": KMEANS})
            rows = named.taken(replace(named.roles, label=None, left_out=named.roles.label))
            found = first_pass(rows, self._plan, None, generator(self.random_state), self._heard)
            if found.whole:
                return self.fit(found.sample, None, source.weights)
            self.start_rows_ = len(found.sample)
            evidence = LabelEvidence(found.labels, np.zeros(self.components, dtype=np.intp))
            problem = posed(found.apart, found.schema, evidence, self._design, self._rules(), found.cut_to)
            start = self._start(np.zeros(0, dtype=np.intp), found.number)
            if not isinstance(start, str | Joint):
                raise ParameterError("For rows that come in batches, start must be a name, a model or its tables.")
            model = start if isinstance(start, Joint) else None
            begun = model or Guess(self._copied({}).fit(found.sample, None, source.weights).joint_)
            return self._keep(found.schema, run(problem, begun, replace(control, restarts=1)), library(source.rows))

    def _control(self) -> Control:
        """How to search; parameters that make no sense are an error before any work."""
        whole(self.components, "components must be a whole number, 1 or more")
        switch(self.warm_start, "warm_start")
        self._gaussian()
        self._rules().check()
        return Control(self.tol, self.max_iter, self.restarts, self.random_state, self.intervals, watch=watched)

    def _set_up(self, table: Table, sample_weight: Weights) -> tuple[Problem, Schema, Codes]:
        """The problem to be solved, the columns, and which rows count."""
        weights = row_weights(sample_weight, table.rows)
        rows = np.flatnonzero(weights)
        if len(rows) < self.components:
            raise TooManyComponentsError(
                f"Found {len(rows)} samples for {self.components} components; there must be at least "
                "one for each. Use fewer components."
            )
        table, weights = (table, weights) if len(rows) == table.rows else (table.take(rows), weights[rows])
        schema, label_evidence = self._hinted(table), one_class(table.rows, self.components)
        return set_up(table, schema, label_evidence, weights, self._design, self._rules()), schema, rows

    def _design(self, summary: Summary) -> Design:
        numbers = numbers_in(summary)
        return Design([numbers] if numbers else [], self._gaussian())

    def _rules(self) -> Rules:
        return Rules("map", ("map",), self.smoothing, None, self.parameter_prior, self.__dataclass_fields__)

    def _unseen(self) -> str:
        return "ignore"

    def _plan(self, table: Table) -> Schema:
        schema = plan(table, self.kinds)
        return numbers_together(schema) if self._gaussian().shape.crosswise else schema

    def _start(self, rows: Codes, of: int) -> Beginning:
        """Where to begin, for the rows that count of all that there are."""
        if self.warm_start and self.__sklearn_is_fitted__():
            return self.joint_
        start = read_start(self.start, self)
        whole_table = not isinstance(start, str | Joint) and np.shape(start)[:1] == (of,)
        return np.asarray(start)[rows] if whole_table and len(rows) < of else start

    def _keep(self, schema: Schema, found: Mixed, library: Library | None) -> Self:
        self._know(schema, library)
        self._joint, self.summary_ = found.joint, found.summary
        return self._traced(found.trace)

    def _traced(self, trace: Trace | None) -> Self:
        self.trace_ = trace
        if trace is not None:
            self.n_iter_, self.converged_ = len(trace.objective), trace.converged
        return self

    def _recall(self, header: Header, arrays: Mapping[str, Array]) -> Self:
        return super()._recall(header, arrays)._traced(self.trace_)

    def _adopt(self, summary: Summary, joint: Joint | None = None) -> Self:
        if joint is None:
            raise FileError("The file holds a mixture without its parameters.")
        self._control()  # refuses parameters that make no sense
        self.summary_ = summary
        self._hold(joint)
        self._know(summary.schema, None)
        return self

    @classmethod
    def from_tables(cls, tables: Any, kinds: Kinds = None, joint: Any = None) -> Self:
        """A mixture from given parameters, in the form of tables(): the weights, and a table for each column.

        `kinds` is as for the constructor, and is needed only where the tables do not tell.

        Raises
        ------
        ParameterError
            If the tables do not have the form of tables(), or probabilities do not sum to 1.

        """
        return cls._holding(joint_of_tables(tables, cls.NOUN, "weight", kinds, joint), {"kinds": kinds})

    @classmethod
    def _holding(cls, joint: Joint, parameters: Settings) -> Self:
        count = len(joint.prevalence)
        mixed = replace(joint, classes=("all",), owners=np.zeros(count, dtype=np.intp))
        own = {name: value for name, value in parameters.items() if name in cls.__dataclass_fields__}
        return cls(count, **own)._hold(mixed)

    # answers

    @batchwise
    def _log_components(self, X: IntoTable) -> Array:
        check_is_fitted(self)
        return self.joint_.log_components(self._table(X), self._unseen())

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
        check_is_fitted(self)
        answers = self.joint_.component_answers(self._table(X), self._unseen(), shares)
        return with_prior_where_impossible(answers, self.weights_, self.joint_.schema)

    @batchwise
    def predict(self, X: IntoTable) -> Values:
        """The most probable component of each row; component 0 is the largest."""
        return np.asarray(np.argmax(self._log_components(X), axis=1))

    def _row_answers(self, X: IntoTable, proba: bool) -> dict[str, Values]:
        components = {self.NOUN: self.predict(X)}
        return components | (by_name(self._stubs(), self.predict_proba(X)) if proba else {})

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
        return self._criteria(X, sample_weight).bic

    def aic(self, X: IntoTable, sample_weight: Weights = None) -> float:
        """Akaike's criterion, −2 ln p(rows) + 2 · parameters; smaller is better."""
        return self._criteria(X, sample_weight).aic

    def icl(self, X: IntoTable, sample_weight: Weights = None) -> float:
        """The BIC of rows together with their most probable components; smaller is better, and overlap is penalised."""
        return self._criteria(X, sample_weight).icl

    def _criteria(self, X: IntoTable, sample_weight: Weights = None) -> Criteria:
        X, sample_weight = named_apart(X, sample_weight)
        logs = self._log_components(X)
        return criteria(logs, row_weights(sample_weight, len(logs)), self.joint_)

    def _called(self, components: Codes) -> Values:
        return components

    # what was learned

    @property
    def weights_(self) -> Array:
        """How common each component is."""
        check_is_fitted(self)
        return self.joint_.prevalence

    def relabelled(self, order: Any) -> Self:
        """A copy whose component i is this model's component order[i], in tables, answers and intervals.

        Raises
        ------
        ParameterError
            If `order` does not name each component once.

        """
        joint, count = self.joint_, len(self.weights_)
        found = numbers(order, "order")
        if found.ndim != 1 or sorted(found.tolist()) != list(range(count)):
            raise ParameterError(f"order must name each of the components 0 … {count - 1} once; found {shown(order)}.")
        chosen, other = found.astype(np.intp), copy(self)
        other._joint = joint.only(chosen)
        if self._learned_from_rows:
            other.summary_ = replace(self.summary_, statistics=self.summary_.statistics.only(chosen))
        open_still = vars(self).get("_left_open")
        other._left_open = None if open_still is None else Reordered(open_still, chosen, other._joint)
        return other

    def matched(self, X: IntoTable, to: Any) -> Self:
        """A copy with components in the order of another model's, or of classes, matched by the rows they share.

        `to` is a fitted model, a label for each row, or the name of the column of labels; classes are in sorted order.

        Raises
        ------
        ParameterError
            If `to` has another number of classes or components.

        """
        X, to = named_apart(X, to)
        mine = self.predict_proba(X)
        if isinstance(to, Face):
            theirs = to.joint_.component_answers(to._table(X), to._as_fitted._unseen(), shares)
        else:
            codes, classes = known_labels(to, len(mine), None)
            theirs = np.eye(len(classes))[codes]
        if theirs.shape != mine.shape:
            raise ParameterError(
                f"This mixture has {mine.shape[1]} components, but the model or labels to match have "
                f"{theirs.shape[1]}. Give a model, or labels, with as many as the mixture."
            )
        return self.relabelled(best_match(theirs.T @ mine, np.zeros(mine.shape[1], dtype=np.intp)))

    def _stubs(self) -> Values:
        return np.arange(len(self.weights_))

    def _headline(self) -> tuple[Text, ...]:
        numeric = any(block.numeric for block in self.joint_.schema.blocks)
        shape = [covariance_in_words(self._as_fitted._gaussian())] if numeric else []
        run = self.trace_
        if run is None:  # of given parameters, or a file of the first format
            return tuple(shape)
        named = {"value": f"{run.log_likelihood[-1]:.6g}", "steps": word("{n} step|{n} steps", n=self.n_iter_)}
        return (*shape, word("log likelihood {value} after {steps}", **named))

    def __sklearn_tags__(self) -> Tags:
        return say_what_is_taken(super().__sklearn_tags__(), self.kinds)


def read_start(given: Any, face: Unlabelled | Classifier) -> Beginning:
    """Where EM of a face is to begin: a name, parameters, or what can be an array."""
    if isinstance(given, str | Joint):
        return given
    if isinstance(given, Mapping):
        return joint_of_tables(given, face.NOUN, face.SHARE, face.kinds, None)
    if isinstance(given, Face):
        return given._with_parameters()
    try:
        return np.asarray(given)
    except ValueError:  # lists of different lengths
        raise ParameterError(
            f"start must be a name, labels or memberships of the rows, a model or its tables; found {shown(given)}."
        ) from None


def one_class(rows: int, components: int) -> LabelEvidence:
    """Labels that say nothing: every row may be of any component."""
    return LabelEvidence(without_labels(rows), np.zeros(components, dtype=np.intp))
