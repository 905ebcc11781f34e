"""Numbers around lines through other numbers: the hot loop of trees.

In:  rows x (N, D), NaN where missing, and a centre (D,) that is taken off them, so that cells far from 0 keep their
     digits; of each line which column it gives, and along which.
Out: sums over the lines of constant − (scale · (child − start − slope · parent))², (N, K); or of Student-t terms, whose
     spread grows with the distance of the parent from its mean.
"""

import numpy as np

from suffice.arrays import CACHED_CELLS, Array, Codes, row_blocks
from suffice.kernels.twins import compiled

Line = tuple[Array, ...]  # start, slope, scale and constant, (A, K) each; of Student-t also place, spread and degrees


def along(x: Array, centre: Array, child: Codes, parent: Codes, line: Line) -> Array:
    """Nothing where the child is missing, NaN where the parent alone is."""
    out, fast = np.zeros((len(x), line[0].shape[1])), compiled(x.size)
    if fast is not None:
        fast.along(np.ascontiguousarray(x), centre, child, parent, *(np.ascontiguousarray(part) for part in line), out)
        return out
    for j in range(len(child)):
        start, slope, scale, constant = (part[j] for part in line)
        cells, above = (x[:, [column]] - centre[column] for column in (child[j], parent[j]))
        off = (cells - start - slope * above) * scale
        out += np.where(np.isnan(cells), 0.0, constant - off * off)
    return out


def along_tails(x: Array, centre: Array, child: Codes, parent: Codes, line: Line) -> Array:
    """Sums of constant − ½ ln a − ½ (ν + 2) ln(1 + (scale · off)² / a), with a = ν + (spread · (parent − place))²,"""
    out = np.empty((len(x), line[0].shape[1]))
    for rows in row_blocks(len(x), 8 * out.shape[1], CACHED_CELLS):
        total = np.zeros((out.shape[1], rows.stop - rows.start))  # rows lie side by side
        for j in range(len(child)):
            start, slope, scale, constant, place, spread, degrees = (part[j][:, None] for part in line)
            cells, above = (x[rows, column] - centre[column] for column in (child[j], parent[j]))
            wide = degrees + ((above - place) * spread) ** 2
            off = ((cells - start - slope * above) * scale) ** 2 / wide
            found = constant - 0.5 * np.log(wide) - (0.5 * degrees + 1) * np.log1p(off)
            total += np.where(np.isnan(cells), 0.0, found)
        out[rows] = total.T
    return out
