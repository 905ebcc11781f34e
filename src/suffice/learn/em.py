"""Stage 5, the settings of EM: how a classifier searches where something is hidden.

In:  settings as users give them, or nothing.
Out: EM, which every classifier that learns by EM takes as `em`; its Control, in which they are checked; what to write
     where a setting was given in another way.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Self, TypeVar

from sklearn.base import BaseEstimator, clone

from suffice.errors import ParameterError, UnknownParameterError
from suffice.model.em.label_evidence import Noise
from suffice.model.rules import AUTO, Control
from suffice.options import Seed, shown
from suffice.progress import watched

T = TypeVar("T")
Setting = Seed | str | float | tuple[str, int] | Noise


class OnlyItsOwn(BaseEstimator):
    """Settings by name: one that its class does not have is refused with those that it has."""

    def __new__(cls, *_: Setting, **given: Setting) -> Self:
        for name in given:
            if name not in SETTINGS:
                raise UnknownParameterError(f"EM has no parameter {name!r}. It has {', '.join(SETTINGS)}.")
        new: Self = super().__new__(cls)
        return new


@dataclass(eq=False, repr=False)
class EM(OnlyItsOwn):
    """Settings of EM, by which classifiers learn what is hidden; where nothing is hidden, they do not matter.

    Hidden are labels that are not known or may be wrong, and the component of each row if a class has several. A search
    of scikit-learn varies these settings as `em__restarts`, `em__tol` and so on; `set_params(em__restarts=3)` changes
    one of a classifier, and never an EM that you or another classifier hold.

    Parameters
    ----------
    unlabelled_weight : float or "auto"
        How much a row without a label counts, from 0 to 1. "auto" chooses 0 or 0.1 by folds over the labelled rows,
        and more than 0 only if that gains more than two standard errors; if there are only a few such rows, they count
        fully, and if fewer than five rows have labels or a class has none, 0.1. `unlabelled_weight_` of the classifier
        holds the choice.
    label_noise : None, "estimate" or {class: {label: probability}}
        How often labels are wrong: never, estimated under a prior that trusts labels, or given. A tree has no use for
        it, and refuses it.
    restarts : int
        The number of runs, of which the best is kept, as for Mixture. Where each class is one component, there is a
        single run.
    tol : float
        EM goes on as long as a step gains at least this many nats per row.
    max_iter : int
        The most steps that EM may take.
    intervals : None, "information", "scores", "bootstrap" or ("bootstrap", draws)
        What `tables(level=…)`, `predict_interval` and `standard_errors` are based on where EM found the parameters, as
        for Mixture. A tree has no intervals, and refuses this.
    random_state : int
        The seed of all starts and draws.

    Examples
    --------
    >>> from suffice import EM, NaiveBayes
    >>> table, labels = {"height": [1.0, 1.2, 1.1, 5.0, 5.2, 1.3]}, ["low", "low", None, "high", "high", "high"]
    >>> model = NaiveBayes(em=EM(unlabelled_weight=1, label_noise="estimate")).fit(table, labels)
    >>> model.confusion_.shape
    (2, 2)
    >>> model.set_params(em__restarts=3)
    NaiveBayes(em=EM(label_noise='estimate', restarts=3, unlabelled_weight=1))

    """

    unlabelled_weight: float | str = AUTO
    label_noise: Noise = None
    restarts: int = 10
    tol: float = 1e-6
    max_iter: int = 500
    intervals: str | tuple[str, int] | None = None
    random_state: Seed = 0

    def __eq__(self, other: object) -> bool:
        """The same settings are the same EM."""
        return isinstance(other, EM) and self.get_params(deep=False) == other.get_params(deep=False)

    def control(self) -> Control:
        """The settings as the search takes them; what makes no sense is refused, needed or not.

        Raises
        ------
        ParameterError
            If a number is out of its range, or a name is not known.

        """
        return Control(
            self.tol,
            self.max_iter,
            self.restarts,
            self.random_state,
            self.intervals,
            self.unlabelled_weight,
            watched,
        )


SETTINGS = tuple(part.name for part in fields(EM))
NESTED = "em__"  # what their names begin with among the parameters of a classifier


def read_em(given: object) -> EM:
    """The settings that were given; None stands for the usual ones."""
    if given is None:
        return EM()
    if not isinstance(given, EM):
        named = isinstance(given, Mapping) and set(given) <= set(SETTINGS)
        meant = EM(**given) if isinstance(given, Mapping) and named else "EM(restarts=3), say"
        raise ParameterError(f"em must be EM(...) or None; found {shown(given)}. Write em={meant}.")
    return given


def with_own_em(parameters: dict[str, T], given: EM | None) -> dict[str, T]:
    """Parameters of a classifier with those of its EM, em__…, in one of its own: that which was given may be shared."""
    nested = {name.removeprefix(NESTED): value for name, value in parameters.items() if name.startswith(NESTED)}
    others = {name: value for name, value in parameters.items() if not name.startswith(NESTED)}
    return others | {"em": clone(read_em(others.get("em", given))).set_params(**nested)} if nested else others


def where_now(name: str) -> str:
    """The way to write a setting of EM that was given to the classifier itself; empty for any other name."""
    return f"{name}=… is a setting of EM: em=EM({name}=…)." if name in SETTINGS else ""
