"""Compiled twins of distances."""

import numpy as np

from suffice.kernels.compiled.decorators import LANES, exactly, summing


@summing
def distances(x, mean, scale, out):
    for i in range(x.shape[0]):
        for k in range(mean.shape[0]):
            total = 0.0
            for j in range(x.shape[1]):
                z = (x[i, j] - mean[k, j]) * scale[k, j]
                total += z * z
            out[i, k] = total


@exactly
def _triangle(across, factors, k, one, other, total):
    """Two columns and four rows of a factor at a time: eight numbers stay in registers while the lanes go by."""
    total[:], one[:], other[:] = 0.0, 0.0, 0.0
    for j in range(0, factors.shape[2], 2):
        last = min((j + 2) // 4, factors.shape[1] // 4 - 1) * 4  # the last four rows that are not all zero
        for i in range(0, last + 1, 4):
            a, b, c, d = factors[k, i, j], factors[k, i + 1, j], factors[k, i + 2, j], factors[k, i + 3, j]
            e, f = factors[k, i, j + 1], factors[k, i + 1, j + 1]
            g, h = factors[k, i + 2, j + 1], factors[k, i + 3, j + 1]
            if i < last:
                for lane in range(LANES):
                    p, q, r, s = across[i, lane], across[i + 1, lane], across[i + 2, lane], across[i + 3, lane]
                    one[lane] = one[lane] + a * p + b * q + c * r + d * s  # each a product and a sum at once
                    other[lane] = other[lane] + e * p + f * q + g * r + h * s
            else:
                for lane in range(LANES):
                    p, q, r, s = across[i, lane], across[i + 1, lane], across[i + 2, lane], across[i + 3, lane]
                    u = one[lane] + a * p + b * q + c * r + d * s
                    v = other[lane] + e * p + f * q + g * r + h * s
                    total[lane] = total[lane] + u * u + v * v
                    one[lane], other[lane] = 0.0, 0.0


@exactly
def triangular_across(z, factors, level, out):
    across, one, other, total = np.zeros((len(z), LANES)), np.empty(LANES), np.empty(LANES), np.empty(LANES)
    for start in range(0, z.shape[1], LANES):
        for j in range(len(z)):
            row = z[j, start : start + LANES]
            for lane in range(len(row)):
                across[j, lane] = row[lane]
        for k in range(len(factors)):
            _triangle(across, factors, k, one, other, total)
            row = out[k, start : start + LANES]
            for lane in range(len(row)):
                row[lane] = level[k] - 0.5 * total[lane]


@exactly
def triangular_rows(x, centre, factors, out):
    across, one, other, total = np.zeros((factors.shape[1], LANES)), np.empty(LANES), np.empty(LANES), np.empty(LANES)
    across[0] = 1.0
    for start in range(0, len(x), LANES):
        some, found = x[start : start + LANES], out[start : start + LANES]
        for lane in range(len(some)):
            for j in range(x.shape[1]):
                across[j + 1, lane] = some[lane, j] - centre[j]
        for k in range(len(factors)):
            _triangle(across, factors, k, one, other, total)
            for lane in range(len(some)):
                found[lane, k] = total[lane]
