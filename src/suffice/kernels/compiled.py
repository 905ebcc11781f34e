"""The compiled twins: one read of the rows each, serial, without the interpreter's lock, kept on disk.

Only `choice` imports this file. What each function computes is said by its NumPy twin beside this file;
arguments named `out` or in the plural of what they hold are filled in place.
"""

from math import exp, factorial, lgamma, sqrt

import numpy as np
from numba import njit

kernel = njit(nogil=True, cache=True, error_model="numpy")
summing = njit(nogil=True, cache=True, error_model="numpy", fastmath={"reassoc", "contract"})  # lanes of a sum apart


@kernel
def first_cells(x, labels, shift):
    """For each class and column the first cell that is there; 0 where none is."""
    components, columns = shift.shape
    wanting = np.full(components, columns)
    left = components * columns
    shift[:] = np.nan
    for i in range(len(x)):
        k = labels[i]
        if k >= 0 and wanting[k] > 0:
            for j in range(columns):
                if np.isnan(shift[k, j]) and not np.isnan(x[i, j]):
                    shift[k, j] = x[i, j]
                    wanting[k] -= 1
                    left -= 1
        if left == 0:
            break
    for k in range(components):
        for j in range(columns):
            if np.isnan(shift[k, j]):
                shift[k, j] = 0.0


# rows are not cut out of arrays in the hottest loops: a slice costs as much as the arithmetic of fifty cells


@summing
def hard_complete(x, labels, weights, shift, first, second):
    for i in range(x.shape[0]):
        k = labels[i]
        if k >= 0:
            w = weights[i]
            for j in range(x.shape[1]):
                d = x[i, j] - shift[k, j]
                first[k, j] += w * d
                second[k, j] += w * d * d


@kernel
def add_holed(row, w, shift, mass, first, second):
    for j in range(len(row)):
        if not np.isnan(row[j]):
            d = row[j] - shift[j]
            mass[j] += w
            first[j] += w * d
            second[j] += w * d * d


@kernel
def hard_holed(x, labels, weights, shift, mass, first, second):
    for i in range(len(x)):
        k = labels[i]
        if k >= 0:
            add_holed(x[i], weights[i], shift[k], mass[k], first[k], second[k])


@summing
def soft_complete(x, shares, shift, first, second):
    for i in range(x.shape[0]):
        for k in range(shares.shape[1]):
            w = shares[i, k]
            if w != 0:
                for j in range(x.shape[1]):
                    d = x[i, j] - shift[k, j]
                    first[k, j] += w * d
                    second[k, j] += w * d * d


@kernel
def soft_holed(x, shares, shift, mass, first, second):
    for i in range(len(x)):
        for k in range(shares.shape[1]):
            if shares[i, k] != 0:
                add_holed(x[i], shares[i, k], shift[k], mass[k], first[k], second[k])


@summing
def centred(x, rows, weights, shift, first, out):
    """Some rows less the shift, times the root of their weight, and the sum of what they are off it."""
    for r in range(rows.shape[0]):
        i, w = rows[r], weights[r]
        root = sqrt(w)
        for j in range(x.shape[1]):
            d = x[i, j] - shift[j]
            first[j] += w * d
            out[r, j] = root * d


@summing
def distances(x, mean, scale, out):
    for i in range(x.shape[0]):
        for k in range(mean.shape[0]):
            total = 0.0
            for j in range(x.shape[1]):
                z = (x[i, j] - mean[k, j]) * scale[k, j]
                total += z * z
            out[i, k] = total


LANES = 128  # rows side by side, so that a processor takes several at once; few enough to stay in its nearest cache


@summing
def triangular(x, centre, roots, middles, out):
    """Two columns and four rows of a factor at a time: eight numbers stay in registers while the lanes go by."""
    n, columns = x.shape
    size = roots.shape[1]
    across, one, other, total = np.zeros((size, LANES)), np.empty(LANES), np.empty(LANES), np.empty(LANES)
    for start in range(0, n, LANES):
        m = min(LANES, n - start)
        for lane in range(m):
            for j in range(columns):
                across[j, lane] = x[start + lane, j] - centre[j]
        for k in range(roots.shape[0]):
            total[:] = 0.0
            for j in range(0, size, 2):
                one[:], other[:] = -middles[k, j], -middles[k, j + 1]
                for i in range(0, j + 2, 4):
                    a, b, c, d = roots[k, i, j], roots[k, i + 1, j], roots[k, i + 2, j], roots[k, i + 3, j]
                    e, f = roots[k, i, j + 1], roots[k, i + 1, j + 1]
                    g, h = roots[k, i + 2, j + 1], roots[k, i + 3, j + 1]
                    for lane in range(LANES):
                        p, q = across[i, lane], across[i + 1, lane]
                        r, s = across[i + 2, lane], across[i + 3, lane]
                        one[lane] += (a * p + b * q) + (c * r + d * s)
                        other[lane] += (e * p + f * q) + (g * r + h * s)
                for lane in range(LANES):
                    total[lane] += one[lane] * one[lane] + other[lane] * other[lane]
            for lane in range(m):
                out[start + lane, k] = total[lane]


