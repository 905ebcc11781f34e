"""Writes one file of every model and two summaries, and what the models answer, into the folder given.

The files in tests/reference/saved were written with it by the first format (format 1), and are not written again: they
show that later versions read them. Run as: python tests/reference/scripts/saved_files.py FOLDER
"""

import json
import sys
from pathlib import Path

import numpy as np

import suffice
import suffice.store

RNG = np.random.default_rng(7)
Y = np.repeat(["p", "q", "r"], 12)
MEANS = {"p": 0.0, "q": 2.0, "r": 5.0}
TABLE = {
    "length": np.array([MEANS[name] for name in Y]) + RNG.normal(size=36),
    "width": np.array([-MEANS[name] for name in Y]) + RNG.normal(size=36),
    "colour": [f"c{RNG.integers(3) if name == 'r' else RNG.integers(2)}" for name in Y],
    "visits": RNG.poisson([1 + MEANS[name] for name in Y]),
}
HOLED = {"length": np.where(np.arange(36) % 5 == 0, np.nan, TABLE["length"]), "width": TABLE["width"]}
NUMBERS = {name: TABLE[name] for name in ("length", "width")}
WORDS = {"goal": RNG.poisson(2, 36), "vote": RNG.poisson([1 + MEANS[name] for name in Y])}
HIDDEN = [None if i % 4 == 0 else name for i, name in enumerate(Y)]
MODELS = {
    "naive_bayes": (suffice.NaiveBayes(kinds={"visits": "poisson"}), TABLE, Y),
    "naive_bayes_joint": (suffice.NaiveBayes(joint=[["length", "width"]], estimate="map"), HOLED, Y),
    "naive_bayes_hidden": (suffice.NaiveBayes(), TABLE, HIDDEN),
    "averaged": (suffice.AveragedOneDependence(kinds={"visits": "poisson"}), TABLE, Y),
    "tree": (suffice.TreeAugmentedBayes(kinds={"visits": "poisson"}), TABLE, Y),
    "gaussian": (suffice.GaussianDiscriminant(estimate="map"), NUMBERS, Y),
    "linear": (suffice.LinearDiscriminant(estimate="map"), HOLED, Y),
    "quadratic": (suffice.QuadraticDiscriminant(estimate="map"), NUMBERS, Y),
    "nearest_mean": (suffice.NearestMean(), NUMBERS, Y),
    "complement": (suffice.ComplementNaiveBayes(), WORDS, Y),
    "logistic": (suffice.LogisticClassifier(kinds={"visits": "poisson"}), TABLE, Y),
    "margin": (suffice.MarginClassifier(probabilities=True), NUMBERS, Y),
    "calibrated": (suffice.Calibrated(suffice.NaiveBayes(kinds={"visits": "poisson"}), method="platt"), TABLE, Y),
    "mixture": (suffice.Mixture(2), NUMBERS, Y),
    "latent_class": (suffice.LatentClass(2), {"colour": TABLE["colour"], "visits": TABLE["visits"]}, Y),
}


def write(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    answers, tables = {}, {}
    for name, (model, table, labels) in MODELS.items():
        model.fit(table, labels).save(folder / f"{name}.suffice")
        answer = model.predict_proba if hasattr(model, "predict_proba") else model.decision_function
        rows = {column: np.asarray(cells)[::3] for column, cells in table.items()}
        answers[name] = answer(rows).tolist()
        tables[name] = {column: [None if cell != cell else cell for cell in c.tolist()] for column, c in rows.items()}
    kinds = {"visits": "poisson"}
    suffice.collect(TABLE, Y, kinds=kinds).save(folder / "summary.stats")
    suffice.collect(TABLE, Y, kinds=kinds, pairs=True, sample_weight=RNG.uniform(0.5, 2, 36)).save(
        folder / "summary_of_pairs.stats"
    )
    content = {"format": suffice.store.VERSION, "answers": answers, "tables": tables}
    (folder / "answers.json").write_text(json.dumps(content), encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
