"""Stage 5, the form in which users state a recipe, and through which they ask its model.

In:  parameters, each with its name; rows in any form that stage 1 reads.
Out: Face, of every model: `fit` learns `model_`, a value, and every answer is asked of it. What was fitted is what
     answers, prints and is saved: parameters given later, by set_params or otherwise, speak of the next fit.
"""

from abc import ABC
from os import PathLike
from typing import ClassVar, Self

import numpy as np
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from suffice.arrays import Values
from suffice.data.hints import tell
from suffice.data.kinds import CATEGORICAL, KINDS
from suffice.data.planning import Kinds
from suffice.data.source import Source
from suffice.estimators.batchwise import AnswersRows
from suffice.estimators.named import Named
from suffice.learn.face import HasRecipe
from suffice.learn.model import Model
from suffice.learn.recipe import Recipe
from suffice.printing.description import Description
from suffice.store import write

TAKES_TEXT = (CATEGORICAL, "binary", "auto")


class Face(AnswersRows, HasRecipe, Named, ABC):
    """Any suffice model, and what all do with what they have learned."""

    RECIPE: ClassVar[type[Recipe]]

    model_: Model  # the model that was learned

    def recipe(self) -> Recipe:
        """The parameters as a value, from which models are learned."""
        return self.RECIPE.of({name: getattr(self, name) for name in self.RECIPE.offers()})

    def fit_source(self, source: Source) -> Self:
        """Learn from rows that may have been read already."""
        self.start_anew()
        recipe = self.recipe()
        recipe.check()
        return self.hold(recipe.learn_of(source))

    def hold(self, model: Model) -> Self:
        """The face of another model, of which it says what there is to say."""
        self.model_ = model
        if model.hints:
            tell(model.hints, self.told)
        return self

    def __sklearn_clone__(self) -> Self:
        """Copies, as searches make one for every fold, say nothing that one of them has said."""
        clone: Self = super().__sklearn_clone__()
        clone.says_no_more_than(self)
        return clone

    def _asked(self) -> Model:
        """Return the model that was learned; raise an error if there is none."""
        if "model_" not in vars(self):
            check_is_fitted(self)
        return self.model_

    def __sklearn_is_fitted__(self) -> bool:
        return "model_" in vars(self)

    @property
    def n_features_in_(self) -> int:
        """The number of columns of the table that it was fitted on."""
        return len(self._asked().schema.names)

    @property
    def feature_names_in_(self) -> Values:
        """The names of those columns, if they had names."""
        schema = self._asked().schema
        if not schema.named:
            raise AttributeError("The table fitted on had no names of columns.")
        return np.array(schema.names, dtype=object)

    def description(self) -> Description:
        """The learned model as names and numbers: `plain()` is for JSON, and each of `tables` has a `frame()`."""
        return self._asked().description()

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to a file that `suffice.load` reads back bit for bit."""
        check_is_fitted(self)
        write(path, *self.model_.packed())


def say_what_is_taken(tags: Tags, kinds: Kinds) -> Tags:
    """The tags of scikit-learn, where all columns are of one kind, or each goes by its type or its declaration."""
    first = kinds[0] if isinstance(kinds, tuple | list) and kinds else kinds
    every = first if isinstance(first, str) else None
    taken = tags.input_tags
    taken.categorical = taken.string = every is None or every in TAKES_TEXT
    taken.positive_only = every == "binary" or (every in KINDS and KINDS[every].positive)
    words = every in KINDS and KINDS[every].words
    taken.sparse, taken.allow_nan = words or every == "binary", not words
    return tags
