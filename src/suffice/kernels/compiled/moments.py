"""Compiled twins of moments: sums around a shift."""

import numpy as np

from suffice.kernels.compiled.decorators import exactly, kernel, summing


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


@exactly
def _add_holed(x, i, w, k, shift, mass, first, second):
    """A missing cell adds 0, as one that is there adds its own: no branch, so a processor takes several at once."""
    for j in range(x.shape[1]):
        there = x[i, j] == x[i, j]
        v, d = (w, x[i, j] - shift[k, j]) if there else (0.0, 0.0)
        mass[k, j] += v
        first[k, j] += v * d
        second[k, j] += v * d * d


@exactly
def hard_holed(x, labels, weights, shift, mass, first, second):
    for i in range(x.shape[0]):
        if labels[i] >= 0:
            _add_holed(x, i, weights[i], labels[i], shift, mass, first, second)


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


@exactly
def soft_holed(x, shares, shift, mass, first, second):
    for i in range(x.shape[0]):
        for k in range(shares.shape[1]):
            if shares[i, k] != 0:
                _add_holed(x, i, shares[i, k], k, shift, mass, first, second)


@summing
def dealt(x, labels, factors, shift, places, out, first):
    """Rows less the shift of their label, each times its factor, one after the other from the place of the label on."""
    for i in range(x.shape[0]):
        k = labels[i]
        if k >= 0:
            place, factor = places[k], factors[i]
            places[k] += 1
            for j in range(x.shape[1]):
                z = factor * (x[i, j] - shift[k, j])
                out[place, j] = z
                first[k, j] += factor * z


@summing
def centred(x, rows, factors, shift, out):
    """Some rows less the shift, each times its factor."""
    for r in range(rows.shape[0]):
        i, factor = np.uint64(rows[r]), factors[r]
        for j in range(x.shape[1]):
            out[r, j] = factor * (x[i, j] - shift[j])
