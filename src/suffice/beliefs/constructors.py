"""The beliefs that people write down: one function each, which checks its numbers and gives a `Belief`.

In:  numbers, or numbers by the name of a category or column.
Out: Belief, with its array prior about one component of the natural family.
"""

from collections.abc import Callable, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from suffice.arrays import Array
from suffice.beliefs.belief import Belief, belief_in
from suffice.beliefs.gaussians import Means, MeansAndCovariance, OneColumn
from suffice.beliefs.observations import numbers
from suffice.beliefs.probabilities import Categories, Coin
from suffice.beliefs.rates import Rate
from suffice.data.levels import Level
from suffice.data.levels import plain as plain_level
from suffice.errors import ParameterError
from suffice.families.cells.dirichlet import DirichletPrior
from suffice.families.gaussian.normal_mean import NormalMeanPrior
from suffice.families.gaussian.normal_variance import InverseGammaPrior
from suffice.families.rates.gamma import GammaPrior
from suffice.options import LARGEST, number, shown

FURTHEST = 1e150  # from 0
Location = float | Sequence[float] | Mapping[str, float] | Array


def Beta(a: float, b: float) -> Belief:
    """A belief about a probability of success, worth `a` successes and `b` failures.

    Raises
    ------
    ParameterError
        If `a` or `b` is not above 0.

    >>> from suffice import Beta
    >>> coin = Beta(5, 5).after(heads=15, tails=10)
    >>> coin
    Beta(20, 15)  mode 0.576  mean 0.571
    >>> coin.maximum_likelihood(), [round(end, 3) for end in coin.interval()]
    (0.6, [0.407, 0.728])

    """
    _above(0, "Beta", a=a, b=b)
    face = Coin()
    return belief_in("Beta", face, DirichletPrior(np.array([[a, b]], float), np.full((1, 1), (a + b) / 2), face.family))


def Dirichlet(concentration: Mapping[Level, float] | Sequence[float] | Array, unseen: float | None = None) -> Belief:
    """A belief about the probabilities of categories, worth as many rows of each as `concentration` says.

    `concentration` is {category: rows}, or plain numbers, which go by position. `unseen` is what a category never met
    is worth in a model; by default, the mean of the others.

    Raises
    ------
    ParameterError
        If there are fewer than two categories, or one has a number that is not above 0.

    >>> from suffice import Dirichlet
    >>> Dirichlet({"红": 1, "蓝": 1}).after(["红", "红", "蓝"]).after(红=2)
    Dirichlet({'红': 5, '蓝': 2})
    parameter   mode   mean
    红         0.800  0.714
    蓝         0.200  0.286

    """
    named = isinstance(concentration, Mapping)
    given = concentration.values() if isinstance(concentration, Mapping) else np.atleast_1d(numbers(concentration))
    amounts = list(given)
    levels = tuple(plain_level(level) for level in concentration) if named else tuple(range(len(amounts)))
    if len(set(levels)) < 2 or not all(isinstance(amount, Real) and _countable(amount) for amount in amounts):
        raise ParameterError(
            f"A Dirichlet prior needs a number above 0 for each of two or more categories; found {concentration!r}."
        )
    _not_too_far("Dirichlet", "categories", amounts)
    new = np.mean(amounts) if unseen is None else unseen
    _above(0, "Dirichlet", unseen=new)
    face = Categories(levels, named)
    prior = DirichletPrior(np.array([amounts], float), np.full((1, 1), float(new)), face.family, named)
    return belief_in("Dirichlet", face, prior)


def Gamma(shape: float, rate: float) -> Belief:
    """A belief about a rate of counts or waits, worth `shape` events in `rate` units of exposure.

    Raises
    ------
    ParameterError
        If `shape` or `rate` is not above 0.

    >>> from suffice import Gamma
    >>> Gamma(2, 1.5).after(counts=[2, 0, 3, 1, 4, 2, 2])
    Gamma(16, 8.5)  mode 1.76  mean 1.88
    >>> Gamma(2, 1.5).after(waits=[0.3, 1.2])
    Gamma(4, 3)  mode 1.00  mean 1.33

    """
    _above(0, "Gamma", shape=shape, rate=rate)
    face = Rate()
    return belief_in("Gamma", face, GammaPrior(np.array([[shape]], float), np.array([[rate]], float), face.family))


