"""Compiled twins of distances."""

import numpy as np

from suffice.kernels.compiled.decorators import exactly, summing
from suffice.kernels.compiled.lanes import LANES, fetch, lanes, turn


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
def tails(x, mean, scale, power, out):
    """Logarithms add up where numbers multiply: one for several columns, of the numbers 1 + z² of rows side by side.

    A column may make a product 1e100 times larger; what is larger still comes out as not finite.
    """
    columns = x.shape[1]
    centre, across, total, product = np.zeros(columns), lanes(columns, LANES), lanes(1, LANES)[0], lanes(1, LANES)[0]
    for start in range(0, len(x), LANES):
        found = out[start : start + LANES]
        turn(x[start : start + LANES], centre, across)
        for k in range(len(mean)):
            total[:], product[:] = 0.0, 1.0
            for j in range(columns):
                m, s, row = mean[k, j], scale[k, j], across[j]
                for lane in range(LANES):
                    z = (row[lane] - m) * s
                    product[lane] = product[lane] * (1.0 + z * z)
                largest = 0.0
                for lane in range(len(found)):
                    largest = max(largest, product[lane])
                if j + 1 == columns or power[k, j + 1] != power[k, j] or largest > 1e200:
                    for lane in range(len(found)):
                        total[lane] += power[k, j] * np.log(product[lane])
                    product[:] = 1.0
            for lane in range(len(found)):
                found[lane, k] = total[lane]


@exactly
def _triangles(across, factors, one, other, total):
    """Two columns and four rows of a factor at a time: eight numbers stay in registers while the lanes go by.

    The same rows serve one component after the other while they are near.
    """
    total[:], one[:], other[:] = 0.0, 0.0, 0.0
    for j in range(0, factors.shape[2], 2):
        last = min((j + 2) // 4, factors.shape[1] // 4 - 1) * 4  # the last four rows that are not all zero
        for i in range(0, last + 1, 4):
            for k in range(len(factors)):
                a, b, c, d = factors[k, i, j], factors[k, i + 1, j], factors[k, i + 2, j], factors[k, i + 3, j]
                e, f = factors[k, i, j + 1], factors[k, i + 1, j + 1]
                g, h = factors[k, i + 2, j + 1], factors[k, i + 3, j + 1]
                for lane in range(LANES):
                    p, q, r, s = across[i, lane], across[i + 1, lane], across[i + 2, lane], across[i + 3, lane]
                    one[k, lane] = one[k, lane] + a * p + b * q + c * r + d * s
                    other[k, lane] = other[k, lane] + e * p + f * q + g * r + h * s
        for k in range(len(factors)):
            for lane in range(LANES):
                total[k, lane] = total[k, lane] + one[k, lane] ** 2 + other[k, lane] ** 2
                one[k, lane], other[k, lane] = 0.0, 0.0


@exactly
def triangular_across(z, factors, level, out):
    components = len(factors)
    across, total = lanes(len(z), LANES), lanes(components, LANES)
    one, other = lanes(components, LANES), lanes(components, LANES)  # two arrays: lanes of one would wait
    for start in range(0, z.shape[1], LANES):
        fetch(z, start, LANES, across)
        _triangles(across, factors, one, other, total)
        for k in range(components):
            row = out[k, start : start + LANES]
            for lane in range(len(row)):
                row[lane] = level[k] - 0.5 * total[k, lane]


@exactly
def triangular_rows(x, centre, factors, out):
    components = len(factors)
    across, total = lanes(factors.shape[1], LANES), lanes(components, LANES)
    one, other = lanes(components, LANES), lanes(components, LANES)
    across[0] = 1.0
    for start in range(0, len(x), LANES):
        found = out[start : start + LANES]
        turn(x[start : start + LANES], centre, across[1:])
        _triangles(across, factors, one, other, total)
        for k in range(components):
            for lane in range(len(found)):
                found[lane, k] = total[k, lane]
