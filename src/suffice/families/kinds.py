"""From the plan of a block to the family that models it: the one place where kinds meet families."""

from collections.abc import Callable

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
from suffice.families.binomial import Binomial
from suffice.families.categorical import Categorical
from suffice.families.exponential import Exponential
from suffice.families.gaussian import Gaussian
from suffice.families.multinomial import Multinomial
from suffice.families.poisson import Poisson
from suffice.families.protocol import Family
from suffice.families.shapes import DIAGONAL, FULL

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


def family_of(block: BlockPlan) -> Family:
    return FAMILIES[block.kind](block)
