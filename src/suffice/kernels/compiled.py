"""The compiled twins: one read of the rows each, serial, without the interpreter's lock, kept on disk.

Only `choice` imports this file. What each function computes is said by its NumPy twin in `moments`, `codes` or `words`;
arguments named `out` or in the plural of what they hold are filled in place.
"""

from math import lgamma

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


@summing
def add_complete(row, w, shift, first, second):
    for j in range(len(row)):
        d = row[j] - shift[j]
        first[j] += w * d
        second[j] += w * d * d


@kernel
def add_holed(row, w, shift, mass, first, second):
    for j in range(len(row)):
        if not np.isnan(row[j]):
            d = row[j] - shift[j]
            mass[j] += w
            first[j] += w * d
            second[j] += w * d * d


@kernel
def hard_complete(x, labels, weights, shift, first, second):
    for i in range(len(x)):
        k = labels[i]
        if k >= 0:
            add_complete(x[i], weights[i], shift[k], first[k], second[k])


@kernel
def hard_holed(x, labels, weights, shift, mass, first, second):
    for i in range(len(x)):
        k = labels[i]
        if k >= 0:
            add_holed(x[i], weights[i], shift[k], mass[k], first[k], second[k])


@kernel
def soft_complete(x, shares, shift, first, second):
    for i in range(len(x)):
        for k in range(shares.shape[1]):
            if shares[i, k] != 0:
                add_complete(x[i], shares[i, k], shift[k], first[k], second[k])


@kernel
def soft_holed(x, shares, shift, mass, first, second):
    for i in range(len(x)):
        for k in range(shares.shape[1]):
            if shares[i, k] != 0:
                add_holed(x[i], shares[i, k], shift[k], mass[k], first[k], second[k])


@summing
def squared_distance(row, mean, scale):
    total = 0.0
    for j in range(len(row)):
        z = (row[j] - mean[j]) * scale[j]
        total += z * z
    return total


@kernel
def distances(x, mean, scale, out):
    """Σ_j ((x_j − mean_kj) · scale_kj)²; NaN where a cell is missing."""
    for i in range(len(x)):
        for k in range(len(mean)):
            out[i, k] = squared_distance(x[i], mean[k], scale[k])


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
            total += counts[entry]
            below += log_factorial(counts[entry], small)
        out[i, 0] = log_factorial(total, small) - below


@kernel
def hard_words(starts, words, counts, labels, weights, out):
    for i in range(len(starts) - 1):
        if labels[i] >= 0:
            sums, w = out[labels[i]], weights[i]
            for entry in range(np.uint64(starts[i]), np.uint64(starts[i + 1])):
                sums[np.uint64(words[entry])] += w * counts[entry]
