"""Files of format 1, as the version before 2 wrote them: run it with that version, in the folder of the data."""

import numpy as np

from suffice import NaiveBayes, collect

rng = np.random.default_rng(8)
y = np.repeat(["a", "b"], 20)
table = {
    "length": np.exp(rng.normal(np.repeat([0.0, 1.0], 20), 0.6)),
    "share": 1 / (1 + np.exp(-rng.normal(np.repeat([-1.0, 1.0], 20)))),
    "wind": rng.normal(np.repeat([30.0, 120.0], 20), 30.0),
    "town": np.where(rng.random(40) < 0.5, "x", "y"),
    "size": rng.normal(size=40),
}
table["length"][3] = np.nan
KINDS = {"length": "log-gaussian", "share": "logit-gaussian", "wind": ("von-mises-degrees", 2.0)}
if __name__ == "__main__":
    collect(table, y, kinds=KINDS, pairs=True).save("summary_of_format_1.safetensors")
    NaiveBayes(kinds=KINDS).fit(table, y).save("model_of_format_1.safetensors")
