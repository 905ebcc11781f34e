"""The compiled twin of numbers around lines."""

from suffice.kernels.compiled.decorators import kernel


@kernel
def along(x, centre, child, parent, start, slope, scale, constant, out):
    for i in range(x.shape[0]):
        for j in range(child.shape[0]):
            cell = x[i, child[j]] - centre[child[j]]
            if cell == cell:  # not NaN
                above = x[i, parent[j]] - centre[parent[j]]
                for k in range(out.shape[1]):
                    off = (cell - start[j, k] - slope[j, k] * above) * scale[j, k]
                    out[i, k] += constant[j, k] - off * off
