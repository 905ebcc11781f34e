"""How often intervals of what EM has found hold the truth. `make coverage` writes the table.

Rows are drawn from known components, a model is fitted, its components are matched with the true ones by the rows they
share, and every entry of its tables counts. Coverage should be the level, 95 %, once there are enough rows.
"""

import argparse
import warnings
from functools import partial
from pathlib import Path

import numpy as np

from suffice import EM, LatentClass, Mixture, QuadraticDiscriminant
from suffice.errors import NoIntervalWarning
from suffice.model.em.bootstrap import best_match

LEVEL = 0.95
SIZES = (100, 400, 1600)
SHARES = np.array([0.4, 0.6])
MEANS, COVARIANCES = np.array([[0.0, 0.0], [4.0, 3.0]]), np.array([[[1.0, 0.5], [0.5, 1.0]], [[2.0, 0.0], [0.0, 1.0]]])
CHANCES = np.array([[0.7, 0.2, 0.1], [0.15, 0.25, 0.6]])  # of the answers to each of six questions


def numbers(kind, rng, apart=1.0):
    normals = rng.standard_normal((len(kind), 2, 1))
    return apart * MEANS[kind] + (np.linalg.cholesky(COVARIANCES)[kind] @ normals)[:, :, 0]


def answers(kind, rng):
    return (rng.random((len(kind), 6, 1)) > np.cumsum(CHANCES, axis=1)[kind][:, None, :]).sum(axis=2).astype(str)


def moments(title, heading, apart=1.0):
    """The true mean, standard deviation or correlation of an entry."""
    deviations = np.sqrt(np.diagonal(COVARIANCES, axis1=1, axis2=2))
    if title.startswith("correlation"):
        return COVARIANCES[:, 0, 1] / deviations.prod(axis=1)
    column = int(heading[-1])
    return apart * MEANS[:, column] if heading.startswith("mean") else deviations[:, column]


def third_known(kind, rng):
    return np.where(rng.random(len(kind)) < 1 / 3, np.array(["a", "b"])[kind], None)


CASES = {  # rows, the model, what is known of the classes, and the truth of an entry of its tables
    "mixture": (numbers, Mixture(2, intervals="information", restarts=3), None, moments),
    "mixture, half as far apart": (
        partial(numbers, apart=0.5),
        Mixture(2, intervals="information", restarts=3),
        None,
        partial(moments, apart=0.5),
    ),
    "latent classes": (
        answers,
        LatentClass(2, intervals="information", restarts=3),
        None,
        lambda title, heading: CHANCES[:, int(heading)],
    ),
    "hidden labels": (
        numbers,
        QuadraticDiscriminant(em=EM(intervals="information", unlabelled_weight=1)),
        third_known,
        moments,
    ),
}


def covered(case, rows, rng):
    """Of every entry of the tables whether its interval holds the truth, where it has one."""
    drawn, model, labels, truth = case
    kind = (rng.random(rows) < SHARES[1]).astype(int)
    table = drawn(kind, rng)
    model.fit(table, labels(kind, rng) if labels else None)
    order = best_match(np.eye(2)[kind].T @ model.predict_proba(table), np.zeros(2, dtype=int))
    found = model.tables(level=LEVEL)
    first = found.pop(model.model_.NOUN)
    entries = [(SHARES, first, model.model_.SHARE)]
    entries += [
        (truth(title, heading), columns, heading)
        for title, columns in found.items()
        for heading in columns
        if f"{heading} low" in columns
    ]
    return np.concatenate([_inside(true, columns, heading, order) for true, columns, heading in entries])


def _inside(true, columns, heading, order):
    low, high = columns[f"{heading} low"][order], columns[f"{heading} high"][order]
    return ((low <= true) & (true <= high))[~np.isnan(low)]


def report(replications, sizes=SIZES, only=""):
    """Rows of a table: the case, and its coverage in percent, ± a standard error, for each number of rows."""
    yield f"| {replications} replications | " + " | ".join(f"N = {size}" for size in sizes) + " |"
    yield "|---" * (len(sizes) + 1) + "|"
    for name, case in CASES.items():
        if only not in name:
            continue
        cells = []
        for size in sizes:
            rngs = (np.random.default_rng([size, number]) for number in range(replications))
            means = [covered(case, size, rng).mean() for rng in rngs]
            cells.append(f"{100 * np.mean(means):.1f} ± {100 * np.std(means) / np.sqrt(replications):.1f} %")
        yield f"| {name} | " + " | ".join(cells) + " |"


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replications", type=int, default=20)
    parser.add_argument("--only", default="", help="cases whose name holds this text")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="numbers of rows")
    parser.add_argument("--into", type=Path, help="a Markdown file")
    options, lines = parser.parse_args(arguments), []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NoIntervalWarning)
        for line in report(options.replications, options.sizes, options.only):
            print(line, flush=True)
            lines.append(line)
    if options.into:
        options.into.write_text("\n".join([*lines, ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
