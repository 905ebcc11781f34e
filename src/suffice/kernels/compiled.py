"""The compiled twins: one read of the rows each, serial, without the interpreter's lock, compiled once and kept on disk.

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
    """For each class and column the first cell that is there."""
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
def add_row(row, w, shift, mass, first, second):
    for j in range(len(row)):
        seen = row[j] == row[j]
        d = row[j] - shift[j] if seen else 0.0
        v = w if seen else 0.0
        mass[j] += v
        first[j] += v * d
        second[j] += v * d * d


@kernel
def hard_moments(x, labels, weights, shift, mass, first, second):
    for i in range(len(x)):
        k = labels[i]
        if k >= 0:
            add_row(x[i], weights[i], shift[k], mass[k], first[k], second[k])


@kernel
def soft_moments(x, shares, shift, mass, first, second):
    for i in range(len(x)):
        for k in range(shares.shape[1]):
            if shares[i, k] > 0:
                add_row(x[i], shares[i, k], shift[k], mass[k], first[k], second[k])


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
def hard_counts(codes, starts, labels, weights, out):
    for i in range(codes.shape[0]):
        k = labels[i]
        if k >= 0:
            for j in range(codes.shape[1]):
                c = codes[i, j]
                if c >= 0:
                    out[k, starts[j] + c] += weights[i]


@kernel
def soft_counts(codes, starts, shares, out):
    for i in range(codes.shape[0]):
        for j in range(codes.shape[1]):
            c = codes[i, j]
            if c >= 0:
                for k in range(shares.shape[1]):
                    out[starts[j] + c, k] += shares[i, k]


@kernel
def look_up(codes, starts, size, unseen, table, out):
    for i in range(codes.shape[0]):
        for k in range(table.shape[1]):
            out[i, k] = 0.0
        for j in range(codes.shape[1]):
            c = codes[i, j]
            if c >= 0 or c == unseen:
                cell = starts[j] + c if c >= 0 else size + j
                for k in range(table.shape[1]):
                    out[i, k] += table[cell, k]


@kernel
def ranges(values, lowest, highest):
    for i in range(values.shape[0]):
        for j in range(values.shape[1]):
            lowest[j] = min(lowest[j], values[i, j])
            highest[j] = max(highest[j], values[i, j])


@kernel
def log_factorial(count, small):
    whole = int(count)
    return small[whole] if whole < len(small) and whole == count else lgamma(count + 1.0)


@kernel
def hard_words(starts, words, counts, labels, weights, small, out, log_base):
    for i in range(len(starts) - 1):
        k = labels[i]
        if k >= 0:
            total, base = 0.0, 0.0
            for entry in range(starts[i], starts[i + 1]):
                count = counts[entry]
                out[k, words[entry]] += weights[i] * count
                total += count
                base -= log_factorial(count, small)
            log_base[k] += weights[i] * (base + log_factorial(total, small))


@kernel
def word_scores(starts, words, counts, table, out):
    for i in range(len(starts) - 1):
        for k in range(table.shape[1]):
            out[i, k] = 0.0
        for entry in range(starts[i], starts[i + 1]):
            count = counts[entry]
            if count != 0:
                for k in range(table.shape[1]):
                    out[i, k] += count * table[words[entry], k]
