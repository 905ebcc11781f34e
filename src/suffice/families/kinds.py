"""The kinds of columns there are, one entry for each: the one place where kinds meet families.

In:  nothing; or, from outside, one more kind.
Out: entries of `data.kinds.KINDS`, and for each what makes the family of a block of such columns.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import cast

from suffice.arrays import Array
from suffice.data.kinds import (
    BINARY,
    BINOMIAL,
    CATEGORICAL,
    COUNTS,
    EXPONENTIAL,
    GAUSSIAN,
    IGNORE,
    JOINT,
    KINDS,
    LOG_GAUSSIAN,
    POISSON,
    TALLIED,
    Kind,
    Number,
    Range,
    count,
)
from suffice.data.schema import BlockPlan, ColumnPlan
from suffice.errors import ParameterError
from suffice.families.angles.family import Angles
from suffice.families.cells.binomial import Binomial
from suffice.families.cells.categorical import Categorical
from suffice.families.cells.family import Cells
from suffice.families.cells.multinomial import Multinomial
from suffice.families.cells.negative_binomial import NegativeBinomial
from suffice.families.gaussian.family import Gaussian
from suffice.families.gaussian.shapes import DIAGONAL, FULL
from suffice.families.inverse_gaussian.family import InverseGaussian
from suffice.families.protocol import Family, Parametric, S, Statistics
from suffice.families.rates.poisson import Poisson
from suffice.families.rates.waiting import Waiting
from suffice.transforms import DEGREES, LOG, LOGIT, Transform

TURNS = Range(-1e12, 1e12)  # beyond, a float has no digits left for where in its turn an angle is


def erased(family: Family[S]) -> Family[Statistics]:
    """The one place that forgets which statistics a family takes: they stay beside it, whichever they are."""
    return cast("Family[Statistics]", family)


def made(family: Callable[[BlockPlan], Family[S]]) -> Callable[[BlockPlan], Family[Statistics]]:
    """What makes the family of a block, in the same way."""
    return lambda block: erased(family(block))


def _gaussian(block: BlockPlan) -> Gaussian:
    return Gaussian(len(block.columns), DIAGONAL)


def _categorical(block: BlockPlan) -> Cells:
    return Categorical([column.levels for column in block.columns])


def _angles(block: BlockPlan) -> Angles:
    return Angles(tuple(kappa for (kappa,) in block.numbers))


BUILT_IN = (
    (Kind(GAUSSIAN, numeric=True), made(_gaussian)),
    (
        Kind(LOG_GAUSSIAN, allows=lambda: Range(0, above=True), described=lambda: "Gaussian after ln", transform=LOG),
        made(_gaussian),
    ),
    (
        Kind(
            "logit-gaussian",
            allows=lambda: Range(0, 1, above=True),
            described=lambda: "Gaussian after logit",
            transform=LOGIT,
        ),
        made(_gaussian),
    ),
    (Kind(JOINT, together=True, numeric=True), made(lambda block: Gaussian(len(block.columns), FULL))),
    (Kind(CATEGORICAL, discrete=True, counted=True, coded=True), made(_categorical)),
    (Kind(TALLIED, discrete=True, counted=True, coded=True, undecided=True), made(_categorical)),
    (
        Kind(
            BINOMIAL,
            allows=lambda trials: Range(0, trials, whole=True),
            numbers=(Number("number of trials", 10, count),),
            described=lambda trials: BINARY if trials == 1 else f"binomial out of {trials}",
            discrete=True,
            counted=True,
        ),
        made(lambda block: Binomial([int(trials) for (trials,) in block.numbers])),
    ),
    (
        Kind(
            "negative-binomial",
            allows=lambda successes: Range(0, whole=True),
            numbers=(Number("number of successes", 2),),
            described=lambda successes: f"failures before {successes:g} successes" if successes != 1 else "geometric",
            discrete=True,
            counted=True,
        ),
        made(lambda block: NegativeBinomial([successes for (successes,) in block.numbers])),
    ),
    (
        Kind(POISSON, allows=lambda: Range(0, whole=True), discrete=True),
        made(lambda block: Poisson(len(block.columns))),
    ),
    (Kind(EXPONENTIAL, allows=lambda: Range(0)), made(lambda block: Waiting([1.0] * len(block.columns)))),
    (
        Kind(
            "gamma",
            allows=lambda shape: Range(0, above=shape != 1),
            numbers=(Number("shape", 2.0),),
            described=lambda shape: f"gamma of shape {shape:g}",
        ),
        made(lambda block: Waiting([shape for (shape,) in block.numbers])),
    ),
    (
        Kind(
            "inverse-gaussian",
            allows=lambda: Range(0, above=True),
            described=lambda: "inverse Gaussian",
        ),
        made(lambda block: InverseGaussian(len(block.columns))),
    ),
    (
        Kind(
            "von-mises",
            allows=lambda kappa: TURNS,
            numbers=(Number("concentration", 2.0),),
            described=lambda kappa: f"von Mises in radians, concentration {kappa:g}",
        ),
        made(_angles),
    ),
    (
        Kind(
            "von-mises-degrees",
            allows=lambda kappa: TURNS,
            numbers=(Number("concentration", 2.0),),
            described=lambda kappa: f"von Mises in degrees, concentration {kappa:g}",
            transform=DEGREES,
        ),
        made(_angles),
    ),
    (
        Kind(COUNTS, allows=lambda: Range(0), discrete=True, counted=True, together=True, words=True),
        made(lambda block: Multinomial(block.names)),
    ),
)
KINDS.update({kind.name: kind for kind, _ in BUILT_IN})
FAMILIES = {kind.name: family for kind, family in BUILT_IN}  # what makes the family of a block of each kind


def register_kind(
    name: str,
    family: Callable[[BlockPlan], Family[S]],
    *,
    allows: Callable[..., Range] | Range | None = None,
    numbers: Sequence[Number] = (),
    described: Callable[..., str] | None = None,
    discrete: bool = False,
    transform: Transform | None = None,
) -> None:
    """Add a kind of your own, so that columns can be declared as kinds={"x": name}, or (name, number …).

    `family` makes the family for a block of such columns: `block.columns` are their plans and `block.numbers` the
    numbers declared with each. `allows` is the Range of cells that the kind accepts, or a function of the numbers that
    gives it; `numbers` lists what must be known beforehand, a Number each; `described` is how the kind prints, given
    its numbers; `discrete` says that cells have probabilities rather than densities; `transform` is a
    `suffice.transforms.Transform` of the cells, such as ln x, of which the family sees no others.

    The family is built once to make sure that nothing is missing. Files of models with such columns can be loaded
    wherever the same kind is registered.

    Raises
    ------
    ParameterError
        If the name is taken, or `family` does not make a family.

    """
    if not isinstance(name, str) or not name or name in (BINARY, IGNORE, *(kind.name for kind, _ in BUILT_IN)):
        raise ParameterError(
            f"The name of a new kind must be text that is not in use; found {name!r}. In use: {', '.join(KINDS)}."
        )
    ranges = allows if callable(allows) else lambda *numbers: allows or Range()
    if transform is not None and (discrete or not isinstance(transform, Transform)):
        why = "cells of a discrete kind have probabilities" if discrete else f"found {type(transform).__name__}"
        raise ParameterError(f"transform must be a suffice.transforms.Transform of cells that have densities; {why}.")
    entry = Kind(name, ranges, tuple(numbers), described, discrete, transform=transform)
    plan = ColumnPlan("x", name, numbers=tuple(number.example for number in entry.numbers))
    try:
        built = family(BlockPlan(name, (plan,)))
    except TypeError as error:  # an abstract member, by its name
        raise ParameterError(f"The family of {name!r} cannot be made: {error}.") from error
    if not isinstance(built, Family):
        raise ParameterError(
            f"family must make a suffice.families.protocol.Family from a block; found {type(built).__name__}."
        )
    KINDS[name], FAMILIES[name] = entry, made(family)


def kinds_about(about: str) -> list[str | tuple[str | float, ...]]:
    """The kinds of single columns whose parameters are of that sort, as they are declared."""
    found = []
    for kind in KINDS.values():
        plan = ColumnPlan("x", kind.name, numbers=tuple(entry.example for entry in kind.numbers))
        if kind.name != TALLIED and not kind.together and family_of(BlockPlan(kind.name, (plan,))).about == about:
            found.append(kind.example)
    return found


def density_of(block: BlockPlan, arrays: Mapping[str, Array], components: int) -> Parametric[Statistics]:
    """Known parameters of a block, from the arrays of its density."""
    return family_of(block).density(arrays, components)


def family_of(block: BlockPlan) -> Family[Statistics]:
    return FAMILIES[block.kind](block)