@kernel
def hard_counts(codes, bounds, labels, weights, out):
    for i in range(codes.shape[0]):
        k = labels[i]
        if k >= 0:
            for j in range(codes.shape[1]):
                c = codes[i, j]
                if c >= 0:
                    out[k, np.uint64(bounds[j] + c)] += weights[i]


@kernel
def soft_counts(codes, bounds, shares, out):
    for i in range(codes.shape[0]):
        for j in range(codes.shape[1]):
            c = codes[i, j]
            if c >= 0:
                for k in range(shares.shape[1]):
                    out[np.uint64(bounds[j] + c), k] += shares[i, k]


@kernel
def look_up(codes, bounds, missing, table, out):
    """The table is as wide as a multiple of four, so that four components are summed in registers."""
    for i in range(codes.shape[0]):
        for k in range(0, table.shape[1], 4):
            a, b, c, d = 0.0, 0.0, 0.0, 0.0
            for j in range(codes.shape[1]):
                code = codes[i, j]
                if code != missing:
                    known = 0 <= code < bounds[j + 1] - bounds[j]
                    cell = np.uint64(bounds[j] + code if known else bounds[-1] + j)
                    a += table[cell, np.uint64(k)]
                    b += table[cell, np.uint64(k + 1)]
                    c += table[cell, np.uint64(k + 2)]
                    d += table[cell, np.uint64(k + 3)]
            out[i, k], out[i, k + 1], out[i, k + 2], out[i, k + 3] = a, b, c, d


@kernel
def log_factorial(count, small):
    whole = int(count)
    return small[whole] if whole < len(small) and whole == count else lgamma(count + 1.0)


@kernel
def log_coefficients(starts, counts, small, out):
    for i in range(len(starts) - 1):
        total, below = 0.0, 0.0
        for entry in range(starts[i], starts[i + 1]):
            count = counts[entry]
            total += count
            if count != 1.0:  # which most are
                below += log_factorial(count, small)
        out[i, 0] = log_factorial(total, small) - below


@kernel
def hard_words(starts, words, counts, labels, weights, out):
    for i in range(len(starts) - 1):
        if labels[i] >= 0:
            sums, w = out[labels[i]], weights[i]
            for entry in range(np.uint64(starts[i]), np.uint64(starts[i + 1])):
                sums[np.uint64(words[entry])] += w * counts[entry]


LOG2_E, LN2_HIGH, LN2_LOW = 1.4426950408889634, 6.93147180369123816490e-01, 1.90821492927058770002e-10
ROUNDING = 6755399441055744.0  # 1.5 · 2⁵²: added to a number, its last bits are the nearest whole number
SERIES = tuple(1 / factorial(k) for k in range(14))
C2, C3, C4, C5, C6, C7, C8, C9, C10, C11, C12, C13 = SERIES[2:]
LOWEST = -708.0  # below that, numbers are no longer whole ones: few, and left to the library


@njit(nogil=True, cache=True, error_model="numpy", fastmath={"contract"})
def _powers(x, whole, bits, out):
    """2ⁿ eʳ with x = n ln 2 + r, |r| ≤ ½ ln 2, in loops that a processor does in lanes; `bits` are those of `whole`."""
    for i in range(len(x)):
        whole[i] = x[i] * LOG2_E + ROUNDING
    for i in range(len(x)):
        n = whole[i] - ROUNDING
        r = (x[i] - n * LN2_HIGH) - n * LN2_LOW
        p = (((((C13 * r + C12) * r + C11) * r + C10) * r + C9) * r + C8) * r + C7
        p = (((((p * r + C6) * r + C5) * r + C4) * r + C3) * r + C2) * r * r + r
        out[i] = p + 1.0
    for i in range(len(x)):
        bits[i] = (bits[i] + 1023) << 52
    low = 0
    for i in range(len(x)):
        out[i] *= whole[i]
        low += x[i] <= LOWEST
    if low:
        for i in range(len(x)):
            if x[i] <= LOWEST:
                out[i] = exp(x[i])


@kernel
def exponentials(values):
    whole, kept = np.empty(512), np.empty(512)
    bits = whole.view(np.int64)
    for start in range(0, len(values), 512):
        some = values[start : start + 512]
        _powers(some, whole, bits, kept)
        some[:] = kept[: len(some)]
