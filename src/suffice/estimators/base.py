"""Stage 5, what all classifiers share with scikit-learn: fit, partial_fit, predict and their kin.

In:  the user's table and labels, in any form that stage 1 reads.
Out: a summary, the joint model fitted from it, and answers in scikit-learn's manner. A classifier itself only says
     which schema and which rules follow from its parameters.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Self

import numpy as np
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from suffice.arrays import Array, Codes, Values, log, log_sum_exp
from suffice.data.batches import IntoRows, named_apart
from suffice.data.frames import Library
from suffice.data.kinds import BINOMIAL, CATEGORICAL, GAUSSIAN, KINDS, Numbers
from suffice.data.labelled import Classes, Labelled
from suffice.data.labels import IntoLabels, Labels, known_labels
from suffice.data.levels import Levels, array_of
from suffice.data.planning import Kinds, by_column, declared_levels, like, read_kind
from suffice.data.schema import ColumnPlan, Schema
from suffice.data.source import Source
from suffice.data.table import IntoTable
from suffice.data.weights import Weights, row_weights
from suffice.decisions.posterior import against_first, log_shares, shares, with_prior_where_impossible
from suffice.errors import HiddenLabelsError, ParameterError, UnknownParameterError
from suffice.estimators.accuracy import Scored
from suffice.estimators.batchwise import batchwise, by_name
from suffice.estimators.in_batches import LearnsInBatches
from suffice.estimators.parameters import Settings
from suffice.estimators.tuning import titled, tuned
from suffice.estimators.unlabelled_rows import weighed, weight_for
from suffice.estimators.validation import Examination
from suffice.learn.em import EM, read_em, where_now, with_own_em
from suffice.model.collect import summary_of
from suffice.model.criteria import Criteria, free_parameters
from suffice.model.design import Design
from suffice.model.em.intervals import left_open, left_open_by_cells
from suffice.model.em.label_evidence import LabelEvidence, numbers_of, read_noise
from suffice.model.em.run import Mixed, Problem, run, set_up
from suffice.model.em.starts import KMEANS
from suffice.model.joint import Answer, Joint
from suffice.model.rules import Control, Rules, read_unlabelled_weight
from suffice.model.summary import Summary
from suffice.model.uncertainty import Uncertain, uncertain
from suffice.printing.description import Text
from suffice.printing.language import word, worded
from suffice.words import listed


@dataclass(kw_only=True, eq=False, repr=False)  # writes the constructor, whose arguments scikit-learn asks for
class GenerativeClassifier(Scored, LearnsInBatches):
    """A prior over classes times a density of the columns given the class."""

    components: Any = 1
    unknown: Any = None
    em: EM | None = None
    _declared: Classes = field(init=False)  # classes that the first of several batches came with

    def _settings(self) -> tuple[Text, ...]:
        """What to print of the parameters."""
        return ()

    def _control(self) -> Control:
        return read_em(self.em).control()

    def set_params(self, **params: Any) -> Self:
        """Change parameters, or by `em__…` settings of EM, in a copy: an EM that somebody holds stays as it is."""
        if "em" in self.get_params(deep=False):
            for name in params:
                if instead := where_now(name):
                    raise UnknownParameterError(f"{type(self).__name__} has no parameter {name!r}. {instead}")
            params = with_own_em(params, self.em)
        changed: Self = super().set_params(**params)
        return changed

    def _settle(self, settings: Self) -> None:
        """Learn by these settings; those that make no sense are an error before any work, needed here or not."""
        settings._rules().check()
        settings._control()
        self._as_fitted = settings

    # learning

    def fit(self, X: IntoRows, y: IntoLabels, sample_weight: Weights = None, classes: Classes = None) -> Self:
        """Learn from these rows alone.

        `y` holds the class of each row and `sample_weight` how often the row counts. Either may be the name of a
        column of X, which is then not used as a feature. `classes` lists every possible class, in case some have
        no rows.

        Raises
        ------
        TableError
            If the rows cannot be read as a table, or there is not one label for each.
        KindError
            If a column holds cells that its kind does not allow.
        ParameterError
            If a setting is not known, or does not fit the rows or another setting.
        SingularError
            If the rows do not determine a variance that `estimate` asks for.

        """
        return self._fit(Source.of(X, y, sample_weight, classes, kinds=self.kinds))

    def _fit(self, source: Source) -> Self:
        with self._learning():
            self._declared = source.classes
            self._settle(self._copied(self._tuned(source, self._unsettled())))
            if source.streams:
                self._learned_in_batches(source)
            else:
                self._learned(source.known(self.unknown), source.table.library)
            self._known_joint()  # parameters that cannot be estimated are an error now
        return self

    def _tuned(self, source: Source, names: Sequence[str]) -> Settings:
        """Settings left to the rows, chosen by exact leave-one-out; everything that was tried is in tuned_.

        The best of many settings owes some of its lead to chance, so the plainest stay where they are nearly as good.
        """
        self.__dict__.pop("tuned_", None)
        if not names:
            return {}
        plain = self._plainest(names)
        self.tuned_ = tuned(self._weighing(source, plain), names, Examination(source))
        chosen = self.tuned_.beyond_doubt(titled(plain, plain)).model
        return {name: getattr(chosen, name) for name in names}

    def _weighing(self, source: Source, plain: Settings) -> Self:
        """The model, for which rows without a label count as they do for the plainest settings.

        Were that found anew for every setting and fold, most of the work would be that.
        """
        known = source.known(self.unknown)
        if not known.labels.hidden or read_unlabelled_weight(read_em(self.em).unlabelled_weight) is not None:
            return self
        weight = weight_for(self._copied(plain), known, read_em(self.em).unlabelled_weight)
        return self._copied({"em": replace(read_em(self.em), unlabelled_weight=weight)})

    def _learned(self, known: Labelled, library: Library | None, aloud: bool = True) -> Self:
        self.__dict__.pop("unlabelled_weight_", None)
        if known.labels.hidden:
            known.labels.refuse_one_known()
            how = self._as_fitted
            self.unlabelled_weight_ = weight_for(how, known, read_em(how.em).unlabelled_weight)
            known = weighed(known, self.unlabelled_weight_)
        planned = self._as_fitted._hinted if aloud else self._as_fitted._plan
        label_evidence, schema = self._label_evidence(known.labels), planned(known.table)
        self._know(schema, library)
        if label_evidence is None:
            return self._take(summary_of(known, schema))
        return self._search(known, self._as_fitted._posed(known, schema, label_evidence))

    def _posed(self, known: Labelled, schema: Schema, label_evidence: LabelEvidence) -> Problem:
        """What EM has to solve."""
        return set_up(known.table, schema, label_evidence, known.weights, self._design, self._rules())

    def _anew(self, known: Labelled) -> Self:
        copy, how = self._settled(), read_em(self.em)
        copy._as_fitted = self if how.intervals is None else self._copied({"em": replace(how, intervals=None)})
        copy._learned(known, None, aloud=False)._known_joint(aloud=False)
        return copy

    def _take(self, summary: Summary) -> Self:
        self.summary_ = summary
        self.classes_ = array_of(summary.classes)
        self._joint, self._answering, self._left_open, self.trace_ = None, None, None, None
        return self

    def _search(self, known: Labelled, problem: Problem) -> Self:
        """EM over what is hidden."""
        how, several = self._as_fitted, len(problem.rows.label_evidence.owners) > len(known.classes)
        control = how._control()
        found = run(problem, KMEANS, control if several else replace(control, restarts=1))
        self._ended(found, known.classes)
        self._left_open = left_open(problem, found.joint, control)
        return self

    def _ended(self, found: Mixed, classes: Levels) -> Self:
        """What EM has found."""
        self._take(replace(found.summary, classes=found.joint.components))
        self.classes_ = array_of(classes)
        self._joint, self.trace_ = found.joint, found.trace
        return self

    def partial_fit(self, X: IntoRows, y: IntoLabels, classes: Classes = None, sample_weight: Weights = None) -> Self:
        """Learn from more rows, given as for `fit`. Parameters are worked out when they are first needed.

        Raises
        ------
        HiddenLabelsError
            If the class of some row is not known; `fit` can learn from such rows.
        GivenParametersError
            If the parameters were given, not learned from rows.

        """
        fitted = self.__sklearn_is_fitted__()
        source = Source.of(X, y, sample_weight, classes, self._schema if fitted else None, self.kinds)
        with self._learning():
            if not fitted:
                return self._begin(source)
            self._refuse_given()
            if self._found() is not None:
                raise HiddenLabelsError(self.NEEDS_LABELS)
            self._settle(self._settled())
            declared, plan = self._declared if classes is None else classes, partial(like, self.summary_.schema)
            both = self.summary_ + self._more(source, plan, declared)
            self._as_fitted._closed_form(both)  # parameters may have changed, but not to what these rows cannot say
            self._know(both.schema, self._library)
            return self._take(both)

    def _begin(self, source: Source) -> Self:
        """The first of several batches."""
        self._settle(self._settled())
        self._declared = source.classes
        if source.streams:
            return self._closed_in_batches(source)
        known = source.known(self.unknown)
        if self._label_evidence(known.labels) is not None:
            raise HiddenLabelsError(self.NEEDS_LABELS)
        return self._learned(known, source.table.library)

    @classmethod
    def from_summary(cls, summary: Summary, **parameters: Any) -> Self:
        """The model that `fit` would give for the rows behind a summary; takes the parameters of the constructor.

        Raises
        ------
        ParameterError
            If `summary` is not what `collect` gives.
        HiddenLabelsError
            If a class has several components, or labels may be wrong; `fit` can learn that.

        """
        if not isinstance(summary, Summary):
            raise ParameterError(f"from_summary takes what collect() gives; found {type(summary).__name__}. Use fit.")
        model = cls(**parameters)._adopt(summary)
        model._known_joint()  # parameters that cannot be estimated are an error now
        return model

    def _adopt(self, summary: Summary, joint: Joint | None = None) -> Self:
        self._declared = None
        self._settle(self._settled())
        if joint is None:
            self._as_fitted._closed_form(summary)  # refuses what a summary cannot say
        self._know(summary.schema, None)
        self._take(summary)
        if joint is not None:
            self._joint, self._answering, self.classes_ = joint, None, array_of(joint.classes)
        return self

    def _hold(self, joint: Joint) -> Self:
        self._declared, self.classes_ = None, array_of(joint.classes)
        return super()._hold(joint)

    def _closed_form(self, summary: Summary) -> tuple[Summary, Design, Rules]:
        if max(numbers_of(self.components, summary.classes)) > 1 or read_em(self.em).label_noise is not None:
            raise HiddenLabelsError(self.NEEDS_LABELS)
        return summary, self._design(summary), self._rules()

    def _label_evidence(self, labels: Labels) -> LabelEvidence | None:
        """What labels say about the components of the classes, or None where they say all."""
        one_each = type(self.components) is int and self.components == 1
        if one_each and read_em(self.em).label_noise is None and not labels.hidden:
            return None
        owners = np.repeat(np.arange(len(labels.classes)), numbers_of(self.components, labels.classes))
        found = LabelEvidence(labels, owners, *read_noise(read_em(self.em).label_noise, labels.classes))
        return found if found.hidden else None

    # answers

    @batchwise
    def log_joint(self, X: IntoTable) -> Array:
        """Ln p(row, class) as (N, K), the quantity that Bayes' rule starts from."""
        check_is_fitted(self)
        return self.joint_.log_joint(self._table(X), self._as_fitted._unseen())

    @batchwise
    def log_density(self, X: IntoTable) -> Array:
        """Ln p(row | class) as (N, K), in the order of classes_."""
        check_is_fitted(self)
        return self.joint_.log_density(self._table(X), self._as_fitted._unseen())

    @batchwise
    def decision_function(self, X: IntoTable) -> Array:
        """For two classes, ln P(second | row) − ln P(first | row), (N,); for more, ln p(row, class), (N, K).

        Always finite: values beyond ±1e100 are clipped, and a row that no class can have produced gets the priors.
        """
        scores = self.log_joint(X)
        scores[np.isneginf(scores).all(axis=1)] = np.nan
        return against_first(with_prior_where_impossible(scores, log(self.priors_), self.joint_.schema))

    def log_likelihood(self, X: IntoRows, y: IntoLabels, sample_weight: Weights = None) -> float:
        """The log likelihood of labelled rows, Σ ln p(row, its class); rows are given as for `fit`."""
        return self._criteria(self.joint_, X, y, sample_weight).log_likelihood

    def bic(self, X: IntoRows, y: IntoLabels, sample_weight: Weights = None) -> float:
        """Bayes' information criterion, −2 ln p(rows, classes) + parameters · ln N; smaller is better."""
        return self._criteria(self._counted(), X, y, sample_weight).bic

    def aic(self, X: IntoRows, y: IntoLabels, sample_weight: Weights = None) -> float:
        """Akaike's criterion, −2 ln p(rows, classes) + 2 · parameters; smaller is better."""
        return self._criteria(self._counted(), X, y, sample_weight).aic

    def _criteria(self, joint: Joint, X: IntoRows, y: IntoLabels, sample_weight: Weights) -> Criteria:
        X, y, sample_weight = named_apart(X, y, sample_weight)
        logs = joint.log_joint(self._table(X), self._as_fitted._unseen())
        codes, found = known_labels(y, len(logs), self._as_fitted.unknown)
        places = np.array([joint.position(name) for name in found], dtype=np.intp)
        weights, own = row_weights(sample_weight, len(logs)), logs[np.arange(len(logs)), places[codes]]
        log_likelihood = float(weights @ own) if np.isfinite(own).all() else -np.inf
        return Criteria(log_likelihood, joint.parameters, float(weights.sum()))

    def _counted(self) -> Joint:
        """The model with known parameters, and how many of them are free."""
        joint, how = self._with_parameters(), self._as_fitted
        if not joint.plug_in:
            raise ParameterError(
                "Information criteria need a number of parameters, but estimate='predictive' integrates them out. Use "
                "estimate='map'."
            )
        if (found := self._found()) is not None:
            return found
        return replace(joint, parameters=free_parameters(self.summary_, how._design(self.summary_), how._rules()))

    def _called(self, components: Codes) -> Values:
        owners = self.joint_.owners
        return np.asarray(self.classes_[components if owners is None else owners[components]])

    @batchwise
    def score_samples(self, X: IntoTable) -> Array:
        """Ln p(row), summed over all classes."""
        return log_sum_exp(self.log_joint(X))

    @batchwise
    def predict_log_proba(self, X: IntoTable) -> Array:
        """Ln P(class | row) as (N, K), in the order of classes_."""
        return with_prior_where_impossible(self._answers(X, log_shares), log(self.priors_), self.joint_.schema)

    @batchwise
    def predict_proba(self, X: IntoTable) -> Array:
        """P(class | row) as (N, K), in the order of classes_.

        Raises
        ------
        TableError
            If the rows cannot be read, or lack a column of the model.
        UnseenCategoryError
            If a category is new, and the model was made with unseen="error".
        NotFittedError
            If the model has not been fitted.

        """
        return with_prior_where_impossible(self._answers(X, shares), self.priors_, self.joint_.schema)

    def _answers(self, X: IntoTable, answer: Answer) -> Array:
        check_is_fitted(self)
        return self.joint_.answers(self._table(X), self._as_fitted._unseen(), answer)

    @batchwise
    def predict(self, X: IntoTable) -> Values:
        """The most probable class of each row; ties go to the class that comes first in classes_."""
        best = np.argmax(self.predict_log_proba(X), axis=1)
        return np.asarray(self.classes_[best])

    def _row_answers(self, X: IntoTable, proba: bool) -> dict[str, Values]:
        logs = self.predict_log_proba(X)
        classes = {self.NOUN: self.classes_[np.argmax(logs, axis=1)]}
        return classes | (by_name(self.classes_, np.exp(logs)) if proba else {})

    def _means_unknown(self) -> Any:
        return self._as_fitted.unknown

    def _uncertain(self) -> Uncertain:
        if self._found() is not None:
            return super()._uncertain()
        how = self._as_fitted
        model = self.joint_, self.summary_, how._design(self.summary_), how._rules()
        return uncertain(*model) or left_open_by_cells(*model)

    # what was learned

    @property
    def n_iter_(self) -> int:
        """The number of EM steps; 1 where nothing was hidden."""
        check_is_fitted(self)
        if self.trace_ is None and self._found() is not None:
            raise AttributeError(
                "There is no number of EM steps: given parameters need none, and files of the first format do not say."
            )
        return 1 if self.trace_ is None else len(self.trace_.objective)

    @property
    def confusion_(self) -> Array:
        """P(label | class), labels down and classes across, for models with em=EM(label_noise=…)."""
        check_is_fitted(self)
        found = self._found()
        if found is None or found.confusion is None:
            raise AttributeError(
                "There is no confusion_: this model assumes that labels are never wrong (em=EM(label_noise=None))."
            )
        return found.confusion

    @property
    def estimate_(self) -> str:
        """The estimate that the model uses."""
        return self.joint_.estimate

    def _stubs(self) -> Values:
        return array_of(self.joint_.components)

    def _headline(self) -> tuple[Text, ...]:
        return (word("estimate {name}", name=worded(self.estimate_)), *self._as_fitted._settings())

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def ignored(kinds: Kinds, summary: Summary) -> frozenset[str]:
    """Columns of a summary that are declared "ignore"; any other kind must be the one they were collected with."""
    plain = isinstance(kinds, str) and kinds in KINDS and not KINDS[kinds].numbers
    if kinds is None or (plain and all(block.kind == kinds for block in summary.schema.blocks)):
        return frozenset()
    names, columns = summary.schema.names, summary.schema.columns
    declared, all_levels = by_column(kinds, names), declared_levels(kinds, names)
    for name, given in declared.items():
        if name not in names:
            raise ParameterError(f"kinds has {{{name!r}: {given!r}}}, but the columns are {listed(names)}.")
        kind, numbers = read_kind(name, given)
        collected_as, levels = [c for c in columns if c.name == name], set(all_levels.get(name, ()))
        fits = any(_collected_so(c, kind, numbers) and levels in (set(), set(c.levels)) for c in collected_as)
        if kind != "ignore" and not fits:
            held = f" of {listed(collected_as[0].levels)}" if levels and collected_as else ""
            kept = f"collected as {collected_as[0].described}{held}" if collected_as else ""
            was = kept or "left out when the rows were collected"
            raise ParameterError(
                f"Column '{name}' was {was} and cannot be modelled as {given!r}. Declare that kind when collecting."
            )
    return frozenset(name for name, kind in declared.items() if kind == "ignore")


def _collected_so(column: ColumnPlan, kind: str, numbers: Numbers) -> bool:
    """Whether a column was collected as what it is declared now, its numbers included."""
    if kind == "binary" and column.categorical:
        return len(column.levels) < 3
    if column.tallied:
        return kind in (GAUSSIAN, CATEGORICAL)
    kind = BINOMIAL if kind == "binary" else kind
    return (kind, numbers) == (column.kind, column.numbers)
