"""Recipe of posteriors that rows left out bear out: another recipe, and a temperature learned from rows left out.

In:  the recipe of a classifier, rows and their classes.
Out: CalibratedModel, the same model with posteriors made warmer or colder.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from suffice.arrays import Array
from suffice.data.frames import Library
from suffice.data.hints import Hint
from suffice.data.labelled import Labelled
from suffice.data.levels import Levels
from suffice.data.schema import Schema
from suffice.data.table import IntoTable, Table
from suffice.discriminative.temperature import Temperature, learned
from suffice.engines.scoring.answers import LOG_JOINT, PROBA, Scoring
from suffice.errors import FileError, HiddenCellsError, NoDensityError
from suffice.families.counts import checked
from suffice.families.product import Cells
from suffice.formulas import Formula
from suffice.learn.densities import Densities
from suffice.learn.model import Model, Packed, Settings
from suffice.learn.packing import packed_around
from suffice.learn.recipe import Foretold, Recipe, ToForetell
from suffice.model.folds import FOLDS, Folds, evenly
from suffice.options import one_of
from suffice.printing.description import Description, Series, Sheet
from suffice.printing.language import word
from suffice.printing.numbers import signed

TEMPERATURE, PLATT = METHODS = ("temperature", "platt")


@dataclass(frozen=True, eq=False)
class CalibratedModel(Model):
    recipe: "CalibratedRecipe"
    inner: Model
    temperature: Temperature
    priors: Array | None  # class priors behind its posteriors; None if the file was saved without them
    schema: Schema
    classes: Levels
    library: Library | None

    @property
    def hints(self) -> tuple[Hint, ...]:
        return self.inner.hints

    @property
    def read(self) -> Schema:
        return self.inner.read

    def table(self, X: IntoTable) -> Table:
        return self.inner.table(X)

    def log_posterior(self, table: Table) -> Array:
        return self.temperature.log_shares(self.inner.log_posterior(table))

    def learned_from(self, known: Labelled) -> bool:
        return self.inner.learned_from(known)

    def scoring(self, output: str) -> Scoring:
        if output == LOG_JOINT:
            raise NoDensityError("Calibrated posteriors do not come from a density: use output='proba' or 'class'.")
        inner = self.inner.scoring(PROBA)

        def formula(cells: Cells) -> Formula:
            found = inner.formula(cells)
            return replace(found, own=tuple(self.temperature.formula(found.own, inner.instead)))

        return replace(inner, formula=formula)

    def description(self) -> Description:
        """Describe what the classifier has learned, and how its posteriors are changed."""
        inner, moved = self.inner.description(), self.temperature.level
        level = Series(word("added"), moved, signed, name="level")
        levels = [Sheet(word("class"), list(self.classes), [level])] if moved.any() else []
        slope = word("ln P(class | row) times {value}", value=f"{self.temperature.slope:.4g}")
        return Description((self.recipe.name, slope, *inner.title), [*levels, *inner.parts], inner.behind)

    def packed(self) -> Packed:
        found = {"slope": np.array([self.temperature.slope]), "level": self.temperature.level}
        found |= {} if self.priors is None else {"priors": self.priors}
        return packed_around(self.recipe.name, self.recipe.parameters, self.inner.packed(), found)


@dataclass(eq=False, repr=False)
class CalibratedRecipe(Recipe):
    inner: Recipe
    method: str = TEMPERATURE

    name = "Calibrated"
    ALONE = False

    @property
    def parameters(self) -> Settings:
        """Its own, without the recipe inside."""
        return {"method": self.method}

    def check(self) -> None:
        one_of(self.method, "method", METHODS)

    def learn(self, known: Labelled) -> CalibratedModel:
        self.check()
        known.refuse_hidden()
        return self.around(self.inner.learn(known), known)

    def around(self, inner: Model, known: Labelled) -> CalibratedModel:
        """The model with a temperature, for which the rows it has learned from are left out."""
        logs, platt = _left_out(self.inner, inner, known), self.method == PLATT
        mass = np.bincount(known.codes, known.weights, len(known.classes))
        shares = None if not platt and isinstance(inner, Densities) else mass / mass.sum()
        return self.with_temperature(inner, learned(logs, known.codes, known.weights, platt), shares)

    def with_temperature(self, inner: Model, temperature: Temperature, shares: Array | None) -> CalibratedModel:
        """The model; with the shares of the classes in the rows, where those are what posteriors go by."""
        told = shares is None and self.method == TEMPERATURE and isinstance(inner, Densities)
        priors = inner.shares if told and isinstance(inner, Densities) else shares
        return CalibratedModel(self, inner, temperature, priors, inner.schema, inner.classes, inner.library)

    def with_classes(self, known: Labelled) -> Labelled:
        return self.inner.with_classes(known)

    def restored(self, inner: Model, arrays: Mapping[str, Array]) -> CalibratedModel:
        """The model that was saved."""
        self.check()
        size = len(inner.classes)
        wanted: dict[str, tuple[int, ...]] = {"slope": (1,), "level": (size,)}
        found = checked(arrays, wanted | ({"priors": (size,)} if "priors" in arrays else {}))
        moved = self.method == TEMPERATURE and found["level"].any()
        if moved or not all(np.isfinite(array).all() for array in found.values()):
            raise FileError("The file holds an impossible temperature, or levels of classes that cannot be.")
        shares = found.get("priors")
        if shares is not None and not ((shares >= 0).all() and np.isclose(shares.sum(), 1.0, rtol=0, atol=1e-8)):
            raise FileError("The class priors in the file are no probabilities that sum to 1.")
        return self.with_temperature(inner, Temperature(float(arrays["slope"][0]), arrays["level"]), shares)


def _left_out(recipe: Recipe, model: Model, known: Labelled) -> Array:
    """Ln P(class | row), each row by a model that has not seen it, in the order of the model's classes."""
    found = _each_without(recipe, known)
    order = [known.classes.index(name) for name in model.classes]
    return np.asarray(found.log_posterior[np.argsort(found.rows)][:, order])


def _each_without(recipe: Recipe, known: Labelled) -> Foretold:
    """Each row from all others, or where that has no closed form, from the folds that it is not in."""
    try:
        return recipe.without(ToForetell(known, None, known.table))
    except HiddenCellsError:
        codes, number = known.codes, min(FOLDS, known.table.rows)
        _, first, which = np.unique(codes, return_index=True, return_inverse=True)
        order = first[which.ravel()]  # of classes as they are met, whatever they are called
        return recipe.without(ToForetell(known, Folds(evenly(order, number, np.random.default_rng(0))), known.table))
