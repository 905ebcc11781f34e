"""Compiled twins for rows lying across, and the products of their coordinates."""

import numpy as np

from suffice.kernels.compiled.decorators import exactly, summing
from suffice.kernels.compiled.lanes import LANES, fetch, lanes, turn


@exactly
def scaled_across(x, centre, scale, out):
    for start in range(0, len(x), LANES):
        some = x[start : start + LANES]
        for j in range(x.shape[1]):
            row = out[j, start : start + LANES]
            for lane in range(len(some)):
                row[lane] = (some[lane, j] - centre[j]) * scale[j]


@exactly
def turned_across(x, centre, into, out):
    """An upper triangular matrix, four of its rows at a time."""
    across, sums = lanes(into.shape[0], LANES), np.empty(LANES)
    for start in range(0, len(x), LANES):
        turn(x[start : start + LANES], centre, across)
        for j in range(x.shape[1]):
            row, sums[:] = out[j, start : start + LANES], 0.0
            for i in range(0, j + 1, 4):
                a, b, c, d = into[i, j], into[i + 1, j], into[i + 2, j], into[i + 3, j]
                for lane in range(LANES):
                    p, q, r, s = across[i, lane], across[i + 1, lane], across[i + 2, lane], across[i + 3, lane]
                    sums[lane] = sums[lane] + a * p + b * q + c * r + d * s
            for lane in range(len(row)):
                row[lane] = sums[lane]


@summing
def products(z, shares, out):
    """Of two coordinates with four, for one component: eight sums in registers while the lanes go by."""
    rows, components, width = len(z), len(shares), 2 * LANES
    across, share = lanes(rows, width), lanes(components, width)
    for start in range(0, z.shape[1], width):
        fetch(z, start, width, across)
        fetch(shares, start, width, share)
        for i in range(0, rows, 2):
            for j in range(i // 4 * 4, rows, 4):
                for k in range(components):
                    a = b = c = d = e = f = g = h = 0.0
                    for lane in range(width):
                        one, other = across[i, lane] * share[k, lane], across[i + 1, lane] * share[k, lane]
                        p, q, r, s = across[j, lane], across[j + 1, lane], across[j + 2, lane], across[j + 3, lane]
                        a += p * one
                        b += q * one
                        c += r * one
                        d += s * one
                        e += p * other
                        f += q * other
                        g += r * other
                        h += s * other
                    for more, (first, second) in enumerate(((a, e), (b, f), (c, g), (d, h))):
                        out[k, i, j + more] += first
                        out[k, i + 1, j + more] += second
