"""`make demo`: naive Bayes on two bundled tables, from rows to tables of parameters to posteriors."""

import numpy as np

from suffice.estimators.naive_bayes import NaiveBayes
from suffice.examples import example
from suffice.reporting.text import aligned


def watermelons() -> None:
    """The worked example of the textbooks, with the numbers that the 17 rows really give."""
    columns, labels = example("watermelon")
    model = NaiveBayes(kinds={"编号": "ignore"}, smoothing=0, estimate="unbiased").fit(columns, labels)
    print(model)
    first = {name: values[:1] for name, values in columns.items()}
    print("\nThe first melon: prior × densities, and the posterior")
    products = {"product": [f"{value:.4g}" for value in np.exp(model.log_joint(first)[0])]}
    posterior = {"posterior": [f"{value:.4f}" for value in model.predict_proba(first)[0]]}
    print(aligned("class", model.classes_.tolist(), products | posterior))


def penguins() -> None:
    """Text and numbers side by side, cells missing, nothing filled in."""
    columns, labels = example("penguins")
    model = NaiveBayes(kinds={"year": "categorical"}).fit(columns, labels)
    print(model)
    right = model.predict(columns) == np.array(labels)
    print(f"\n{right.sum()} of {len(right)} penguins in the right species (on the rows it was fitted on)")
    missing = [i for i in range(len(labels)) if columns["sex"][i] is None][:5]
    some = {name: [values[i] for i in missing] for name, values in columns.items()}
    shares = dict(zip(model.classes_.tolist(), model.predict_proba(some).T, strict=True))
    shown = {name: [f"{value:.4f}" for value in values] for name, values in shares.items()}
    unmeasured = np.isnan(columns["body_mass_g"])
    names = [f"row {i} ({'no measurements' if unmeasured[i] else 'sex unknown'})" for i in missing]
    print("\nRows with missing cells get a posterior from what is there")
    print(aligned("", names, {"truth": [labels[i] for i in missing]} | shown))


def main() -> None:
    for title, show in (("Watermelons (西瓜数据集 3.0)", watermelons), ("Palmer penguins", penguins)):
        print(f"\n{title}\n{'═' * 60}")
        show()


if __name__ == "__main__":
    main()
