"""Compiled twins of rows of counts."""

from math import lgamma

import numpy as np

from suffice.kernels.compiled.decorators import kernel, summing


@kernel
def log_factorial(count, small):
    whole = int(count)
    return small[whole] if whole < len(small) and whole == count else lgamma(count + 1.0)


@summing
def log_coefficients(starts, counts, small, out):
    for i in range(len(starts) - 1):
        row = counts[starts[i] : starts[i + 1]]
        total, below, several = 0.0, 0.0, 0
        for entry in range(len(row)):
            total += row[entry]
            several += row[entry] != 1.0  # most are, and a row of them needs no second look
        if several:
            for entry in range(len(row)):
                below += log_factorial(row[entry], small)
        out[i, 0] = log_factorial(total, small) - below


@kernel
def hard_words_and_rows(starts, words, counts, labels, weights, rows, out):
    for i in range(len(starts) - 1):
        if labels[i] >= 0:
            sums, w, many = out[labels[i]], weights[i], rows[i]
            for entry in range(np.uint64(starts[i]), np.uint64(starts[i + 1])):
                word = np.uint64(words[entry])
                sums[word, 0] += w * counts[entry]
                sums[word, 1] += many if counts[entry] > 0 else 0.0
