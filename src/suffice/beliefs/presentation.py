"""What beliefs for people differ in: how their rows are read, what their numbers are called, their scipy predictive.

In:  a `Prior` of one component (or of many draws, in `numbers`), and what the user gave.
Out: names and plain numbers. The arithmetic is all in the priors; `belief` is the class that people hold.

The faces are in `probabilities`, `rates` and `gaussians`.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, Self, TypeVar

from numpy.typing import ArrayLike

from suffice.arrays import Array
from suffice.beliefs.observations import Observations
from suffice.data.levels import Level
from suffice.errors import ParameterError
from suffice.families.protocol import Density, Family, Names, Parametric, S

Arguments = dict[str, float | Array | Sequence[float] | Mapping[Level, float]]  # of a constructor


P = TypeVar("P", contravariant=True)  # the priors it shows
D = TypeVar("D", bound=Density, contravariant=True)  # what is drawn from them


class Face(Protocol[P, D, S]):
    @property
    def family(self) -> Family[S]: ...  # what the belief is about by nature

    @property
    def names(self) -> Names: ...  # of the columns, for the marginals

    @property
    def columns(self) -> tuple[str, ...]: ...  # their names, where the user gave them

    def parameters(self) -> dict[Level, str]: ...  # name → heading of its marginal

    def arguments(self, prior: P) -> Arguments: ...  # of the constructor that would give this belief

    def read(self, observations: Observations) -> tuple[Self, S]: ...  # statistics

    def numbers(self, density: D) -> dict[Level, Array]: ...  # one or more for each component

    def density(self, prior: P, values: Mapping[Level, ArrayLike]) -> Parametric[S]: ...  # whose numbers these are

    @property
    def logs(self) -> Names: ...  # of what has an expected logarithm

    def predictive(self, prior: P, trials: int | None, of: str | None) -> Any: ...


def refuse_of(of: str | None) -> None:
    if of is not None:
        raise ParameterError(f"Only a belief about a rate predicts of='counts' or of='waits'; found of={of!r}.")


def refuse_trials(trials: int | None) -> None:
    if trials is not None:
        raise ParameterError(
            "trials, the number of trials that a count is out of, is only for beliefs about probabilities; found "
            f"trials={trials!r}."
        )
