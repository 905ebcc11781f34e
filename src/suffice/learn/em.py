"""Settings of EM, which matter where something is hidden: labels, components, cells.

In:  settings as users give them.
Out: EM, a value that scikit-learn's searches can vary (em__restarts); Control, once they have been checked.
"""

from dataclasses import dataclass
from typing import Any

from sklearn.base import BaseEstimator

from suffice.errors import ParameterError
from suffice.model.rules import AUTO, Control
from suffice.options import Seed, shown
from suffice.progress import watched


@dataclass(repr=False)
class EM(BaseEstimator):
    """How EM learns what is hidden: labels that are not known or may be wrong, components, missing cells.

    Parameters
    ----------
    unlabelled_weight : float or "auto"
        How much a row without a label counts, from 0 to 1. "auto" chooses 0 or 0.1 by folds over the labelled rows,
        and more than 0 only if that gains more than two standard errors; if there are only a few such rows, they count
        fully, and if fewer than five rows have labels or a class has none, 0.1. `unlabelled_weight_` holds the choice.
    label_noise : None, "estimate" or {class: {label: probability}}
        How often labels are wrong: never, estimated under a prior that trusts labels, or given.
    restarts : int
        The number of runs, of which the best is kept, if classes have several components.
    tol : float
        EM goes on as long as a step gains at least this many nats per row.
    max_iter : int
        The most steps it may take.
    intervals : None, "information", "scores", "bootstrap" or ("bootstrap", draws)
        What `tables(level=…)`, `predict_interval` and `standard_errors` are based on, worked out at the end of fit:
        the observed information (Louis), outer products of scores, or EM run again on resampled rows.
    random_state : int

    Examples
    --------
    >>> from suffice import EM, NaiveBayes
    >>> NaiveBayes(em=EM(restarts=5)).get_params()["em__restarts"]
    5

    """

    unlabelled_weight: Any = AUTO
    label_noise: Any = None
    restarts: int = 10
    tol: float = 1e-6
    max_iter: int = 500
    intervals: Any = None
    random_state: Seed = 0

    def control(self) -> Control:
        """The settings, checked."""
        return Control(
            self.tol, self.max_iter, self.restarts, self.random_state, self.intervals, self.unlabelled_weight, watched
        )


def read_em(given: Any) -> EM:
    """Settings as they were given, or those that go without saying."""
    if given is None:
        return EM()
    if not isinstance(given, EM):
        raise ParameterError(f"em must be the settings of EM, such as EM(restarts=5), or None; found {shown(given)}.")
    return given
