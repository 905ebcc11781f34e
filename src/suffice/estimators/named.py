"""Parameters of every estimator of ours: known by name, and refused with what there is instead where there are none.

In:  parameters as users give them.
Out: Named, for all estimators, which print what they have learned.
"""

from abc import abstractmethod
from dataclasses import fields
from typing import Any, Self

from sklearn.base import BaseEstimator

from suffice.errors import UnknownParameterError
from suffice.learn.em import where_now
from suffice.printing.description import Description
from suffice.printing.html import as_html
from suffice.printing.text import as_text

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


class Named(BaseEstimator):
    """An estimator that takes no parameters but those it has; all are dataclasses."""

    def __new__(cls, *_: Any, **given: Any) -> Self:
        """An option that we do not have is refused with what there is instead."""
        own = parameters_of(cls)
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
        """The learned model as names and numbers: `plain()` is for JSON, and each of `tables` has a `frame()`."""

    def __str__(self) -> str:
        return as_text(self.description()) if self.__sklearn_is_fitted__() else repr(self)

    def _repr_html_inner(self) -> str:
        """Show in notebooks what was learned; before that, scikit-learn's drawing of the parameters."""
        learned = self.__sklearn_is_fitted__()
        return as_html(self.description()) if learned else str(super()._repr_html_inner())

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        found: dict[str, str] = super()._repr_mimebundle_(**kwargs)
        return {kind: self._repr_html_inner() if kind == "text/html" else shown for kind, shown in found.items()}


def parameters_of(kind: type[Named]) -> list[str]:
    """The names of its parameters, in order."""
    return [part.name for part in fields(kind) if part.init]
