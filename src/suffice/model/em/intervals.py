"""Stage 3, what is left open about parameters that EM has found, in one of three ways: information, scores, bootstrap.

In:  the problem that EM has solved, its solution, and the way that the user asks for; or, where labels are known and
     cells alone are missing, statistics by pattern, which have all that the observed information needs.
Out: Uncertain, or None where nobody asks.
"""

from dataclasses import replace

import numpy as np

from suffice.errors import ParameterError
from suffice.model.design import Design
from suffice.model.em.approximate import Approximate
from suffice.model.em.bootstrap import Resampled, bootstrap
from suffice.model.em.hidden import Parameters
from suffice.model.em.information import Atlas, charted, observed
from suffice.model.em.run import Problem
from suffice.model.em.shares import Shares
from suffice.model.fit import fit, pieces_of
from suffice.model.joint import Joint
from suffice.model.rules import BOOTSTRAP, MONOTONE, SCORES, Control, Rules, learned_from_rows, read_intervals
from suffice.model.summary import Summary
from suffice.model.uncertainty import NO_PRIOR, Uncertain


def left_open(problem: Problem, joint: Joint, control: Control) -> Uncertain | None:
    way, draws = read_intervals(control.intervals)
    if way is None:
        return None
    rows, found = problem.rows, Parameters(joint.prevalence, joint.product, joint.confusion)
    if way == BOOTSTRAP:
        joints = tuple(problem.joint(some) for some in bootstrap(rows, found, draws, control))
        return Resampled(joint, joints, learned_from_rows(rows.given) or len(joint.prevalence) > len(joint.classes))
    return Approximate(joint, *observed(rows, found, outer=way == SCORES))


def left_open_by_cells(joint: Joint, summary: Summary, design: Design, rules: Rules) -> Approximate:
    """About parameters of classes that are known, where cells are missing among columns modelled together.

    They are those of the mode, which EM goes to, whatever the last step of the estimate.
    """
    if joint.estimate not in MONOTONE:
        rules = replace(rules, estimate="map")
        joint = fit(summary, design, rules)
    pieces, rules = pieces_of(summary, design, rules)
    if any(piece.altered for piece in pieces):
        raise ParameterError(f"{NO_PRIOR} Nor is there one of inflated covariances where cells are missing.")
    parts = zip(pieces, joint.product.known, strict=True)
    charts = [p.rule.prior(p.family, p.statistics).chart(density, p.statistics) for p, density in parts]
    smoothing = rules.smoothing if isinstance(rules.priors, str) and rules.priors == "smoothed" else 0.0
    weight = summary.statistics.weight
    shares = Shares(joint.prevalence, weight, np.arange(len(weight)), learned_from_rows(rules.priors), smoothing)
    atlas = Atlas(shares, charted(charts, [piece.names for piece in pieces]))
    return Approximate(joint, atlas, -atlas.curvature())
