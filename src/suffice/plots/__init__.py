"""Stage 7, pictures: one function each, axes in and axes out. matplotlib is asked for only when one is drawn."""

from suffice.plots.belief import belief
from suffice.plots.choice import choice
from suffice.plots.curves import calibration, risk_coverage, roc
from suffice.plots.densities import densities
from suffice.plots.discriminant import discriminant
from suffice.plots.em import em
from suffice.plots.explanation import explanation, posterior
from suffice.plots.nomogram import nomogram
from suffice.plots.regions import regions
from suffice.plots.tree import tree

__all__ = [
    "belief",
    "calibration",
    "choice",
    "densities",
    "discriminant",
    "em",
    "explanation",
    "nomogram",
    "posterior",
    "regions",
    "risk_coverage",
    "roc",
    "tree",
]
