"""Compiled twins of counts and look-ups of categories."""

import numpy as np

from suffice.kernels.compiled.decorators import kernel


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
def pair_counts(codes, bounds, labels, weights, out):
    """Each cell of a row with those of the columns before it and itself: the rest is the same mirrored."""
    cells = np.empty(codes.shape[1], np.uint64)
    for i in range(codes.shape[0]):
        k = labels[i]
        if k >= 0:
            met = 0
            for j in range(codes.shape[1]):
                c = codes[i, j]
                if c >= 0:
                    cells[met] = np.uint64(bounds[j] + c)
                    met += 1
            for a in range(met):
                for b in range(a + 1):
                    out[k, cells[a], cells[b]] += weights[i]


@kernel
def soft_counts(codes, bounds, shares, out):
    for i in range(codes.shape[0]):
        for j in range(codes.shape[1]):
            c = codes[i, j]
            if c >= 0:
                cell = bounds[j] + c
                for k in range(shares.shape[1]):
                    out[cell, k] += shares[i, k]


@kernel
def look_up_given(codes, sizes, parents, bounds, missing, table, out):
    """As `look_up`, in the part of the table that the parent's code says."""
    for i in range(codes.shape[0]):
        for k in range(0, table.shape[1], 4):
            a, b, c, d = 0.0, 0.0, 0.0, 0.0
            for j in range(codes.shape[1]):
                code = codes[i, j]
                if code != missing:
                    level = code if 0 <= code < sizes[j] else sizes[j]
                    p, above = parents[j], 0
                    if p >= 0:
                        above = codes[i, p]
                        if above == missing:
                            a = np.nan
                        above = above if 0 <= above < sizes[p] else sizes[p]
                    cell = np.uint64(bounds[j] + above * (sizes[j] + 1) + level)
                    a += table[cell, np.uint64(k)]
                    b += table[cell, np.uint64(k + 1)]
                    c += table[cell, np.uint64(k + 2)]
                    d += table[cell, np.uint64(k + 3)]
            out[i, k], out[i, k + 1], out[i, k + 2], out[i, k + 3] = a, b, c, d


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
def look_up_pairs(cells, table, first, out):
    """The table is of an even width, so that two components are summed in registers: it is large, and most have two."""
    parents, components = first.shape[0] - 1, first.shape[1]
    for i in range(cells.shape[0]):
        for j in range(cells.shape[1]):
            beside = np.uint64(min(cells[i, j], parents))
            for k in range(0, table.shape[2], 2):
                a, b = 0.0, 0.0
                for other in range(cells.shape[1]):
                    cell = np.uint64(cells[i, other])
                    a += table[beside, cell, np.uint64(k)]
                    b += table[beside, cell, np.uint64(k + 1)]
                out[j, i, k] = a + first[beside, k]
                if k + 1 < components:
                    out[j, i, k + 1] = b + first[beside, k + 1]
