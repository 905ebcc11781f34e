"""The compiled twins: one read of the rows each, serial, without the interpreter's lock, kept on disk.

Only `choice` imports this file. What each function computes is said by its NumPy twin beside this file;
arguments named `out` or in the plural of what they hold are filled in place.
"""

from math import exp, factorial, lgamma, log

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
def centred(x, rows, factors, shift, out):
    """Some rows less the shift, each times its factor."""
    for r in range(rows.shape[0]):
        i, factor = np.uint64(rows[r]), factors[r]
        for j in range(x.shape[1]):
            out[r, j] = factor * (x[i, j] - shift[j])


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
                    one[lane] += (a * p + b * q) + (c * r + d * s)
                    other[lane] += (e * p + f * q) + (g * r + h * s)
            else:
                for lane in range(LANES):
                    p, q, r, s = across[i, lane], across[i + 1, lane], across[i + 2, lane], across[i + 3, lane]
                    u = one[lane] + ((a * p + b * q) + (c * r + d * s))
                    v = other[lane] + ((e * p + f * q) + (g * r + h * s))
                    total[lane] += u * u + v * v
                    one[lane], other[lane] = 0.0, 0.0


@summing
def triangular_across(z, factors, level, out):
    across, one, other, total = np.zeros((len(z), LANES)), np.empty(LANES), np.empty(LANES), np.empty(LANES)
    for start in range(0, z.shape[1], LANES):
        lanes = min(LANES, z.shape[1] - start)
        for j in range(len(z)):
            for lane in range(lanes):
                across[j, lane] = z[j, start + lane]
        for k in range(len(factors)):
            _triangle(across, factors, k, one, other, total)
            for lane in range(lanes):
                out[k, start + lane] = level[k] - 0.5 * total[lane]


@summing
def triangular_rows(x, centre, factors, out):
    across, one, other, total = np.zeros((factors.shape[1], LANES)), np.empty(LANES), np.empty(LANES), np.empty(LANES)
    across[0] = 1.0
    for start in range(0, len(x), LANES):
        lanes = min(LANES, len(x) - start)
        for lane in range(lanes):
            for j in range(x.shape[1]):
                across[j + 1, lane] = x[start + lane, j] - centre[j]
        for k in range(len(factors)):
            _triangle(across, factors, k, one, other, total)
            for lane in range(lanes):
                out[start + lane, k] = total[lane]


@summing
def scaled_across(x, centre, scale, out):
    for start in range(0, len(x), LANES):
        for j in range(x.shape[1]):
            for i in range(start, min(start + LANES, len(x))):
                out[j, i] = (x[i, j] - centre[j]) * scale[j]


@summing
def turned_across(x, centre, into, out):
    """An upper triangular matrix, four of its rows at a time."""
    columns = x.shape[1]
    across, sums = np.zeros((into.shape[0], LANES)), np.empty(LANES)
    for start in range(0, len(x), LANES):
        lanes = min(LANES, len(x) - start)
        for lane in range(lanes):
            for j in range(columns):
                across[j, lane] = x[start + lane, j] - centre[j]
        for j in range(columns):
            sums[:] = 0.0
            for i in range(0, j + 1, 4):
                a, b, c, d = into[i, j], into[i + 1, j], into[i + 2, j], into[i + 3, j]
                for lane in range(LANES):
                    p, q, r, s = across[i, lane], across[i + 1, lane], across[i + 2, lane], across[i + 3, lane]
                    sums[lane] += (a * p + b * q) + (c * r + d * s)
            for lane in range(lanes):
                out[j, start + lane] = sums[lane]


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


@summing
def softened(logs, weights):
    """A piece of the rows at a time, in short loops that a processor does in lanes."""
    components, rows = logs.shape
    largest, total, surprise = np.empty(512), np.empty(512), np.empty(512)
    off, kept, whole = np.empty(512), np.empty(512), np.empty(512)
    bits = whole.view(np.int64)
    likelihood, entropy = 0.0, 0.0
    for start in range(0, rows, 512):
        some = min(512, rows - start)
        largest[:], total[:], surprise[:] = -np.inf, 0.0, 0.0
        for k in range(components):
            for i in range(some):
                value = logs[k, start + i]
                largest[i] = value if value > largest[i] else largest[i]
        for i in range(some):
            largest[i] = largest[i] if largest[i] > -np.inf else 0.0
        for k in range(components):
            for i in range(some):
                off[i] = logs[k, start + i] - largest[i]
            _powers(off[:some], whole, bits, kept)
            for i in range(some):
                total[i] += kept[i]
            for i in range(some):
                surprise[i] += kept[i] * (off[i] if off[i] > -1000.0 else -1000.0)  # no share, no surprise
            for i in range(some):
                logs[k, start + i] = kept[i]
        for i in range(some):
            off[i] = log(total[i])
        for i in range(some):
            w, scale = weights[start + i], 1.0 / total[i] if total[i] > 0 else 0.0
            likelihood += w * (off[i] + largest[i])
            entropy += w * (off[i] - surprise[i] * scale)
            kept[i] = w * scale
        for k in range(components):
            for i in range(some):
                logs[k, start + i] *= kept[i]
    return likelihood, entropy
