"""How time grows with rows, columns and classes: ours and the peer's, over sizes that grow by a factor."""

from functools import partial

import numpy as np
from measure import alone, best
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.naive_bayes import GaussianNB
from tasks import numbers

from suffice import LinearDiscriminant, NaiveBayes

PAIRS = {
    "naive Bayes": (GaussianNB, partial(NaiveBayes, estimate="ml")),
    "linear discriminant": (
        partial(LinearDiscriminantAnalysis, solver="lsqr"),
        partial(LinearDiscriminant, estimate="ml"),
    ),
}
AXES = {  # what grows, and what stays
    "rows": (np.geomspace(1e3, 1e7, 5), {"columns": 10, "classes": 5}),
    "columns": ((2, 10, 50, 200), {"rows": 100_000, "classes": 5}),
    "classes": ((2, 10, 50, 200), {"rows": 100_000, "columns": 20}),
}


FEWEST = 20_000  # rows that many columns or classes need to say anything


def curves(largest, repeats):
    """Seconds to fit and to predict, along each axis up to `largest` rows."""
    return [
        point
        for axis, (sizes, others) in AXES.items()
        for size in sizes
        if axis != "rows" or size <= largest
        for point in alone(
            _points, repeats, axis, int(size), others | {"rows": max(FEWEST, min(largest, others.get("rows", largest)))}
        )
    ]


def _points(repeats, axis, size, others):
    X, y = numbers(1, **{name: int(value) for name, value in (others | {axis: size}).items()})
    points = []
    for model, sides in PAIRS.items():
        for side, make in zip(("theirs", "ours"), sides, strict=True):
            make().fit(X, y)
            fitting, fitted = best(lambda make=make: make().fit(X, y), repeats)
            predicting, _ = best(lambda fitted=fitted: fitted.predict_proba(X), repeats)
            at = {"model": model, "side": side, "axis": axis, "size": size}
            points += [at | {"work": "fit", "seconds": fitting}, at | {"work": "predict_proba", "seconds": predicting}]
    return points
