"""From the plan of a block to the family that models it: the one place where kinds meet families."""

from collections.abc import Callable, Mapping
from typing import Any

from suffice.arrays import Array
from suffice.data.schema import (
    BINOMIAL,
    CATEGORICAL,
    COUNTS,
    EXPONENTIAL,
    GAUSSIAN,
    JOINT,
    LOG_GAUSSIAN,
    POISSON,
    BlockPlan,
)
from suffice.families.cells.binomial import Binomial
from suffice.families.cells.categorical import Categorical
from suffice.families.cells.multinomial import Multinomial
from suffice.families.gaussian.family import Gaussian
from suffice.families.gaussian.shapes import DIAGONAL, FULL
from suffice.families.protocol import Family, Parametric, Statistics
from suffice.families.rates.poisson import Poisson
from suffice.families.rates.waiting import Waiting

FAMILIES: dict[str, Callable[[BlockPlan], Family[Any]]] = {
    GAUSSIAN: lambda block: Gaussian(len(block.columns), DIAGONAL),
    LOG_GAUSSIAN: lambda block: Gaussian(len(block.columns), DIAGONAL),  # the block holds logarithms
    JOINT: lambda block: Gaussian(len(block.columns), FULL),
    CATEGORICAL: lambda block: Categorical([column.levels for column in block.columns]),
    BINOMIAL: lambda block: Binomial([column.trials for column in block.columns]),
    POISSON: lambda block: Poisson(len(block.columns)),
    EXPONENTIAL: lambda block: Waiting([1.0] * len(block.columns)),
    COUNTS: lambda block: Multinomial(block.names),
}


def density_of(block: BlockPlan, arrays: Mapping[str, Array], components: int) -> Parametric[Statistics]:
    """Known parameters of a block, from the arrays of its density."""
    return family_of(block).density(arrays, components)


def family_of(block: BlockPlan) -> Family[Statistics]:
    return FAMILIES[block.kind](block)
