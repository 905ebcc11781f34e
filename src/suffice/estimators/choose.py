"""How many components, of which shape: mixtures side by side, by an information criterion."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import clone

from suffice.arrays import Array
from suffice.data.frames import Library, columns_out, named_apart
from suffice.data.kinds import GAUSSIAN, JOINT
from suffice.data.table import IntoTable, Table, read_table
from suffice.errors import CollapsedError, ParameterError, SingularError, TooManyComponentsError
from suffice.estimators.parameters import Settings
from suffice.estimators.unlabelled import Unlabelled
from suffice.families.gaussian.shapes import SHAPES
from suffice.model.collect import Weights, row_weights
from suffice.options import one_of, switch, whole
from suffice.progress import progress
from suffice.reporting.text import aligned

CRITERIA = ("bic", "icl", "aic")
COMPONENTS = "components are whole numbers of 1 or more, such as range(1, 7) or (2, 3)"
FORMS = "shapes are some of full, diagonal and spherical, such as ('full', 'diagonal')"
TIES = "shared is some of True and False, such as (False, True)"


@dataclass(frozen=True, eq=False)
class Candidate:
    components: int
    shape: str | None  # of the covariance of numeric columns; None where there are none
    shared: bool | None
    model: Unlabelled | None = field(repr=False)
    values: dict[str, float]  # criterion → value; NaN where it could not be fitted
    note: str = ""

    @property
    def form(self) -> str:
        """What is chosen besides the number of components, in words."""
        return "" if self.shape is None else f"{self.shape}, {'shared' if self.shared else 'own'}"


@dataclass(frozen=True, eq=False)
class Choice:
    """Mixtures that were tried: `best` is fitted, `table()` has them all, `plots.choice(choice)` draws them."""

    candidates: tuple[Candidate, ...]
    criterion: str
    library: Library | None = field(default=None, repr=False)

    @property
    def best(self) -> Unlabelled:
        return self._fitted()[self.winner]

    @property
    def winner(self) -> int:
        """Which of the candidates is best."""
        fitted = self._fitted()
        if not fitted:
            raise ParameterError(f"None of the mixtures could be fitted. {self.candidates[0].note}")
        return min(fitted, key=lambda i: self.candidates[i].values[self.criterion])

    def _fitted(self) -> dict[int, Unlabelled]:
        return {i: c.model for i, c in enumerate(self.candidates) if c.model is not None}

    def table(self) -> Any:
        """Everything that was tried, a row each; small criteria are good."""
        return columns_out(self.library, self._columns())

    def _columns(self) -> dict[str, Array]:
        columns: dict[str, Any] = {"components": [c.components for c in self.candidates]}
        if any(c.form for c in self.candidates):
            columns |= {name: [getattr(c, name) for c in self.candidates] for name in ("shape", "shared")}
        columns |= {name: [c.values[name] for c in self.candidates] for name in ("log likelihood", *CRITERIA)}
        columns["note"] = [c.note for c in self.candidates]
        return {name: np.array(values) for name, values in columns.items()}

    def __repr__(self) -> str:
        order = np.argsort([c.values[self.criterion] for c in self.candidates])
        some = [self.candidates[i] for i in order[:12]]
        names = [f"{c.components} {c.form}".strip() for c in some]
        columns = {name: [f"{c.values[name]:.1f}" for c in some] for name in ("log likelihood", *CRITERIA)}
        columns |= {"": [c.note.split(".")[0] for c in some]} if any(c.note for c in some) else {}
        more = f"\n… the best of {len(order)} by {self.criterion}; table() has them all" if len(order) > 12 else ""
        return aligned("components", names, columns) + more


def choose(
    model: Unlabelled,
    X: IntoTable,
    components: Iterable[int] = range(1, 7),
    *,
    shapes: Iterable[str] | None = None,
    shared: Iterable[bool] | None = None,
    criterion: str = "bic",
    sample_weight: Weights = None,
) -> Choice:
    """Mixtures with several numbers of components, shapes and sharings, by BIC, ICL or AIC.

    Shapes and sharing are those of the model unless given: shapes=("full", "diagonal"), shared=(False, True). A model
    without numeric columns has none.
    """
    if not isinstance(model, Unlabelled):
        raise ParameterError(
            f"choose takes a Mixture or LatentClass, which it fits with several numbers of components; found {model!r}."
        )
    one_of(criterion, "criterion", CRITERIA)
    model._control()
    X, sample_weight = named_apart(X, sample_weight)
    table = read_table(X)
    row_weights(sample_weight, table.rows)
    numbers = [whole(k, COMPONENTS) for k in _several(components, COMPONENTS)]
    forms = _forms(model, table, shapes, shared)
    settings = [form | {"components": k} for form in forms for k in numbers]
    tried = [_tried(model, some, X, sample_weight) for some in progress(settings, "mixtures", len(settings))]
    return Choice(tuple(tried), criterion, table.library)


def _several(given: Any, expected: str) -> list[Any]:
    """Some values, at least one; a text is one value."""
    try:
        found = [] if isinstance(given, str | bytes | Mapping) else list(given)
    except TypeError:  # one value by itself
        found = []
    if not found:
        raise ParameterError(f"{expected}; found {given!r}.")
    return found


def _forms(model: Unlabelled, table: Table, shapes: Any, shared: Any) -> list[Settings]:
    """Shapes and sharings to try, where the model has numeric columns and can have any but its own."""
    own, has = model._gaussian(), {"shape", "shared"} <= set(model.get_params())
    numeric = any(block.kind in (GAUSSIAN, JOINT) for block in model._plan(table).blocks)
    if not (has and numeric) and not (shapes is None and shared is None):
        why = f"{type(model).__name__} has no shape to choose" if not has else "there are no numeric columns"
        raise ParameterError(
            f"shapes and shared are about the covariance of numeric columns, but {why}. Leave them out."
        )
    names = [own.shape.name] if shapes is None else [one_of(name, "shapes", SHAPES) for name in _several(shapes, FORMS)]
    ties = [own.shared] if shared is None else [switch(tied, "shared") for tied in _several(shared, TIES)]
    return [{"shape": name, "shared": tied} for name in names for tied in ties] if numeric else [{}]


def _tried(model: Unlabelled, settings: Settings, X: IntoTable, sample_weight: Weights) -> Candidate:
    known = {name: value for name, value in settings.items() if name in model.get_params()}
    named: Settings = {"shape": None, "shared": None} | settings
    try:
        fitted = clone(model).set_params(**known).fit(X, sample_weight=sample_weight)
    except (CollapsedError, SingularError, TooManyComponentsError) as error:
        unknown = dict.fromkeys(("log likelihood", *CRITERIA), np.nan)
        return Candidate(**named, model=None, values=unknown, note=str(error))
    found = fitted._criteria(X, sample_weight)
    values = {"log likelihood": found.log_likelihood} | {name: getattr(found, name) for name in CRITERIA}
    return Candidate(**named, model=fitted, values=values)
