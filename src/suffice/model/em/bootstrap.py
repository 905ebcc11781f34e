"""Stage 3, how sure the rows make us of what EM has found, by learning again from rows drawn from these rows.

In:  hidden rows, the parameters found for them, and when to stop. Rows are not copied: each has a weight, how often it
     was drawn, and a row of weight 2 is drawn as often as two rows.
Out: Resampled: the parameters of each draw, its components matched with those found; intervals are percentiles.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from scipy.optimize import linear_sum_assignment

from suffice.arrays import Array, Codes
from suffice.errors import CollapsedError, FallingObjectiveError, SingularError
from suffice.model.em.hidden import HiddenRows, Parameters
from suffice.model.em.information import belonging
from suffice.model.em.search import Run, Start, drawn_by
from suffice.model.joint import Joint, Tables
from suffice.model.rules import Control
from suffice.model.uncertainty import Uncertain
from suffice.threads import in_shares

FAILURES = (CollapsedError, SingularError, FallingObjectiveError)


@dataclass(frozen=True, eq=False)
class Resampled(Uncertain):
    joint: Joint
    joints: tuple[Joint, ...]  # of each draw of rows
    learned: bool  # whether the rows have a say in the prevalence

    def draw(self, rng: np.random.Generator) -> Joint:
        return self.joints[rng.integers(len(self.joints))]

    def intervals(self, level: float) -> list[Tables]:
        return self._over_draws(lambda values: _percentiles(values, level))

    def errors(self) -> list[Tables]:
        return self._over_draws(lambda values: {"": values.std(axis=0, ddof=1)})

    def prevalence_interval(self, level: float, heading: str) -> dict[str, Array]:
        found = _percentiles(self._prevalences, level)
        return {f"{heading}{end}": values for end, values in found.items()} if self.learned else {}

    def prevalence_error(self) -> Array:
        return np.asarray(self._prevalences.std(axis=0, ddof=1))

    @property
    def _prevalences(self) -> Array:
        return np.stack([joint.prevalence for joint in self.joints])

    def _over_draws(self, summed: Callable[[Array], dict[str, Array]]) -> list[Tables]:
        """For every entry of the tables of each block what follows from its draws (R, K), under more headings."""
        return [
            {
                title: {
                    f"{heading}{end}": values
                    for heading in table
                    for end, values in summed(np.stack([some[title][heading] for some in drawn])).items()
                }
                for title, table in drawn[0].items()
            }
            for drawn in self._tables()
        ]

    def _tables(self) -> list[list[Tables]]:
        """Of each block, those of each draw."""
        blocks = enumerate(self.joint.schema.blocks)
        return [[joint.density.parts[i].tables(block.titles) for joint in self.joints] for i, block in blocks]


def _percentiles(values: Array, level: float) -> dict[str, Array]:
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return {" low": low, " high": high}


def bootstrap(rows: HiddenRows, parameters: Parameters, draws: int, control: Control) -> list[Parameters]:
    """What EM finds from rows drawn from these, begun where it ended; draws in which a component collapses are left."""

    def share(rngs: Sequence[np.random.Generator]) -> list[Parameters]:
        found = (learned_again(rows, parameters, drawn(rows.weights, rng), control) for rng in rngs)
        return [some for some in found if some is not None]

    shares = in_shares(share, drawn_by(control.random_state, draws))
    found = list(chain.from_iterable(shares))
    if len(found) < draws / 2:
        raise CollapsedError(
            f"A component collapsed in {draws - len(found)} of {draws} samples of the rows, so there are no intervals. "
            "Use fewer components, parameter_prior='weak' or more rows."
        )
    return [some.only(matched(rows, parameters, some)) for some in found]


def drawn(weights: Array, rng: np.random.Generator) -> Array:
    """How often each row is drawn, of as many draws as the rows weigh."""
    whole = weights.sum()
    draws = max(1, round(whole))
    return np.asarray(rng.multinomial(draws, weights / whole) * (whole / draws))


def learned_again(rows: HiddenRows, begin: Parameters, weights: Array, control: Control) -> Parameters | None:
    """The end of EM with other weights of the rows; None where a component collapses."""
    some = rows.reweighed(weights)
    try:
        run = Run.of(some, Start(some.expect(begin)), control.tol)
        for step in run.steps:
            run.keep(step)
            if run.converged or len(run.history) >= control.max_iter:
                return step.parameters
    except FAILURES:
        return None
    return None


def matched(rows: HiddenRows, reference: Parameters, other: Parameters) -> Codes:
    """The components of another model in the order of those that share most rows with them, class by class."""
    everyone = slice(0, len(rows.weights))
    mine, theirs = (belonging(rows, some, everyone) for some in (reference, other))
    return best_match((mine * rows.weights[:, None]).T @ theirs, rows.label_evidence.owners)


def best_match(overlap: Array, owners: Codes) -> Codes:
    """Which column goes with each row, so that what they share is most; within a class only."""
    apart = owners[:, None] != owners
    return np.asarray(linear_sum_assignment(np.where(apart, -1e300, overlap), maximize=True)[1])
