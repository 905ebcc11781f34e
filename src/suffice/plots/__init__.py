"""Stage 7, pictures: one function each, axes in and axes out. matplotlib is asked for only when one is drawn."""

from suffice.plots.curves import calibration, risk_coverage, roc
from suffice.plots.discriminant import discriminant
from suffice.plots.explanation import explanation
from suffice.plots.regions import regions

__all__ = ["calibration", "discriminant", "explanation", "regions", "risk_coverage", "roc"]
