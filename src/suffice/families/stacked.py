"""Beliefs about some components each, laid side by side on the component axis.

In:  array beliefs of one kind, about the same family.
Out: one belief about all of their components, which is how every class can have a belief of its own.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from suffice.errors import ParameterError

Prior = TypeVar("Prior")


def stacked(parts: Sequence[Prior], own: Sequence[str], common: Sequence[str] = ()) -> Prior:
    """Fields that each component has are joined; those that all components share must be the same."""
    everyone: list[Any] = list(parts)
    for name in common:
        if any(not np.array_equal(getattr(part, name), getattr(parts[0], name)) for part in everyone):
            raise ParameterError(
                f"The classes share one covariance, so their beliefs cannot differ in {' or '.join(common)}. Give all "
                "classes the same, or use a model with a covariance for each class."
            )
    joined = {name: np.concatenate([getattr(part, name) for part in everyone]) for name in own}
    whole: Prior = replace(everyone[0], **joined)
    return whole
