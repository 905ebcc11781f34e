"""One summary, many models: the time to fit them from it, against refitting each from the rows, in one run.

Predictions of both are compared in the same run. `make bench` writes the table into both READMEs.
"""

import argparse
import re
import time
from pathlib import Path

import numpy as np

from suffice import GaussianDiscriminant, LinearDiscriminant, NaiveBayes, NearestMean, QuadraticDiscriminant, collect

MODELS = {
    "NaiveBayes": NaiveBayes(),
    "LinearDiscriminant": LinearDiscriminant(estimate="unbiased"),
    "QuadraticDiscriminant": QuadraticDiscriminant(estimate="unbiased"),
    "NearestMean": NearestMean(),
    "GaussianDiscriminant, λ = 0.5": GaussianDiscriminant(shrink_shared=0.5, estimate="unbiased"),
    "GaussianDiscriminant, λ = 0.2, γ = 0.1": GaussianDiscriminant(
        shrink_shared=0.2, shrink_spherical=0.1, estimate="unbiased"
    ),
}


def rows(n, columns=20, classes=4, seed=0):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, classes, n)
    return rng.normal(size=(n, columns)) @ rng.normal(size=(columns, columns)) + labels[:, None], labels


def timed(work, repeats=3):
    """The best of a few runs, and what the last one gave."""
    best = np.inf
    for _ in range(repeats):
        start = time.perf_counter()
        result = work()
        best = min(best, time.perf_counter() - start)
    return best, result


def table(n):
    """Lines of a Markdown table."""
    X, y = rows(n)
    collecting, summary = timed(lambda: collect(X, y))
    lines = [
        f"{n:,} rows × {X.shape[1]} columns, {len(summary.classes)} classes; collecting them once: {collecting:.3f} s",
        "",
        "| model | from the summary | from the rows | faster by | largest difference of posteriors |",
        "|---|---|---|---|---|",
    ]
    for name, model in MODELS.items():
        quick, from_summary = timed(lambda model=model: type(model).from_summary(summary, **model.get_params()))
        slow, from_rows = timed(lambda model=model: model.fit(X, y))
        off = np.abs(from_summary.predict_proba(X[:10_000]) - from_rows.predict_proba(X[:10_000])).max()
        lines.append(f"| {name} | {1e3 * quick:.2f} ms | {1e3 * slow:.0f} ms | {slow / quick:,.0f}× | {off:.0e} |")
    return lines


def write_between_marks(path, mark, lines):
    """Into a page, between <!-- mark --> and the next <!-- end -->."""
    page = path.read_text(encoding="utf-8")
    marked = f"<!-- {mark} -->\n{lines}\n<!-- end -->"
    page = re.sub(rf"<!-- {mark} -->.*?<!-- end -->", lambda _: marked, page, flags=re.DOTALL)
    path.write_text(page, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=500_000)
    parser.add_argument("--into", type=Path, nargs="*", help="Markdown files with the marks of this table")
    options = parser.parse_args()
    lines = "\n".join(table(options.rows))
    print(lines)
    for page in options.into or ():
        write_between_marks(page, "one summary", lines)


if __name__ == "__main__":
    main()
