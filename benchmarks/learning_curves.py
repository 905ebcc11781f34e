"""Generative against discriminative with few rows and with many (Ng and Jordan 2002), on five real tables.

`make curves` writes the table: error rates on rows left over, means over draws of the rows
to learn from, with standard errors.
"""

import argparse
import warnings
from pathlib import Path

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

from suffice import LinearDiscriminant, LogisticClassifier, MarginClassifier, NaiveBayes, example

SIZES = (10, 20, 40, 80, 160, 320)
MODELS = {
    "naive Bayes": NaiveBayes(),
    "logistic": LogisticClassifier(),
    "LDA": LinearDiscriminant(),
    "margin": MarginClassifier(tol=1e-6),
}


def penguins():
    columns, species = example("penguins")
    numbers = [name for name in columns if name.endswith(("_mm", "_g"))]
    rows = np.column_stack([np.asarray(columns[name], dtype=float) for name in numbers])
    return rows, np.unique(species, return_inverse=True)[1]


TABLES = {
    "iris": lambda: load_iris(return_X_y=True),
    "wine": lambda: load_wine(return_X_y=True),
    "breast cancer": lambda: load_breast_cancer(return_X_y=True),
    "digits": lambda: load_digits(return_X_y=True),
    "penguins, numbers": penguins,
}


def drawn(labels, size, rng):
    """Rows to learn from: two of each class at least, the others as they come."""
    order = rng.permutation(len(labels))
    first = [order[labels[order] == k][:2] for k in np.unique(labels)]
    rest = np.setdiff1d(order, np.concatenate(first), assume_unique=True)
    rest = rest[rng.permutation(len(rest))]
    return np.concatenate([*first, rest[: max(0, size - 2 * len(first))]])


def errors(X, y, size, draws):
    """Error rates (draws, models) on the rows left over."""
    found = np.empty((draws, len(MODELS)))
    for draw in range(draws):
        learned = drawn(y, size, np.random.default_rng(draw))
        left = np.setdiff1d(np.arange(len(y)), learned)
        for m, model in enumerate(MODELS.values()):
            fitted = type(model)(**model.get_params()).fit(X[learned], y[learned])
            found[draw, m] = 1 - fitted.score(X[left], y[left])
    return found


def lines(draws):
    out = [
        f"Error rates on rows left over, means of {draws} draws ± their standard errors:",
        "",
        f"| table | rows | {' | '.join(MODELS)} |",
        f"|---|---|{'---|' * len(MODELS)}",
    ]
    for name, read in TABLES.items():
        X, y = read()
        for size in SIZES:
            if 2 * len(np.unique(y)) <= size <= len(y) // 2:
                found = errors(X, y, size, draws)
                means, se = found.mean(axis=0), found.std(axis=0, ddof=1) / np.sqrt(draws)
                cells = [f"{mean:.3f} ± {error:.3f}" for mean, error in zip(means, se, strict=True)]
                out.append(f"| {name} | {size} | {' | '.join(cells)} |")
                print(out[-1], flush=True)
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--into", type=Path, help="a Markdown file")
    options = parser.parse_args()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few rows leave columns without variation, and kinds in doubt
        found = lines(options.draws)
    if options.into:
        options.into.write_text("\n".join([*found, ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
