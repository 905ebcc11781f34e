"""Rows side by side in lanes, near the processor: what the other kernels do their arithmetic on.

A loop over lanes counts from 0 and reads and writes neighbours, so a compiler does several at once for any processor.
An index that might be below 0, or neighbours that lie apart beside arithmetic, would tempt it to collect numbers one by
one where there is an instruction for that (AVX-512), which takes longer than the arithmetic.
"""

import numpy as np

from suffice.kernels.compiled.decorators import exactly, kernel

LANES = 192  # rows side by side: whole registers of any processor, and few enough to stay in a near cache
LINE = 8  # numbers in a line of the cache


@kernel
def lanes(rows, width):
    """Zeros; each row begins a line, and is one line longer than asked for: then rows want different places."""
    length = width + LINE
    kept = np.zeros(rows * length + LINE)
    skipped = -(kept.ctypes.data // kept.itemsize) % LINE
    return kept[skipped : skipped + rows * length].reshape(rows, length)


@kernel
def fetch(rows, start, width, out):
    """Some lanes of rows that lie across, and zeros behind the last."""
    for i in range(len(rows)):
        row, kept = rows[i, start : start + width], out[i]
        for lane in range(len(row)):
            kept[lane] = row[lane]
        for lane in range(width - len(row)):
            kept[len(row) + lane] = 0.0


@exactly
def turn(x, centre, out):
    """A few rows less the centre, lying across: moved first, as neighbours that lie apart are moved one by one."""
    for lane in range(len(x)):
        for j in range(x.shape[1]):
            out[j, lane] = x[lane, j]
    for j in range(len(centre)):
        for lane in range(LANES):
            out[j, lane] -= centre[j]
