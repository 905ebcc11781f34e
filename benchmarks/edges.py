"""Numbers at the edge: how many digits of posteriors hold for columns far from 0, in extreme units, and by weights.

The oracle is the same model on the same cells standardised exactly, in rational numbers, so that nothing but the edge
differs. `make edges` writes the table, which the page of promises shows.
"""

import argparse
import math
from fractions import Fraction
from pathlib import Path

import numpy as np

from suffice import (
    AveragedOneDependence,
    Calibrated,
    ComplementNaiveBayes,
    GaussianDiscriminant,
    LatentClass,
    LinearDiscriminant,
    LogisticClassifier,
    MarginClassifier,
    Mixture,
    NaiveBayes,
    NearestMean,
    QuadraticDiscriminant,
    TreeAugmentedBayes,
)
from suffice.errors import SufficeError


def likeliest(weight):
    """Priors are worth some rows, whatever those weigh: only without any do weights cancel."""
    return {"estimate": "ml"}


def dearer(weight):
    """A loss of heavier rows counts as much beside the size of the weights, if C is the less."""
    return {"C": 1 / weight}


MODELS = {  # each with what makes it free of the unit of weights; None where nothing does
    "NaiveBayes": (NaiveBayes(), likeliest),
    "LinearDiscriminant": (LinearDiscriminant(estimate="unbiased"), likeliest),
    "QuadraticDiscriminant": (QuadraticDiscriminant(estimate="unbiased"), likeliest),
    "GaussianDiscriminant, diagonal": (GaussianDiscriminant(shape="diagonal", estimate="unbiased"), likeliest),
    "GaussianDiscriminant, diagonal, shared": (
        GaussianDiscriminant(shape="diagonal", shared=True, estimate="unbiased"),
        likeliest,
    ),
    "GaussianDiscriminant, spherical": (GaussianDiscriminant(shape="spherical", estimate="unbiased"), likeliest),
    "GaussianDiscriminant, spherical, shared": (
        GaussianDiscriminant(shape="spherical", shared=True, estimate="unbiased"),
        likeliest,
    ),
    "NearestMean": (NearestMean(), None),
    "TreeAugmentedBayes": (TreeAugmentedBayes(), lambda weight: {"estimate": "ml", "smoothing": 0.0}),
    "AveragedOneDependence": (AveragedOneDependence(), lambda weight: {"smoothing": weight, "min_count": weight}),
    "LogisticClassifier": (LogisticClassifier(), dearer),
    "MarginClassifier": (MarginClassifier(), dearer),
    "Calibrated": (Calibrated(NaiveBayes()), None),
    "ComplementNaiveBayes": (ComplementNaiveBayes(), lambda weight: {"smoothing": weight}),
    "Mixture": (Mixture(2, restarts=1), None),
    "Mixture, diagonal": (Mixture(2, shape="diagonal", restarts=1), None),
    "LatentClass": (LatentClass(2, restarts=1, smoothing=0), lambda weight: {}),
}
NUMERIC = [name for name in MODELS if name not in ("LatentClass", "ComplementNaiveBayes")]
UNLABELLED = ("Mixture", "Mixture, diagonal", "LatentClass")
WEIGHTED = [name for name, (_, free) in MODELS.items() if free is not None]
# the edge: (offset in standard deviations, unit, weight), and the digits promised there; None: it is refused, or right
EDGES = {
    "1e6 sd from 0": ((1e6, 1.0, 1.0), 9),
    "1e9 sd": ((1e9, 1.0, 1.0), 6),
    "1e12 sd": ((1e12, 1.0, 1.0), 2),
    "1e14 sd": ((1e14, 1.0, 1.0), None),
    "unit 1e-150": ((0.0, 1e-150, 1.0), 10),
    "unit 1e150": ((0.0, 1e150, 1.0), 10),
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


def columns(name, x, weighed):
    """The table that a model takes: categories and counts are the same wherever the numbers lie."""
    high = {f"c{j}": np.where(rows(len(x))[0][:, j] > 0.5, "high", "low") for j in range(x.shape[1])}
    if name == "ComplementNaiveBayes":
        return np.round(np.abs(3 * x))
    if name == "LatentClass" or (name == "AveragedOneDependence" and weighed):  # others have a prior of numbers
        return high
    return {"c0": high["c0"], "x0": x[:, 0], "x1": x[:, 1]} if name == "AveragedOneDependence" else x


def answers(name, x, labels, weight):
    """Posteriors, or scores where there are none."""
    model, free = MODELS[name]
    if weight is not None:
        model = type(model)(**model.get_params(deep=False) | free(weight))
    weights, table = None if weight is None else np.full(len(x), weight), columns(name, x, weight is not None)
    model.fit(table, *(() if name in UNLABELLED else (labels,)), sample_weight=weights)
    scored = name in ("MarginClassifier", "ComplementNaiveBayes")
    return model.decision_function(table) if scored else model.predict_proba(table)


def digits(name, edge, n):
    """How many digits of posteriors or scores hold; None where the model refuses, inf where the edge is none for it."""
    offset, unit, weight = EDGES[edge][0]
    weighs = weight != 1
    if name not in (WEIGHTED if weighs else NUMERIC):
        return math.inf
    x, labels = rows(n)
    cells, exact = moved(x, offset, unit)
    try:
        found = answers(name, cells, labels, weight if weighs else None)
    except SufficeError:
        return None
    off = np.abs(found - answers(name, exact, labels, 1.0 if weighs else None)).max()
    return 16 if off == 0 else min(16, math.floor(-math.log10(off)))


def table(n):
    """Lines of a Markdown table."""
    said = {None: "refused", math.inf: "–"}
    lines = [
        f"Digits of posteriors (of scores, where there are none) that hold, of {n} rows and three columns, against the "
        "same cells standardised exactly:",
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
    parser.add_argument("--into", type=Path, help="a Markdown file")
    options = parser.parse_args()
    lines = "\n".join(table(options.rows))
    print(lines)
    if options.into:
        options.into.write_text(lines + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
