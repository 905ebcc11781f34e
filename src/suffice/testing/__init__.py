"""For those who add a family: `check_family` tries all laws on it, each with rows drawn from its own components."""

import numpy as np

from suffice.testing import beliefs, charts, densities, draws, formulas, reading, statistics  # noqa: F401 # their laws
from suffice.testing.case import Case, K
from suffice.testing.law import LAWS

__all__ = ["LAWS", "Case", "K", "check_family"]


def check_family(case: Case, seed: int = 20) -> None:
    """Test every law on a family; the first that fails raises an AssertionError that names the law and the case."""
    for law in LAWS:
        if law.concerns(case):
            try:
                law.check(case, np.random.default_rng(seed))
            except AssertionError as error:
                raise AssertionError(f"{case.name} breaks the law “{law.name}”: {error}") from error
