"""Compiled twin of linear scores."""

from suffice.kernels.compiled.decorators import summing


@summing
def linear(x, centre, weights, out):
    """Two rows and two components at a time: four sums stay in registers while the columns go by."""
    rows, components = out.shape
    for i in range(0, rows, 2):
        i2 = min(i + 1, rows - 1)
        for k in range(0, components, 2):
            k2 = min(k + 1, components - 1)
            a = b = c = d = 0.0
            for j in range(x.shape[1]):
                z, z2 = x[i, j] - centre[j], x[i2, j] - centre[j]
                a += z * weights[k, j]
                b += z * weights[k2, j]
                c += z2 * weights[k, j]
                d += z2 * weights[k2, j]
            out[i, k], out[i, k2], out[i2, k], out[i2, k2] = a, b, c, d
