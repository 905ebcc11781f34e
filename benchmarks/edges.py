"""Numbers at the edge: how many digits of posteriors hold for columns far from 0, in extreme units, and by weights.

The oracle is the same model on the same cells standardised exactly, in rational numbers, so that nothing but the edge
differs. `make edges` writes the table into docs/trust.md.
"""

import argparse
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
from one_summary import write_between_marks

from suffice import (
    GaussianDiscriminant,
    LatentClass,
    LinearDiscriminant,
    Mixture,
    NaiveBayes,
    NearestMean,
    QuadraticDiscriminant,
)
from suffice.errors import SufficeError

LIKELIEST = {"estimate": "ml"}  # priors are worth some rows, whatever those weigh: only without any do weights cancel
MODELS = {  # each with what makes it free of the unit of weights; None where nothing does
    "NaiveBayes": (NaiveBayes(), LIKELIEST),
    "LinearDiscriminant": (LinearDiscriminant(estimate="unbiased"), LIKELIEST),
    "QuadraticDiscriminant": (QuadraticDiscriminant(estimate="unbiased"), LIKELIEST),
    "GaussianDiscriminant, diagonal": (GaussianDiscriminant(shape="diagonal", estimate="unbiased"), LIKELIEST),
    "GaussianDiscriminant, diagonal, shared": (
        GaussianDiscriminant(shape="diagonal", shared=True, estimate="unbiased"),
        LIKELIEST,
    ),
    "GaussianDiscriminant, spherical": (GaussianDiscriminant(shape="spherical", estimate="unbiased"), LIKELIEST),
    "GaussianDiscriminant, spherical, shared": (
        GaussianDiscriminant(shape="spherical", shared=True, estimate="unbiased"),
        LIKELIEST,
    ),
    "NearestMean": (NearestMean(), None),
    "Mixture": (Mixture(2, restarts=1), None),
    "Mixture, diagonal": (Mixture(2, shape="diagonal", restarts=1), None),
    "LatentClass": (LatentClass(2, restarts=1, smoothing=0), {}),
}
NUMERIC = [name for name in MODELS if name != "LatentClass"]
WEIGHTED = [name for name, (_, free) in MODELS.items() if free is not None]
# the edge: (offset in standard deviations, unit, weight), and the digits promised there; None: it is refused
EDGES = {
    "1e6 sd from 0": ((1e6, 1.0, 1.0), 9),
    "1e9 sd": ((1e9, 1.0, 1.0), 6),
    "1e12 sd": ((1e12, 1.0, 1.0), 3),
    "1e14 sd": ((1e14, 1.0, 1.0), None),
    "unit 1e-150": ((0.0, 1e-150, 1.0), 11),
    "unit 1e150": ((0.0, 1e150, 1.0), 11),
    "unit 1e-165": ((0.0, 1e-165, 1.0), None),
    "unit 1e165": ((0.0, 1e165, 1.0), None),
    "weights 1e-12": ((0.0, 1.0, 1e-12), 11),
    "weights 1e12": ((0.0, 1.0, 1e12), 11),
}


def rows(n, seed=0):
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % 2
    return rng.normal(size=(n, 3)) @ [[1, 0.4, 0], [0, 1, 0.3], [0, 0, 1]] + 1.5 * labels[:, None], labels


def moved(x, offset, unit):
    """Cells at the edge, and the same cells standardised exactly."""
    cells = (x + offset) * unit
    exact = [[float(Fraction(cell) / Fraction(unit) - Fraction(offset)) for cell in row] for row in cells.tolist()]
    return cells, np.array(exact)


def posteriors(name, x, labels, weight):
    model, free = MODELS[name]
    if free is not None and weight is not None:
        model = type(model)(**model.get_params() | free)
    weights = None if weight is None else np.full(len(x), weight)
    if name == "LatentClass":
        x = {f"x{j}": np.where(x[:, j] > 0.5, "high", "low") for j in range(x.shape[1])}
    known = (labels,) if hasattr(model, "log_joint") and name not in ("LatentClass",) and "Mixture" not in name else ()
    return model.fit(x, *known, sample_weight=weights).predict_proba(x)


def digits(name, edge, n):
    """How many digits of the posteriors hold; None where the model refuses, inf where the edge is none for it."""
    offset, unit, weight = EDGES[edge][0]
    weighs = weight != 1
    if name not in (WEIGHTED if weighs else NUMERIC):
        return math.inf
    x, labels = rows(n)
    cells, exact = moved(x, offset, unit)
    try:
        found = posteriors(name, cells, labels, weight if weighs else None)
    except SufficeError:
        return None
    off = np.abs(found - posteriors(name, exact, labels, 1.0 if weighs else None)).max()
    return 16 if off == 0 else min(16, math.floor(-math.log10(off)))


def table(n):
    """Lines of a Markdown table."""
    said = {None: "refused", math.inf: "–"}
    lines = [
        f"Digits of posteriors that hold, of {n} rows and three columns, against the same cells standardised exactly:",
        "",
        f"| model | {' | '.join(EDGES)} |",
        f"|---{'|---' * len(EDGES)}|",
    ]
    for name in MODELS:
        found = (digits(name, edge, n) for edge in EDGES)
        lines.append(f"| {name} | {' | '.join(str(said.get(number, number)) for number in found)} |")
    promised = (said.get(number, number) for _, number in EDGES.values())
    return [*lines, f"| **promised** | {' | '.join(f'**{number}**' for number in promised)} |"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=400)
    parser.add_argument("--into", type=Path, help="a Markdown file with the marks of this table")
    options = parser.parse_args()
    lines = "\n".join(table(options.rows))
    print(lines)
    if options.into:
        write_between_marks(options.into, "edges", lines)


if __name__ == "__main__":
    main()
