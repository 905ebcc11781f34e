"""Stage 3, what is left open about parameters that EM has found, in one of three ways: information, scores, bootstrap.

In:  the problem that EM has solved, its solution, and the way that the user asks for.
Out: Uncertain, or None where nobody asks.
"""

from typing import Any

from suffice.errors import ParameterError
from suffice.model.em.approximate import Approximate
from suffice.model.em.bootstrap import Resampled, bootstrap
from suffice.model.em.hidden import Parameters
from suffice.model.em.information import observed
from suffice.model.em.run import Problem
from suffice.model.em.search import Control
from suffice.model.joint import Joint
from suffice.model.prevalence import learned_from_rows
from suffice.model.uncertainty import Uncertain
from suffice.options import shown, whole

INFORMATION, SCORES, BOOTSTRAP = "information", "scores", "bootstrap"
DRAWS = 200
EXPECTED = f"intervals is None, '{INFORMATION}', '{SCORES}', '{BOOTSTRAP}' or ('{BOOTSTRAP}', draws)"


def read_intervals(given: Any) -> tuple[str | None, int]:
    """The way, and how many samples of the rows are drawn in it."""
    way, draws = given if isinstance(given, tuple | list) and len(given) == 2 else (given, DRAWS)
    known = way is None or (isinstance(way, str) and way in (INFORMATION, SCORES, BOOTSTRAP))
    if not known or (way != BOOTSTRAP and way is not given):
        raise ParameterError(f"{EXPECTED}; found {shown(given)}.")
    return way, whole(draws, f"{EXPECTED}, 2 draws or more", least=2)


def left_open(problem: Problem, joint: Joint, given: Any, control: Control) -> Uncertain | None:
    way, draws = read_intervals(given)
    if way is None:
        return None
    rows, found = problem.rows, Parameters(joint.prevalence, joint.density, joint.confusion)
    if way == BOOTSTRAP:
        joints = tuple(problem.joint(some) for some in bootstrap(rows, found, draws, control))
        return Resampled(joint, joints, learned_from_rows(rows.given) or len(joint.prevalence) > len(joint.classes))
    return Approximate(joint, *observed(rows, found, outer=way == SCORES))
