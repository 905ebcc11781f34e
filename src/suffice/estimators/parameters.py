"""Parameters of every estimator of ours: known by name, settled once, and kept with what was learned by them.

In:  parameters as users give them; a face says which schema, design and rules follow from them.
Out: Named, for all; Learner, which has a summary of rows and the model that follows. What was fitted is what answers,
     prints and is saved: parameters given later, by set_params or otherwise, speak of the next fit.
"""

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from copy import deepcopy
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from suffice.arrays import Array
from suffice.data.frames import Library
from suffice.data.hints import tell
from suffice.data.schema import Schema
from suffice.data.table import Table
from suffice.errors import (
    FileError,
    GivenParametersError,
    HiddenCellsError,
    KindError,
    ParameterError,
    SingularError,
    UndeterminedWarning,
    UnknownParameterError,
    warn,
)
from suffice.learn.em import where_now
from suffice.model.design import Design
from suffice.model.em.search import Trace
from suffice.model.fit import fit
from suffice.model.joint import Joint
from suffice.model.rules import ESTIMATES, Control, Rules
from suffice.model.summary import Summary
from suffice.model.uncertainty import Uncertain
from suffice.options import number, whole
from suffice.printing.description import Description
from suffice.printing.html import as_html
from suffice.printing.text import as_text
from suffice.store import Header

INSTEAD = {  # what scikit-learn's users look for by its name there
    "class_weight": (
        "Use priors={class: probability}, here or in BayesDecision(model, priors=...), for the class priors where the "
        "model is used, BayesDecision(model, loss=...) for what mistakes cost, and sample_weight for how often a row "
        "counts."
    ),
    "alpha": "Rows added to every cell of a table of counts are called smoothing.",
    "class_prior": "The probabilities of the classes are called priors.",
    "fit_prior": "The probabilities of the classes are called priors: None (as in the rows) or 'uniform'.",
    "n_components": "Components of a mixture, or of each class, are called components.",
    "covariance_type": "Covariances have a shape ('full', 'diagonal', 'spherical') and are shared (True) or not.",
    "shrinkage": "Covariances are shrunk by shrink_shared and shrink_spherical in GaussianDiscriminant.",
}

COURSE: dict[str, Callable[[object], float]] = {  # numbers that tell how a model was learned, as files may have them
    "start_rows_": lambda given: whole(given, "start_rows_ must be a number of rows"),
    "unlabelled_weight_": lambda given: number(given, "unlabelled_weight_ must be 0 or more", lambda one: one >= 0),
}
Settings = dict[str, Any]  # parameters by name, as users hand them in
PLAIN = (str, int, float, bool, type(None))  # what needs no copy


class Named(BaseEstimator):
    """An estimator that takes no parameters but those it has; all are dataclasses."""

    def __new__(cls, *_: Any, **given: Any) -> Self:
        """An option that we do not have is refused with what there is instead."""
        own = _given(cls)
        for name in given:
            if name not in own:
                instead = where_now(name) if "em" in own else ""
                instead = instead or INSTEAD.get(name, f"It has {', '.join(own)}.")
                raise UnknownParameterError(f"{cls.__name__} has no parameter {name!r}. {instead}")
        new: Self = super().__new__(cls)
        return new

    @abstractmethod
    def __sklearn_is_fitted__(self) -> bool: ...

    @abstractmethod
    def description(self) -> Description:
        """What it has learned, as names and numbers: `plain()` is for JSON, and each of `tables` has a `frame()`."""

    def __str__(self) -> str:
        return as_text(self.description()) if self.__sklearn_is_fitted__() else repr(self)

    def _repr_html_inner(self) -> str:
        """For notebooks what was learned; before that, scikit-learn's drawing of its parameters."""
        learned = self.__sklearn_is_fitted__()
        return as_html(self.description()) if learned else str(super()._repr_html_inner())

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        found: dict[str, str] = super()._repr_mimebundle_(**kwargs)
        return {kind: self._repr_html_inner() if kind == "text/html" else shown for kind, shown in found.items()}


