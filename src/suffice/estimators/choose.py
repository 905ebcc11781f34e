"""How many components, of which shape: mixtures side by side, by an information criterion."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import clone

from suffice.arrays import Array
from suffice.data.frames import Library, named_apart
from suffice.data.table import IntoTable, Table, read_table
from suffice.data.weights import Weights, row_weights
from suffice.errors import CollapsedError, ParameterError, SingularError, TooManyComponentsError
from suffice.estimators.unlabelled import Unlabelled
from suffice.families.gaussian.shapes import SHAPES
from suffice.learn.model import Settings
from suffice.options import one_of, switch, whole
from suffice.printing.description import Description, Series, Sheet, Text
from suffice.printing.language import word, worded
from suffice.printing.numbers import fixed
from suffice.printing.printed import Printed
from suffice.progress import progress

MOST_SHOWN = 12
CRITERIA = ("bic", "icl", "aic")
COMPONENTS = "components must be whole numbers, 1 or more, such as range(1, 7) or (2, 3)"
FORMS = "shapes must be some of full, diagonal and spherical, such as ('full', 'diagonal')"
TIES = "shared must be some of True and False, such as (False, True)"


@dataclass(frozen=True, eq=False)
class Candidate:
    components: int
    shape: str | None  # the shape of the covariance; None if there are no numeric columns
    shared: bool | None
    model: Unlabelled | None = field(repr=False)
    values: dict[str, float]  # criterion → value; NaN if the mixture could not be fitted
    note: str = ""

    @property
    def tie(self) -> Text:
        """Say in a word whether all components share one covariance."""
        return word("shared") if self.shared else word("own")

    @property
    def form(self) -> str:
        """Describe in words what is chosen besides the number of components; empty if nothing is."""
        return "" if self.shape is None else f"{self.shape}, {'shared' if self.shared else 'own'}"


@dataclass(frozen=True, eq=False, repr=False)
class Choice(Printed):
    """The mixtures that were tried: `best` is fitted, `table()` lists them all, `plots.choice(choice)` draws them."""

    candidates: tuple[Candidate, ...]
    criterion: str
    library: Library | None = field(default=None, repr=False)

    @property
    def best(self) -> Unlabelled:
        return self._fitted()[self.winner]

    @property
    def winner(self) -> int:
        """The position of the best of the candidates."""
        fitted = self._fitted()
        if not fitted:
            raise ParameterError(f"None of the mixtures could be fitted. {self.candidates[0].note}")
        return min(fitted, key=lambda i: self.candidates[i].values[self.criterion])

    def _fitted(self) -> dict[int, Unlabelled]:
        return {i: c.model for i, c in enumerate(self.candidates) if c.model is not None}

    def description(self) -> Description:
        """All that was tried, the best first; smaller criteria are better. `table()` keeps the order of trying."""
        order = np.argsort([c.values[self.criterion] for c in self.candidates])
        best = [self.candidates[i] for i in order[:MOST_SHOWN]]
        title = word("mixtures by {criterion}, the smaller the better", criterion=self.criterion.upper())
        more = word("… the best of {n}; {where} has them all", n=len(order), where="table()")
        notes = [f"{c.components} {c.form}: {c.note.split('. ')[0]}." for c in best if c.note]
        lines: list[Text] = [*([more] if len(order) > MOST_SHOWN else []), *notes]
        return Description((title,), [_sheet(best), *([lines] if lines else [])], [_sheet(self.candidates, noted=True)])

    def table(self) -> Any:
        """Everything that was tried, one row each; smaller criteria are better."""
        return self.description().behind[0].frame(self.library)


def _sheet(candidates: Sequence[Candidate], noted: bool = False) -> Sheet:
    forms = [
        Series(word("shape"), [worded(c.shape or "") for c in candidates]),
        Series(word("covariance"), [c.shared if noted else c.tie for c in candidates], name="shared"),
    ]
    values = [
        Series(worded(name) if name not in CRITERIA else name.upper(), _values(candidates, name), fixed(1), name=name)
        for name in ("log likelihood", *CRITERIA)
    ]
    notes = [Series(word("note"), [c.note for c in candidates])] if noted else []
    shown = [*(forms if any(c.shape for c in candidates) else []), *values, *notes]
    return Sheet(word("components"), [c.components for c in candidates], shown)


def _values(candidates: Sequence[Candidate], name: str) -> Array:
    return np.array([c.values[name] for c in candidates])


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
    """Choose the number of components of a mixture, and perhaps the shape of its covariances, by BIC, ICL or AIC.

    `criterion` is "bic", "icl" or "aic"; the mixture for which it is smallest is the best. Shapes and sharing are those
    of the model unless given: shapes=("full", "diagonal"), shared=(False, True). They do not matter for a model without
    numeric columns.

    Raises
    ------
    TableError
        If the rows cannot be read as a table.
    ParameterError
        If the criterion, a shape or a number of components is not known.

    >>> from suffice import Mixture, choose
    >>> x = [[1.0], [1.2], [0.9], [1.1], [5.0], [5.2], [4.9], [5.1]]
    >>> choose(Mixture(), x, components=range(1, 4)).best.components
    2

    """
    if not isinstance(model, Unlabelled):
        raise ParameterError(
            f"choose needs a Mixture or LatentClass, which it fits with several numbers of components; found {model!r}."
        )
    one_of(criterion, "criterion", CRITERIA)
    model.recipe().check()
    X, sample_weight = named_apart(X, sample_weight)
    table = read_table(X)
    row_weights(sample_weight, table.rows)
    numbers = [whole(k, COMPONENTS) for k in _several(components, COMPONENTS)]
    forms = _forms(model, table, shapes, shared)
    settings = [form | {"components": k} for form in forms for k in numbers]
    tried = [_tried(model, some, X, sample_weight) for some in progress(settings, "mixtures fitted", len(settings))]
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
    own, has = model.recipe().gaussian(), {"shape", "shared"} <= set(model.get_params())
    numeric = any(block.numeric for block in model.recipe().plan(table).blocks)
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
    found = fitted.criteria(X, sample_weight)
    values = {"log likelihood": found.log_likelihood} | {name: getattr(found, name) for name in CRITERIA}
    return Candidate(**named, model=fitted, values=values)
