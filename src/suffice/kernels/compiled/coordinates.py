"""The compiled pass over the multipliers of a soft margin."""

import numpy as np

from suffice.kernels.compiled.decorators import kernel


@kernel
def coordinate_pass(starts, columns, cells, side, cap, size, order, alpha, w, b, loose):
    for i in order:
        score, held = b, alpha[i]
        for entry in range(np.uint64(starts[i]), np.uint64(starts[i + 1])):
            score += w[np.uint64(columns[entry])] * cells[entry]
        alpha[i] = min(max(held + (1.0 - side[i] * score) / size[i], 0.0), cap[i])
        step = (alpha[i] - held) * side[i]
        if step != 0.0:
            b += loose * step
            for entry in range(np.uint64(starts[i]), np.uint64(starts[i + 1])):
                w[np.uint64(columns[entry])] += step * cells[entry]
    return b
