"""Compiled twins of exponentials, several at once."""

from math import exp, factorial, log

import numpy as np

from suffice.kernels.compiled.decorators import exactly, kernel, summing

LOG2_E, LN2_HIGH, LN2_LOW = 1.4426950408889634, 6.93147180369123816490e-01, 1.90821492927058770002e-10
ROUNDING = 6755399441055744.0  # 1.5 · 2⁵²: added to a number, its last bits are the nearest whole number
SERIES = tuple(1 / factorial(k) for k in range(14))
C2, C3, C4, C5, C6, C7, C8, C9, C10, C11, C12, C13 = SERIES[2:]
LOWEST = -708.0  # below that, numbers are no longer whole ones: few, and left to the library


@exactly
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


@summing
def softened(logs, weights):
    """A piece of the rows at a time, in short loops that a processor does in lanes."""
    components, rows = logs.shape
    largest, total, surprise = np.empty(512), np.empty(512), np.empty(512)
    kept, whole = np.empty(512), np.empty(512)
    bits = whole.view(np.int64)
    likelihood, entropy = 0.0, 0.0
    for start in range(0, rows, 512):
        some = min(512, rows - start)
        largest[:], total[:], surprise[:] = -np.inf, 0.0, 0.0
        for k in range(components):
            row = logs[k, start : start + some]
            for i in range(some):
                largest[i] = row[i] if row[i] > largest[i] else largest[i]
        for i in range(some):
            largest[i] = largest[i] if largest[i] > -np.inf else 0.0
        for k in range(components):
            row = logs[k, start : start + some]
            for i in range(some):
                row[i] -= largest[i]
            _powers(row, whole, bits, kept)
            for i in range(some):
                total[i] += kept[i]
                surprise[i] += kept[i] * (row[i] if row[i] > -1000.0 else -1000.0)  # no share, no surprise
                row[i] = kept[i]
        w = weights[start : start + some]
        for i in range(some):
            kept[i] = log(total[i])
        for i in range(some):
            scale = 1.0 / total[i] if total[i] > 0 else 0.0
            likelihood += w[i] * (kept[i] + largest[i])
            entropy += w[i] * (kept[i] - surprise[i] * scale)
            kept[i] = w[i] * scale
        for k in range(components):
            row = logs[k, start : start + some]
            for i in range(some):
                row[i] *= kept[i]
    return likelihood, entropy