def NormalMean(location: Location, variance: ArrayLike, known: ArrayLike) -> Belief:
    """The belief that the mean of a column, whose own variance is known, is distributed as N(location, variance).

    For columns modelled together, give a number for each (or {column: number}) and two covariance matrices. An infinite
    variance is a flat belief: only the rows count.

    Raises
    ------
    ParameterError
        If a variance is not above 0, or a matrix is no covariance of these columns.

    >>> from suffice import NormalMean
    >>> NormalMean(4, 2.25, 0.49).after([4.9, 5.1, 5.6, 4.4, 5.0, 6.1])
    NormalMean(5.14189, 0.0788063, 0.49)  mode 5.14  mean 5.14
    >>> NormalMean(0, float("inf"), 0.49).after([4.9, 5.1, 5.6])
    NormalMean(5.2, 0.163333, 0.49)  mode 5.20  mean 5.20

    """
    flat = isinstance(variance, Real) and variance == np.inf
    if isinstance(location, Real):
        _above(0, "NormalMean", known=known, **({} if flat else {"variance": variance}))
        _finite("NormalMean", location=location)
        single, (m, v, s) = OneColumn(("mean",)), _one_by_one(location, variance, known)
        return belief_in("NormalMean", single, NormalMeanPrior(m, v, s, single.family))
    names, values = _columns("NormalMean", location)
    face = Means(names, isinstance(location, Mapping))
    everywhere = np.where(np.eye(len(names)), np.inf, 0.0)[None]
    width = everywhere if flat else _covariance("NormalMean", "variance", variance, len(names))
    around = _covariance("NormalMean", "known", known, len(names))
    return belief_in("NormalMean", face, NormalMeanPrior(values, width, around, face.family))


def InverseGamma(a: float, b: float, mean: float) -> Belief:
    """The belief that the variance of a Gaussian column, whose mean is known, is inverse gamma (a, b).

    It is worth 2a rows around that mean, with squared deviations that sum to 2b.

    Raises
    ------
    ParameterError
        If `a` or `b` is not above 0.

    >>> from suffice import InverseGamma
    >>> InverseGamma(2, 1.5, mean=5).after([4.9, 5.1, 5.6, 4.4])
    InverseGamma(4, 1.87, 5)  mode 0.374  mean 0.623

    """
    _above(0, "InverseGamma", a=a, b=b)
    _finite("InverseGamma", mean=mean)
    face, (shape, scale, known) = OneColumn(("variance",)), _one_by_one(a, b, mean)
    return belief_in("InverseGamma", face, InverseGammaPrior(shape, scale, known, face.family))


def NormalInverseGamma(location: float, kappa: float, a: float, b: float) -> Belief:
    """A belief about the mean and variance of a column: mean ~ N(location, σ²/kappa), σ² ~ inverse gamma (a, b).

    Raises
    ------
    ParameterError
        If `kappa`, `a` or `b` is not above 0.

    >>> from suffice import NormalInverseGamma
    >>> NormalInverseGamma(4, 1, 2, 1.5).after([4.9, 5.1, 5.6, 4.4, 5.0, 6.1])
    NormalInverseGamma(5.01429, 7, 5, 2.97429)
    parameter   mode   mean
    mean       5.014  5.014
    variance   0.458  0.744

    """
    _above(0, "NormalInverseGamma", kappa=kappa, a=a, b=b)
    _finite("NormalInverseGamma", location=location)
    face, (m, k, scatter) = OneColumn(("mean", "variance")), _one_by_one(location, kappa, 2 * b)
    return belief_in("NormalInverseGamma", face, face.family.belief(k, m, 2.0 * a, scatter, 1))


