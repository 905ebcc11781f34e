"""How many components, of which shape: mixtures side by side, by an information criterion."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np
from sklearn.base import clone

from suffice.arrays import Array
from suffice.data.frames import columns_out
from suffice.data.table import read_table
from suffice.errors import ParameterError, SufficeError
from suffice.estimators.unlabelled import Unlabelled
from suffice.reporting.progress import progress
from suffice.reporting.text import aligned

CRITERIA = ("bic", "icl", "aic")


@dataclass(frozen=True, eq=False)
class Candidate:
    components: int
    shape: str
    shared: bool
    model: Unlabelled | None = field(repr=False)
    values: dict[str, float]  # criterion → value; NaN where it could not be fitted
    note: str = ""


@dataclass(frozen=True, eq=False)
class Choice:
    """Mixtures that were tried: `best` is fitted, `table()` has them all, `plots.choice(choice)` draws them."""

    candidates: tuple[Candidate, ...]
    criterion: str
    library: Any = field(default=None, repr=False)

    @property
    def best(self) -> Unlabelled:
        values = [candidate.values[self.criterion] for candidate in self.candidates]
        if np.isnan(values).all():
            raise ParameterError(f"None of the mixtures could be fitted. {self.candidates[0].note}")
        found: Any = self.candidates[int(np.nanargmin(values))].model
        return found  # type: ignore[no-any-return]

    def table(self) -> Any:
        """Everything that was tried, a row each; small criteria are good."""
        return columns_out(self.library, self._columns())

    def _columns(self) -> dict[str, Array]:
        columns: dict[str, Any] = {
            "components": [c.components for c in self.candidates],
            "shape": [c.shape for c in self.candidates],
            "shared": [c.shared for c in self.candidates],
        }
        columns |= {name: [c.values[name] for c in self.candidates] for name in ("log likelihood", *CRITERIA)}
        columns["note"] = [c.note for c in self.candidates]
        return {name: np.array(values) for name, values in columns.items()}

    def __repr__(self) -> str:
        order = np.argsort([c.values[self.criterion] for c in self.candidates])
        some = [self.candidates[i] for i in order[:12]]
        names = [f"{c.components} {c.shape}, {'shared' if c.shared else 'own'}" for c in some]
        columns = {name: [f"{c.values[name]:.1f}" for c in some] for name in ("log likelihood", *CRITERIA)}
        columns |= {"": [c.note.split(".")[0] for c in some]} if any(c.note for c in some) else {}
        more = f"\n… the best of {len(order)} by {self.criterion}; table() has them all" if len(order) > 12 else ""
        return aligned("components", names, columns) + more


def choose(
    model: Unlabelled,
    X: Any,
    components: Iterable[int] = range(1, 7),
    *,
    shapes: Iterable[str] | None = None,
    shared: Iterable[bool] | None = None,
    criterion: str = "bic",
    sample_weight: Any = None,
) -> Choice:
    """Mixtures with several numbers of components, shapes and sharings, by BIC, ICL or AIC.

    Shapes and sharing are those of the model unless given: shapes=("full", "diagonal"), shared=(False, True).
    """
    if criterion not in CRITERIA:
        raise ParameterError(f"criterion={criterion!r} is not known; use one of {', '.join(CRITERIA)}.")
    grid = list(product(shapes or [model.shape], [model.shared] if shared is None else shared, components))
    settings = [{"components": k, "shape": shape, "shared": tied} for shape, tied, k in grid]
    tried = [_tried(model, some, X, sample_weight) for some in progress(settings, "mixtures", len(settings))]
    return Choice(tuple(tried), criterion, read_table(X).library)


def _tried(model: Unlabelled, settings: dict[str, Any], X: Any, sample_weight: Any) -> Candidate:
    known = {name: value for name, value in settings.items() if name in model.get_params()}
    try:
        fitted = clone(model).set_params(**known).fit(X, sample_weight=sample_weight)
    except SufficeError as error:
        return Candidate(
            **settings, model=None, values=dict.fromkeys(("log likelihood", *CRITERIA), np.nan), note=str(error)
        )
    found = fitted._criteria(X, sample_weight)
    values = {"log likelihood": found.log_likelihood} | {name: getattr(found, name) for name in CRITERIA}
    return Candidate(**settings, model=fitted, values=values)
