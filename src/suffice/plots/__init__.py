"""Stage 7, pictures: one function each, axes in and axes out. matplotlib is asked for only when one is drawn.

Raises
------
ParameterError
    If what is given is not what the picture shows, or `ax` are not axes of matplotlib.
MissingExtraError
    If matplotlib is not installed.

"""

from suffice.plots.belief import belief
from suffice.plots.choice import choice
from suffice.plots.comparison import comparison
from suffice.plots.confusion import confusion
from suffice.plots.curves import calibration, cost, risk_coverage, roc
from suffice.plots.densities import densities
from suffice.plots.discriminant import discriminant
from suffice.plots.em import em
from suffice.plots.explanation import explanation, posterior
from suffice.plots.margin import margin
from suffice.plots.missing import missing
from suffice.plots.nomogram import nomogram
from suffice.plots.pairs import pairs
from suffice.plots.regions import regions
from suffice.plots.tree import tree

__all__ = [
    "belief",
    "calibration",
    "choice",
    "comparison",
    "confusion",
    "cost",
    "densities",
    "discriminant",
    "em",
    "explanation",
    "margin",
    "missing",
    "nomogram",
    "pairs",
    "posterior",
    "regions",
    "risk_coverage",
    "roc",
    "tree",
]
