"""Stage 7, pictures: one function each, axes in and axes out. matplotlib is asked for only when one is drawn."""

from suffice.plots.discriminant import discriminant

__all__ = ["discriminant"]
