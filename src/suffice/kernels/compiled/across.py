"""Compiled twins for rows lying across, and the products of their coordinates."""

import numpy as np

from suffice.kernels.compiled.decorators import LANES, exactly, summing


@exactly
def scaled_across(x, centre, scale, out):
    for start in range(0, len(x), LANES):
        some = x[start : start + LANES]  # a slice counts from 0, which a processor can do in lanes
        for j in range(x.shape[1]):
            row = out[j, start : start + LANES]
            for lane in range(len(some)):
                row[lane] = (some[lane, j] - centre[j]) * scale[j]


@exactly
def turned_across(x, centre, into, out):
    """An upper triangular matrix, four of its rows at a time."""
    columns = x.shape[1]
    across, sums = np.zeros((into.shape[0], LANES)), np.empty(LANES)
    for start in range(0, len(x), LANES):
        some = x[start : start + LANES]
        for lane in range(len(some)):
            for j in range(columns):
                across[j, lane] = some[lane, j] - centre[j]
        for j in range(columns):
            row, sums[:] = out[j, start : start + LANES], 0.0
            for i in range(0, j + 1, 4):
                a, b, c, d = into[i, j], into[i + 1, j], into[i + 2, j], into[i + 3, j]
                for lane in range(LANES):
                    p, q, r, s = across[i, lane], across[i + 1, lane], across[i + 2, lane], across[i + 3, lane]
                    sums[lane] = sums[lane] + a * p + b * q + c * r + d * s
            for lane in range(len(row)):
                row[lane] = sums[lane]


@summing
def products(across, shares, out):
    """Of four coordinates with one, for two components at a time: eight sums in registers while the lanes go by."""
    rows, components = across.shape[0], shares.shape[0]
    for start in range(0, across.shape[1], 4 * LANES):
        end = min(start + 4 * LANES, across.shape[1])
        for i in range(rows):
            for j in range(i // 4 * 4, rows, 4):
                for k in range(0, components, 2):
                    k2 = min(k + 1, components - 1)
                    a = b = c = d = e = f = g = h = 0.0
                    for lane in range(start, end):
                        z = across[i, lane]
                        one, other = z * shares[k, lane], z * shares[k2, lane]
                        p, q, r, s = across[j, lane], across[j + 1, lane], across[j + 2, lane], across[j + 3, lane]
                        a += p * one
                        b += q * one
                        c += r * one
                        d += s * one
                        e += p * other
                        f += q * other
                        g += r * other
                        h += s * other
                    sums = (a, b, c, d), (e, f, g, h)
                    for more in range(4):
                        out[k, i, j + more] += sums[0][more]
                        if k2 > k:
                            out[k2, i, j + more] += sums[1][more]
