"""Parameters of every estimator of ours: known by name, settled once, and kept as they were when it learned.

What was fitted is what answers, prints and is saved: parameters given later, by set_params or otherwise, speak of the
next fit.
"""

from abc import abstractmethod
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Self

from sklearn.base import BaseEstimator

from suffice.errors import ParameterError, UnknownParameterError
from suffice.printing.description import Description
from suffice.printing.html import as_html
from suffice.printing.text import as_text

INSTEAD = {  # what scikit-learn's users look for by its name there
    "class_weight": "How common classes are where the model is used is said by priors={class: probability}, of the "
    "model or of BayesDecision(model, priors=...), what mistakes cost by BayesDecision(model, loss=...), and how often "
    "a row counts by sample_weight.",
    "alpha": "Rows added to every cell of a table of counts are called smoothing.",
    "class_prior": "The probabilities of the classes are called priors.",
    "fit_prior": "The probabilities of the classes are called priors: None (as in the rows) or 'uniform'.",
    "n_components": "Components of a mixture, or of each class, are called components.",
    "covariance_type": "Covariances have a shape ('full', 'diagonal', 'spherical') and are shared (True) or not.",
    "shrinkage": "Covariances are shrunk by shrink_shared and shrink_spherical, of GaussianDiscriminant.",
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
                raise UnknownParameterError(
                    f"{cls.__name__} has no parameter {name!r}. " + INSTEAD.get(name, f"It has {', '.join(own)}.")
                )
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
class Settled(Named):
    """An estimator that knows the parameters behind what it has learned."""

    TUNABLE: ClassVar[tuple[str, ...]] = ()  # parameters that may be "auto", and that tune() varies

    _as_fitted: Self = field(init=False)  # the parameters behind what was learned; not fitted itself
    _twin: bool = field(init=False, default=False)  # whether it is a copy
    _heard: set[tuple[str, str]] = field(init=False, default_factory=set)  # hints that it, or a copy, has told

    def _settled(self) -> Self:
        """A copy to learn by, with what is "auto" as it was chosen before."""
        return self._copied({name: self._chosen_before(name) for name in self._unsettled()})

    def _copied(self, chosen: Settings) -> Self:
        """Not fitted, with the parameters of now, but for some that were chosen."""
        own = {name: getattr(self, name) for name in _given(type(self))} | chosen
        try:
            kept = {name: value if type(value) in PLAIN else deepcopy(value) for name, value in own.items()}
            return type(self)(**kept)._hears_with(self)
        except TypeError as error:
            raise ParameterError(f"A parameter is no value that can be kept ({error}). Use a list or a dict.") from None

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
            raise ParameterError(f"{name}='auto' is chosen by fit(X, y), which sees the rows one by one.")
        return getattr(self._as_fitted, name)


def _given(kind: type[Named]) -> list[str]:
    """The names of the parameters, in order."""
    return [part.name for part in fields(kind) if part.init]


def _auto(value: Any) -> bool:
    """Whether a parameter, or a part of it, is left to the rows."""
    if isinstance(value, str):
        return value == "auto"
    return isinstance(value, Mapping) and any(map(_auto, value.values()))
