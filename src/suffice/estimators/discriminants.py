"""Gaussian discriminants: all numeric columns in one Gaussian, of any shape, own or shared."""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

from sklearn.utils import Tags

from suffice.arrays import Array
from suffice.errors import ParameterError
from suffice.estimators.generative import GenerativeClassifier
from suffice.estimators.named import parameters_of
from suffice.learn.discriminants import (
    DiscriminantParameters,
    DiscriminantRecipe,
    GaussianParameters,
    GaussianRecipe,
    QuadraticParameters,
    QuadraticRecipe,
)
from suffice.learn.gaussians import GaussianModel
from suffice.learn.model import Settings
from suffice.model.given_gaussians import read_gaussians
from suffice.model.rules import AFTER_EM


class Discriminant(DiscriminantParameters, GenerativeClassifier):
    """The base of all discriminants; the recipe of each says which Gaussian it is."""

    RECIPE: ClassVar[type[DiscriminantRecipe]]

    model_: GaussianModel

    def recipe(self) -> DiscriminantRecipe:
        """The parameters as a value, from which models are learned."""
        found = super().recipe()
        assert isinstance(found, DiscriminantRecipe)  # as RECIPE says
        return found

    def _asked(self) -> GaussianModel:
        super()._asked()
        return self.model_

    @property
    def means_(self) -> Array:
        """The means of the classes, (K, D), over the columns modelled (those that vary, in the order of the table)."""
        return self._asked().means

    @property
    def covariance_(self) -> Array:
        """The covariance, over the columns modelled: (D, D) if the classes share it, otherwise (K, D, D).

        If parameters are integrated out (estimate_ is "predictive"), it is the covariance of each class's Student-t.
        """
        return self._asked().covariance

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
        model = cls(**{name: value for name, value in form.items() if name in parameters_of(cls)})
        wanted = model.recipe().gaussian()
        if wanted.shape is not given.density.shape or (wanted.shared and not form["shared"]):
            raise ParameterError(
                f"{cls.__name__} has {wanted.shape.name} covariances, {'shared' if wanted.shared else 'not shared'}; "
                f"found {form['shape']} ones, {'shared' if form['shared'] else 'not shared'}. Use GaussianDiscriminant."
            )
        return model.hold(model.recipe().given(given.joint(priors, "priors")))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = tags.input_tags.string = self.RECIPE.BESIDE and not isinstance(self.kinds, str)
        recipe = self.recipe()
        if (
            not recipe.open and recipe.gaussian().shape.crosswise
        ):  # there missing cells take EM, which these cannot have
            tags.input_tags.allow_nan = not recipe.gaussian().shrinks and self.estimate in ("auto", *AFTER_EM)
        return tags


@dataclass(eq=False, repr=False)
class GaussianDiscriminant(GaussianParameters, Discriminant):
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

    RECIPE = GaussianRecipe


@dataclass(eq=False, repr=False)
class QuadraticDiscriminant(QuadraticParameters, Discriminant):
    """Each class has its own covariance, so that boundaries are quadratic: GaussianDiscriminant(shared=False).

    It takes the parameters of GaussianDiscriminant.

    >>> from sklearn.datasets import load_iris
    >>> from suffice import QuadraticDiscriminant
    >>> X, y = load_iris(return_X_y=True)
    >>> round(QuadraticDiscriminant().fit(X, y).score(X, y), 4)
    0.98
    """

    RECIPE = QuadraticRecipe
