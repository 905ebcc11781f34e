"""Stage 3, scouting: a few steps of EM from many candidates at once, side by side on the component axis.

In:  HiddenRows, and candidates.
Out: the parameters that the best of them has come to. Small tables only, where a step for many models takes little
     longer than one for a single model; and only where every component has parameters and a proper prior of its own.
"""

from dataclasses import dataclass

import numpy as np

from suffice.arrays import Array, Codes
from suffice.errors import CollapsedError, SingularError
from suffice.families.memberships import Soft
from suffice.lazy import lazy
from suffice.model.em.candidates import Candidates
from suffice.model.em.hidden import HiddenRows, Parameters
from suffice.model.em.loop import Expected
from suffice.model.em.starts import points_of

STEPS = 5
MOST, FEWEST = 12, 4  # candidates at once
MOST_CELLS = 2**19  # of rows, columns and components, for all candidates together


@dataclass(frozen=True, eq=False)
class Scouts:
    rows: HiddenRows
    number: int  # of candidates at once

    @classmethod
    def of(cls, rows: HiddenRows) -> "Scouts | None":
        """None where the table is too large, or components are not free of each other."""
        evidence, table = rows.label_evidence, rows.blocks.table
        number = min(MOST, MOST_CELLS // (table.rows * len(evidence.owners) * len(table.names)))
        if number < FEWEST or not rows.columns.free or evidence.learned:
            return None
        return cls(rows, number)

    def sent(self, best: Parameters, rng: np.random.Generator) -> Parameters | None:
        """Where the best of some candidates has come to, who know the best model so far; None if one collapsed."""
        memberships = np.concatenate([some for _, some in self.rows.memberships(best)])
        try:
            parameters, objective = self._followed(self._candidates.drawn(self.number, memberships, rng))
        except (CollapsedError, SingularError):
            return None
        size = len(best.prevalence)
        return parameters.only(np.arange(size) + size * int(objective.argmax()))

    @lazy
    def _candidates(self) -> Candidates:
        rows, evidence = self.rows, self.rows.label_evidence
        possible = np.isfinite(evidence.log_table)[evidence.labels.codes]  # (N, K)
        return Candidates(points_of(rows.blocks, rows.columns.families), possible, rows.weights, evidence.owners)

    @lazy
    def _many(self) -> HiddenRows:
        return self.rows.side_by_side(self.number)

    def _followed(self, drawn: list[Codes]) -> tuple[Parameters, Array]:
        """The parameters of all of them after a few steps, and the objective of each."""
        many, each = self._many, np.eye(len(self.rows.label_evidence.owners))
        beside = np.concatenate([each[codes] for codes in drawn], axis=1)  # (N, M K)
        parameters = many.learn(many.initial_expectation(Soft(beside * self.rows.weights[:, None])))
        for _ in range(STEPS - 1):
            gathered, _, _ = many.expect_each(parameters)
            parameters = many.learn(Expected(gathered, np.nan, np.nan))
        _, likelihood, _ = many.expect_each(parameters)
        return parameters, likelihood + many.log_priors(parameters)