def NormalInverseWishart(location: Location, kappa: float, degrees: float, scatter: ArrayLike) -> Belief:
    """For columns modelled together: means ~ N(location, Σ/kappa) given Σ ~ inverse Wishart (scatter, degrees).

    Raises
    ------
    ParameterError
        If `scatter` is not positive definite, or `degrees` is too small for it.

    >>> from suffice import NormalInverseWishart
    >>> belief = NormalInverseWishart({"长": 0, "宽": 0}, 1, 4, [[1, 0], [0, 1]])
    >>> belief.after({"长": [1.0, 2.0, 3.0], "宽": [0.5, 1.0, 0.0]})
    NormalInverseWishart({'长': 1.5, '宽': 0.375}, 4, 7, [[6, 0.25], [0.25, 1.6875]])
    parameter   mode                                  mean
    mean        [1.500, 0.375]                        [1.500, 0.375]
    covariance  [[0.5455, 0.0227], [0.0227, 0.1534]]  [[1.5000, 0.0625], [0.0625, 0.4219]]

    """
    names, values = _columns("NormalInverseWishart", location)
    matrix = _covariance("NormalInverseWishart", "scatter", scatter, len(names))
    _above(0, "NormalInverseWishart", kappa=kappa)
    _above(len(names) - 1, "NormalInverseWishart", degrees=degrees)
    face = MeansAndCovariance(names, isinstance(location, Mapping))
    rows = np.full_like(values, kappa)
    return belief_in("NormalInverseWishart", face, face.family.belief(rows, values, float(degrees), matrix, 1))


CONSTRUCTORS: dict[str, Callable[..., Belief]] = {
    constructor.__name__: constructor
    for constructor in (Beta, Dirichlet, Gamma, NormalMean, InverseGamma, NormalInverseGamma, NormalInverseWishart)
}


def _countable(amount: Any) -> bool:
    return bool(0 < amount <= LARGEST)


def _above(least: float, belief: str, **given: Any) -> None:
    for name, value in given.items():
        number(value, f"{belief} needs a number above {least} for {name}", lambda given: given > least)
        _not_too_far(belief, name, value)


def _finite(belief: str, **given: Any) -> None:
    for name, value in given.items():
        number(value, f"{belief} needs a finite number for {name}")
        _not_too_far(belief, name, value)


def _not_too_far(belief: str, name: str, given: Any) -> None:
    """Squares and sums of what is believed are to be floats too."""
    if np.any(np.abs(given) > FURTHEST):
        raise ParameterError(
            f"{belief} takes numbers up to {FURTHEST:g} for {name}, whose squares are floats too; found "
            f"{shown(given)}. Use a larger unit, or fewer rows."
        )


def _one_by_one(*numbers: Any) -> list[Array]:
    """Each for one component and column."""
    return [np.array([[number]], dtype=float) for number in numbers]


def _columns(belief: str, location: Any) -> tuple[tuple[str, ...], Array]:
    """Names of the columns, and what is believed about their means."""
    named = isinstance(location, Mapping)
    values = np.atleast_1d(numbers(list(location.values()) if named else location))
    if values.ndim != 1 or not np.isfinite(values).all():
        raise ParameterError(f"{belief} needs a finite number for each column as its location; found {location!r}.")
    _not_too_far(belief, "its location", values)
    names = tuple(map(str, location)) if named else tuple(f"x{j}" for j in range(len(values)))
    return names, values[None]


def _covariance(belief: str, name: str, given: ArrayLike, columns: int) -> Array:
    """A symmetric, positive definite matrix of the right size."""
    matrix = np.atleast_2d(numbers(given))
    fits = matrix.shape == (columns, columns) and np.isfinite(matrix).all() and np.allclose(matrix, matrix.T)
    if not fits or np.linalg.eigvalsh(matrix).min() <= 0:
        raise ParameterError(
            f"{belief} needs a symmetric, positive definite {name} of {columns} × {columns} numbers; found {given!r}."
        )
    _not_too_far(belief, name, matrix)
    return matrix[None]