@dataclass(eq=False, repr=False)
class Learner(Named):
    """An estimator that learns from rows, and knows the parameters behind what it has learned."""

    TUNABLE: ClassVar[tuple[str, ...]] = ()  # parameters that may be "auto", and that tune() varies

    _as_fitted: Self = field(init=False)  # the parameters behind what was learned; not fitted itself
    _twin: bool = field(init=False, default=False)  # whether it is a copy
    _heard: set[tuple[str, str]] = field(init=False, default_factory=set)  # hints that it, or a copy, has told

    summary_: Summary = field(init=False)
    _joint: Joint | None = field(init=False)  # None until it is asked for
    _answering: Joint | None = field(init=False, default=None)  # by another estimate than EM goes by, once asked for
    _left_open: Uncertain | None = field(init=False)  # about what EM has found, where that was asked for
    trace_: Trace | None = field(init=False)  # of EM, where something was hidden
    _schema: Schema = field(init=False)
    _library: Library | None = field(init=False)  # the frame library of the table fitted on

    # settled once

    def _settled(self) -> Self:
        """A copy to learn by, with what is "auto" as it was chosen before."""
        return self._copied({name: self._chosen_before(name) for name in self._unsettled()})

    def _copied(self, chosen: Settings) -> Self:
        """Not fitted, with the parameters of now, but for some that were chosen."""
        own = {name: getattr(self, name) for name in _given(type(self))} | chosen
        return type(self)(**copied(own))._hears_with(self)

    def __sklearn_clone__(self) -> Self:
        clone: Self = super().__sklearn_clone__()
        return clone._hears_with(self)

    def _hears_with(self, other: Self) -> Self:
        """Copies, as searches make one for every fold, say no hint that one of them has said."""
        self._twin, self._heard = True, other._heard
        return self

    def _unsettled(self) -> list[str]:
        return [name for name in self.TUNABLE if _auto(getattr(self, name))]

    def _chosen_before(self, name: str) -> Any:
        if "_as_fitted" not in vars(self):
            raise ParameterError(
                f"{name}='auto' needs the rows one by one: use fit(X, y) first, or set {name} yourself."
            )
        return getattr(self._as_fitted, name)

    @property
    def settings_(self) -> Settings:
        """The parameters that may be "auto", as they were given or chosen in fitting."""
        check_is_fitted(self)
        return {name: getattr(self._as_fitted, name) for name in self.TUNABLE}

    # what its parameters mean

    @abstractmethod
    def _plan(self, table: Table) -> Schema:
        """Which kind each column is of, and what is modelled together."""

    @abstractmethod
    def _design(self, summary: Summary) -> Design:
        """How the columns of a summary are divided among families."""

    @abstractmethod
    def _rules(self) -> Rules:
        """What to believe beforehand, and what to make of the belief."""

    @abstractmethod
    def _control(self) -> Control:
        """How to search where something is hidden."""

    def _unseen(self) -> str:
        """What a category never seen in fitting is taken for."""
        return "error"

    def _hinted(self, table: Table) -> Schema:
        """The plan of a table, after its hints have been told."""
        schema = self._plan(table)
        tell(schema.hints, self._heard)
        return schema

    # what it has learned

    @contextmanager
    def _learning(self) -> Iterator[None]:
        """What is learned within is kept whole, or not at all."""
        before = dict(vars(self))
        if not self._twin:
            self._heard = set()
        try:
            yield
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise

    @abstractmethod
    def _adopt(self, summary: Summary, joint: Joint | None = None) -> Self:
        """What was learned before, from a file; a joint that was found by EM comes with it."""

    def _course(self) -> tuple[Header, dict[str, Array]]:
        """How it was learned, as plain data and arrays, beside what it has learned."""
        header: Header = {name: vars(self)[name] for name in COURSE if name in vars(self)}
        if self.trace_ is None:
            return header, {}
        told, arrays = self.trace_.packed()
        return header | {"trace": told}, arrays

    def _recall(self, header: Header, arrays: Mapping[str, Array]) -> Self:
        """How it was learned, from a file; files of the first format do not say."""
        for name in set(header) - {"trace"}:
            self.__dict__[name] = COURSE[name](header[name])
        if "trace" in header:
            self.trace_ = Trace.unpacked(header["trace"], arrays)
        elif arrays:
            raise FileError("The file holds arrays that it says nothing about.")
        with suppress(SingularError, KindError, HiddenCellsError):  # what these rows leave open, more may settle
            self._refuse_impossible()
        return self

    def _refuse_impossible(self) -> None:
        """Parameters that do not go together are an error when the file is read, not when the model is asked."""
        self._known_joint(aloud=False)

    def _hold(self, joint: Joint) -> Self:
        """Parameters that somebody gives: there is no summary_ behind them."""
        self._as_fitted = self._settled()
        self._know(joint.schema, None)
        self._joint, self._answering, self.trace_ = joint, None, None
        return self

    @property
    def _learned_from_rows(self) -> bool:
        return "summary_" in vars(self)

    def _refuse_given(self) -> None:
        """What takes rows, of a model that has none."""
        if self.__sklearn_is_fitted__() and not self._learned_from_rows:
            raise GivenParametersError(
                f"The parameters of this {type(self).__name__} were given, not learned: there is no summary_ of rows "
                "to add to, leave rows out of or compute evidence from. Use fit(X, y) to learn from rows."
            )

    def _know(self, schema: Schema, library: Library | None) -> None:
        self._schema, self._library = schema, library
        if schema.named:
            self.feature_names_in_ = np.array(schema.names, dtype=object)
        elif "feature_names_in_" in vars(self):
            del self.feature_names_in_
        self.n_features_in_ = len(schema.names)

    def __sklearn_is_fitted__(self) -> bool:
        return "_joint" in vars(self)

    @property
    def joint_(self) -> Joint:
        """The joint model itself: fitted from summary_, found by EM, or given."""
        check_is_fitted(self)
        return self._known_joint()

    def _known_joint(self, aloud: bool = True) -> Joint:
        if self._joint is None:
            self._joint = self._fitted_by(self._as_fitted._rules())
            if aloud:
                self._tell(self._joint)
        if self._joint.answered_by and self._answering is None:
            self._answering = self._answered_by(self._joint)
        return self._answering or self._joint

    def _answered_by(self, found: Joint) -> Joint:
        """By an estimate that EM cannot go by, from the rows as EM has ended with them, where these determine it."""
        try:
            return self._fitted_by(replace(self._as_fitted._rules(), auto=(found.answered_by,)))
        except SingularError:
            return found

    def _fitted_by(self, rules: Rules) -> Joint:
        return fit(self.summary_, self._as_fitted._design(self.summary_), rules)

    def _with_parameters(self) -> Joint:
        """The model; where "auto" has integrated parameters out, with the most probable ones."""
        joint, rules = self.joint_, self._as_fitted._rules()
        if joint.plug_in or rules.estimate != "auto":
            return joint
        return self._found() or self._fitted_by(replace(rules, estimate="map"))

    def _tell(self, joint: Joint) -> None:
        """Which estimate was used in the place of another, unless it, or a copy, has told."""
        told = ("estimate", joint.estimate)
        if joint.doubt and told not in self._heard:
            self._heard.add(told)
            warn(
                f"{joint.doubt}, so textbook estimates would not be well determined: estimate={joint.estimate!r} "
                f"is used, {ESTIMATES[joint.estimate].step.words} under a weak prior. Set estimate to choose for "
                "yourself; estimate='unbiased' is the textbook's.",
                UndeterminedWarning,
            )

    def _found(self) -> Joint | None:
        """The model, where it does not follow from a summary: EM has found it, or somebody gave it."""
        found = self._joint is not None and (self._joint.owners is not None or not self._learned_from_rows)
        return self._joint if found else None


def copied(settings: Settings) -> Settings:
    """Parameters that nobody else can change."""
    try:
        return {name: value if type(value) in PLAIN else deepcopy(value) for name, value in settings.items()}
    except TypeError as error:
        raise ParameterError(f"A parameter cannot be copied ({error}). Use a list or a dict.") from None


def _given(kind: type[Named]) -> list[str]:
    """The names of the parameters, in order."""
    return [part.name for part in fields(kind) if part.init]


def _auto(value: Any) -> bool:
    """Whether a parameter, or a part of it, is left to the rows."""
    if isinstance(value, str):
        return value == "auto"
    return isinstance(value, Mapping) and any(map(_auto, value.values()))
