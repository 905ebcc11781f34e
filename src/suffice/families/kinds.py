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
from suffice.families.protocol import Density, Family
from suffice.families.rates.exponential import Exponential
from suffice.families.rates.poisson import Poisson

FAMILIES: dict[str, Callable[[BlockPlan], Family]] = {
    GAUSSIAN: lambda block: Gaussian(len(block.columns), DIAGONAL),
    LOG_GAUSSIAN: lambda block: Gaussian(len(block.columns), DIAGONAL),  # the block holds logarithms
    JOINT: lambda block: Gaussian(len(block.columns), FULL),
    CATEGORICAL: lambda block: Categorical([column.levels for column in block.columns]),
    BINOMIAL: lambda block: Binomial([column.trials for column in block.columns]),
    POISSON: lambda block: Poisson(len(block.columns)),
    EXPONENTIAL: lambda block: Exponential(len(block.columns)),
    COUNTS: lambda block: Multinomial(block.names),
}


def density_of(block: BlockPlan, arrays: Mapping[str, Array], components: int) -> Density:
    """Known parameters of a block, from the arrays of its density."""
    family: Any = family_of(block)
    density: Density = family.density(arrays, components)
    return density


def family_of(block: BlockPlan) -> Family:
    return FAMILIES[block.kind](block)
