"""The compiled twins: one read of the rows each, serial, without the interpreter's lock, kept on disk.

Only `choice` imports this folder. What each function computes is said by its NumPy twin, in the file of the same name
one folder up; arguments named `out` or in the plural of what they hold are filled in place.
"""

from suffice.kernels.compiled.across import products, scaled_across, turned_across
from suffice.kernels.compiled.codes import hard_counts, look_up, look_up_given, look_up_pairs, pair_counts, soft_counts
from suffice.kernels.compiled.coordinates import coordinate_pass
from suffice.kernels.compiled.distances import distances, tails, triangular_across, triangular_rows
from suffice.kernels.compiled.exponentials import exponentials, softened
from suffice.kernels.compiled.left_out import gaussian_left_out, own_shares
from suffice.kernels.compiled.lines import along
from suffice.kernels.compiled.moments import (
    centred,
    dealt,
    first_cells,
    hard_complete,
    hard_holed,
    soft_complete,
    soft_holed,
)
from suffice.kernels.compiled.scores import linear
from suffice.kernels.compiled.words import hard_words_and_rows, log_coefficients

__all__ = [
    "along",
    "centred",
    "coordinate_pass",
    "dealt",
    "distances",
    "exponentials",
    "first_cells",
    "gaussian_left_out",
    "hard_complete",
    "hard_counts",
    "hard_holed",
    "hard_words_and_rows",
    "linear",
    "log_coefficients",
    "look_up",
    "look_up_given",
    "look_up_pairs",
    "own_shares",
    "pair_counts",
    "products",
    "scaled_across",
    "soft_complete",
    "soft_counts",
    "soft_holed",
    "softened",
    "tails",
    "triangular_across",
    "triangular_rows",
    "turned_across",
]
