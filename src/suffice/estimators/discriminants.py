"""Gaussian discriminants: all numeric columns in one Gaussian, of any shape, own or shared."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from itertools import pairwise, product
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils import Tags

from suffice.arrays import Array, repeated
from suffice.data.columns import TEXT
from suffice.data.hints import few_values, numbered
from suffice.data.kinds import GAUSSIAN
from suffice.data.labelled import Labelled
from suffice.data.planning import Kinds, by_column, plan, read_kind
from suffice.data.schema import Schema
from suffice.data.table import Table
from suffice.errors import KindError, ParameterError
from suffice.estimators.base import GenerativeClassifier, ignored
from suffice.estimators.classifier import Change
from suffice.estimators.parameters import Settings
from suffice.families.gaussian.densities import GaussianDensity, StudentDensity
from suffice.families.gaussian.family import Gaussian
from suffice.families.gaussian.shapes import DIAGONAL, SHAPES
from suffice.model.design import Design, likely_categories, numbers_in
from suffice.model.given_gaussians import read_gaussians
from suffice.model.rules import AFTER_EM, Rules
from suffice.model.summary import Summary
from suffice.options import number, one_of, switch
from suffice.printing.description import Text
from suffice.printing.language import word, worded
from suffice.words import listed

GRID: dict[str, Sequence[Any]] = {  # what tuning tries
    "shape": tuple(SHAPES),
    "shared": (False, True),
    "shrink_shared": (0.0, 0.1, 0.3, 0.6, 0.9),
    "shrink_spherical": (0.0, 0.05, 0.2, 0.5),
}
INFLATE = "inflate"
WIDER = (1.0, 1.25, 1.5, 2.0, 3.0, 5.0)  # what tuning tries of that, as far as it helps
INFLATED = (1e-6, 1e6)  # what can be asked for: beyond, a model is sure of everything or of nothing
LONG = 2e8  # operations for one of them; beyond, all of them would take more than some ten seconds


@dataclass(kw_only=True, eq=False, repr=False)
class Discriminant(GenerativeClassifier):
    """What the discriminants share. A face says which Gaussian it is by `_gaussian`."""

    estimate: str = "auto"
    priors: Any = None
    parameter_prior: Any = "weak"
    kinds: Kinds = None

    BESIDE: ClassVar[bool] = True  # whether columns that are no numbers may stand beside the Gaussian

    @abstractmethod
    def _gaussian(self) -> Gaussian:
        """Of which shape covariances are, whether shared, and shrunk to what."""

    @property
    def means_(self) -> Array:
        """The means of the classes, (K, D), over the columns modelled (those that vary, in the order of the table)."""
        return np.asarray(self._numbers().mean)

    @property
    def covariance_(self) -> Array:
        """The covariance, over the columns modelled: (D, D) if the classes share it, otherwise (K, D, D).

        If parameters are integrated out (estimate_ is "predictive"), it is the covariance of each class's Student-t.
        """
        density = self._numbers()
        variances = density.shape.diagonal(density.covariance, density.mean.shape[1])
        diagonal = None if density.shape.crosswise else variances[:, :, None] * np.eye(density.mean.shape[1])
        matrices = density.covariance if diagonal is None else diagonal
        own = repeated(matrices, len(density.mean))
        return np.asarray(matrices[0] if len(matrices) == 1 and self._as_fitted._gaussian().shared else own)

    @classmethod
    def from_parameters(
        cls, means: Any, covariances: Any, priors: Any = None, columns: Any = None, classes: Any = None
    ) -> Self:
        """A classifier from given parameters, as a textbook states them.

        `means` is {class: [...]}, {class: {column: mean}} or an array with a row for each class. `covariances` is one
        for each class or one for all: a matrix, a variance for each column, or a single variance. `priors` is
        {class: probability} or a list in the order of the means; by default all classes are equally probable.
        `columns` and `classes` are names, in case arrays are given. Such a model has no summary_ of rows.

        Raises
        ------
        ParameterError
            If a covariance is not symmetric with variances above 0, or priors do not sum to 1.

        >>> from suffice import GaussianDiscriminant, boundary
        >>> means = {"ω1": {"x1": 3, "x2": 6}, "ω2": {"x1": 3, "x2": -2}}
        >>> model = GaussianDiscriminant.from_parameters(means, {"ω1": [[0.5, 0], [0, 2]], "ω2": [[2, 0], [0, 2]]})
        >>> [round(x2, 3) for x2 in boundary(model, "ω1", "ω2").solve_for("x2", at={"x1": 0})]
        [3.514]

        """
        given = read_gaussians(means, covariances, columns, classes)
        form: Settings = {"shape": given.density.shape.name, "shared": len(given.density.covariance) < len(given.names)}
        model = cls(**{name: value for name, value in form.items() if name in cls.__dataclass_fields__})
        wanted = model._gaussian()
        if wanted.shape is not given.density.shape or (wanted.shared and not form["shared"]):
            raise ParameterError(
                f"{cls.__name__} has {wanted.shape.name} covariances, {'shared' if wanted.shared else 'not shared'}; "
                f"found {form['shape']} ones, {'shared' if form['shared'] else 'not shared'}. Use GaussianDiscriminant."
            )
        return model._hold(given.joint(priors, "priors"))

    def _numbers(self) -> GaussianDensity | StudentDensity:
        """The density of the numeric columns."""
        joint = self.joint_
        parts = zip(joint.schema.blocks, joint.density.parts, strict=True)
        found = next((density for block, density in parts if block.numeric), None)
        if found is None:  # every column is constant, and was left out
            return GaussianDensity(np.zeros((len(self.classes_), 0)), np.zeros((1, 0)), DIAGONAL)
        assert isinstance(found, GaussianDensity | StudentDensity)  # there is no other of these kinds
        return found

    def _part(self) -> GaussianDensity:
        density = self._numbers()
        if not isinstance(density, GaussianDensity):
            raise ParameterError(
                "With estimate='predictive' classes have Student-t densities, so scores are not linear. Use "
                "estimate='mean' or 'map' for linear scores."
            )
        return density

    def _plan(self, table: Table) -> Schema:
        """Numbers kept together where the shape needs it, and beside them what else there is, column by column."""
        beside, text, numbers = self._parted(table)
        self._refuse_beside(
            [*(name for name, kind in beside.items() if read_kind(name, kind)[0] != "ignore"), *sorted(text)]
        )
        declared = by_column(self.kinds, table.names)
        doubts = numbered(table, [name for name in numbers if name not in declared])
        if not self._gaussian().shape.crosswise:
            schema = plan(table, beside | dict.fromkeys(numbers, GAUSSIAN))
            return replace(schema, hints=(*schema.hints, *doubts))
        schema = plan(table, beside, joint=[numbers] if numbers else [])
        schema = replace(schema, hints=(*schema.hints, *doubts))
        return schema.with_tallies(few_values(table, self._suspects(numbers)))

    def _parted(self, table: Table) -> tuple[dict[str, Any], set[str], list[str]]:
        """Columns declared to be of another kind, those of text, and numbers."""
        declared = by_column(self.kinds, table.names)
        beside = {name: kind for name, kind in declared.items() if read_kind(name, kind)[0] != GAUSSIAN}
        text = {name for name in table.names if name not in declared and table.type(name) == TEXT}
        return beside, text, [name for name in table.names if name not in beside and name not in text]

    def _design(self, summary: Summary) -> Design:
        out = ignored(self.kinds, summary)
        numbers = numbers_in(summary, out)
        known = out.union(numbers)
        self._refuse_beside([column.name for column in summary.schema.columns if column.name not in known])
        coarse = likely_categories(summary).intersection(self._suspects(numbers))
        return Design(joint=[numbers] if numbers else [], together=self._gaussian(), ignored=out, coarse=coarse)

    def _suspects(self, numbers: Sequence[str]) -> list[str]:
        """Columns that lead full covariances of each class astray, should they be hardly Gaussian; none is declared."""
        gaussian, declared = self._gaussian(), by_column(self.kinds, numbers)
        plain = gaussian.shared or gaussian.shrinks or not gaussian.shape.crosswise or len(numbers) < 2
        return [] if plain else [name for name in numbers if name not in declared]

    def _refuse_beside(self, others: Sequence[str]) -> None:
        if others and not self.BESIDE:
            raise KindError(
                f"{type(self).__name__} models only numbers; these columns are not numeric, or are declared to be of "
                f"another kind: {listed(others)}. Declare them 'ignore' in kinds, or use GaussianDiscriminant (with "
                "shared=True for one covariance), which models other kinds beside the numbers, as "
                "NaiveBayes(joint=...) does."
            )

    def _unseen(self) -> str:
        return "prior"

    def _rules(self) -> Rules:
        gaussian = self._gaussian()  # refuses an unknown shape
        plug_in = ("mean",) if gaussian.shared or gaussian.shrinks else ()  # where scores are linear, or shrunk
        auto = ("unbiased", *plug_in, "map" if gaussian.shrinks else "predictive")
        return Rules(self.estimate, auto, 1.0, self.priors, self.parameter_prior, self.__dataclass_fields__)

    @property
    def settings_(self) -> Settings:
        """The parameters that may be "auto", as they were given or chosen in fitting."""
        found = super().settings_
        return found | ({INFLATE: self._as_fitted._gaussian().inflated} if INFLATE in found else {})

    def _unsettled(self) -> list[str]:
        """Where anything is left to the rows, how much to inflate is too, unless it was given."""
        found = super()._unsettled()
        return [*found, INFLATE] if found and getattr(self, INFLATE, 1.0) is None else found

    def _plainest(self, names: Sequence[str]) -> Settings:
        """One covariance for all classes, where that is open, as it is."""
        found = super()._plainest(names) | ({"shared": True} if "shared" in self._unsettled() else {})
        return found | ({INFLATE: 1.0} if found.get(INFLATE, 1.0) is None else {})

    def _stages(self, names: Sequence[str], table: Table) -> list[list[Change]]:
        """All combinations, but for shrinkage towards what is shared already; one where there are no numbers.

        How much to inflate is found for the plainest; all others are tried with that and without, and the best of them
        a little more and less.
        """
        if not self._parted(table)[2]:
            return [[_to({})]]
        others = [name for name in names if name != INFLATE]
        combined = (dict(zip(others, values, strict=True)) for values in product(*(GRID[name] for name in others)))
        every = [some for some in combined if not (some.get("shared") and some.get("shrink_shared"))]
        if INFLATE not in names:
            return [[_to(some) for some in every]]
        wider, narrower = ([[_next(*two)] for two in pairwise(steps)] for steps in (WIDER, WIDER[::-1]))
        as_they_are = [_to(some | {INFLATE: 1.0}) for some in every]
        return [[_to({INFLATE: 1.0})], *wider, [_to(some) for some in every], as_they_are, *wider, *narrower]

    def _long_one_by_one(self, known: Labelled) -> bool:
        """A weak belief follows from the rows, so that each row left out takes new matrices for all classes."""
        return known.table.rows * len(known.classes) * len(self._parted(known.table)[2]) ** 3 > LONG

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = tags.input_tags.string = self.BESIDE and not isinstance(self.kinds, str)
        if (
            not self._unsettled() and self._gaussian().shape.crosswise
        ):  # there missing cells take EM, which these cannot have
            tags.input_tags.allow_nan = not self._gaussian().shrinks and self.estimate in ("auto", *AFTER_EM)
        return tags

    def _settings(self) -> tuple[Text, ...]:
        gaussian = self._gaussian()
        shared = [word("{number} towards shared", number=gaussian.to_shared)] if gaussian.to_shared else []
        round_ = [word("{number} towards spherical", number=gaussian.to_spherical)] if gaussian.to_spherical else []
        wider = [word("covariances times {number}", number=gaussian.inflated)] if gaussian.finishes else []
        return (covariance_in_words(gaussian), *shared, *round_, *wider)


def covariance_in_words(gaussian: Gaussian) -> Text:
    tie = word("shared") if gaussian.shared else word("own")
    return word("{shape} covariance, {tie}", shape=worded(gaussian.shape.name), tie=tie)


@dataclass(eq=False, repr=False)
class GaussianDiscriminant(Discriminant):
    """One Gaussian for each class over all columns of numbers; other columns are independent of it, as in naive Bayes.

    Parameters
    ----------
    shape : "full", "diagonal" or "spherical"
    shared : bool
        Whether all classes share one covariance (linear boundaries) or each has its own (quadratic).
    estimate : "auto", "ml", "unbiased", "map", "mean" or "predictive"
        "auto" is "unbiased" (N − 1, as in MASS) where there are rows enough: 15 degrees of freedom for each column of
        a shared covariance and 3 for each of its entries, or 12 for each column in each class if each has its own; and
        no exact or nearly exact linear dependence. A full covariance for each class also needs columns that can be
        Gaussian, not whole numbers with few values. Where there are not, a warning says so, and "auto" is "mean" if
        classes share a covariance or theirs are shrunk, and "predictive" if each has its own, with a weak prior under
        which no class gains by how few rows it has. Without a warning, it is "mean" or "predictive" if cells are
        missing under a full covariance, and "map" if a prior is given. If labels are hidden, EM goes by the mode; if
        most rows have labels, answers are by what the labelled rows alone would get, and otherwise by "map" ("ml" in
        the place of "unbiased"). `estimate_` says which was used.
    shrink_shared, shrink_spherical : float between 0 and 1
        Friedman's λ and γ. The first shrinks the covariance of each class towards the shared one; the second shrinks
        covariances towards their mean variance, which only makes sense for columns in comparable units.
    inflate : float from 1e-6 to 1e6
        What covariances are multiplied by at last. Above 1 the model is less sure of itself, as it should be if
        columns are not quite Gaussian, or some rows lie among those of another class; unlike with `Calibrated`, it
        stays a density of the rows. By default it is 1, or "auto" if another of these settings is.
        shape, shared, the two above and this may be "auto": chosen by exact leave-one-out log loss (by ten folds if
        cells are missing or columns are many), except that one full covariance for all classes, as it is, is kept
        unless something is better by more than a standard error; `settings_` holds what was chosen, `tuned_` all that
        was tried.
    priors, parameter_prior
        As for NaiveBayes.
    kinds : dict
        Kinds of columns that are not part of the Gaussian, as for NaiveBayes; columns of text are categorical. They
        are independent given the class, and counted with Laplace's rule. {column: "ignore"} leaves a column out.
    components : int or {class: int}
        The number of components in each class; if there are several, EM finds them.
    unknown : a label
        The value of y that means "not known"; None and NaN always mean that. EM learns from such rows.
    em : EM, optional
        Settings of EM, which matter only where something is hidden: see EM.


    Examples
    --------
    >>> from suffice import GaussianDiscriminant
    >>> covariances = {"a": [[1, 0], [0, 1]], "b": [[2, 0], [0, 2]]}
    >>> model = GaussianDiscriminant.from_parameters({"a": [0, 0], "b": [3, 0]}, covariances)
    >>> model.predict([[1, 0], [2, 0]]).tolist()
    ['a', 'b']

    """

    shape: str = "full"
    shared: bool = False
    _: KW_ONLY
    shrink_shared: float = 0.0
    shrink_spherical: float = 0.0
    inflate: float | None = None

    TUNABLE = ("shape", "shared", "shrink_shared", "shrink_spherical", INFLATE)

    def _gaussian(self) -> Gaussian:
        return gaussian(self.shape, self.shared, self.shrink_shared, self.shrink_spherical, self.inflate)


@dataclass(eq=False, repr=False)
class QuadraticDiscriminant(Discriminant):
    """Each class has its own covariance, so that boundaries are quadratic: GaussianDiscriminant(shared=False).

    It takes the parameters of GaussianDiscriminant.

    >>> from sklearn.datasets import load_iris
    >>> from suffice import QuadraticDiscriminant
    >>> X, y = load_iris(return_X_y=True)
    >>> round(QuadraticDiscriminant().fit(X, y).score(X, y), 4)
    0.98
    """

    shape: str = "full"
    _: KW_ONLY
    shrink_shared: float = 0.0
    shrink_spherical: float = 0.0
    inflate: float | None = None

    TUNABLE = ("shape", "shrink_shared", "shrink_spherical", INFLATE)

    def _gaussian(self) -> Gaussian:
        return gaussian(self.shape, False, self.shrink_shared, self.shrink_spherical, self.inflate)


def _to(settings: Settings) -> Change:
    return lambda best: best | settings


def _next(before: float, times: float) -> Change:
    """One step further, if the one before is the best so far."""
    return lambda best: best | {INFLATE: times} if best[INFLATE] == before else best


def gaussian(shape: str, shared: bool, to_shared: float, to_spherical: float, inflate: float | None = None) -> Gaussian:
    form, tied = SHAPES[one_of(shape, "shape", SHAPES)], switch(shared, "shared")
    return Gaussian(0, form, tied, _share(to_shared), _share(to_spherical), _times(inflate))


def _times(given: Any) -> float:
    least, most = INFLATED
    wanted = f"inflate must be a number from {least:g} to {most:g}, 'auto' or None"
    return 1.0 if given is None else number(given, wanted, lambda times: least <= times <= most)


def _share(given: Any) -> float:
    return number(given, "Shrinkage must be between 0 and 1", lambda share: 0 <= share <= 1)
