# %% declared
from suffice import NaiveBayes

visits = {
    "visits": [0, 2, 1, 7, 9, 6],
    "share": [0.1, 0.2, 0.15, 0.7, 0.6, 0.8],
    "grade": ["low", "mid", "low", "mid", "mid", "mid"],
}
label = ["new", "new", "new", "old", "old", "old"]
kinds = {"visits": "poisson", "share": "logit-gaussian", "grade": ("categorical", ["low", "mid", "high"])}
model = NaiveBayes(kinds=kinds).fit(visits, label)
model
# %% tables
model.tables()["grade"]
# %% prior
from suffice import Gamma

believed = NaiveBayes(kinds=kinds, estimate="mean", parameter_prior={"visits": Gamma(4, 1)}).fit(visits, label)
believed.tables()["visits"]
# %% together
from suffice import compare, example

columns, species = example("penguins")
bills = {name: columns[name] for name in ("bill_length_mm", "bill_depth_mm", "island")}
alone, together = NaiveBayes(), NaiveBayes(joint=[["bill_length_mm", "bill_depth_mm"]])
found = compare([alone, together], bills, species, folds=5)
losses = [float(trial.validation.log_loss) for trial in found.trials]
losses
# %% picture
from suffice import plots

ax = plots.densities(alone.fit(bills, species), bills, species)
# %% estimates
rates = {
    estimate: NaiveBayes(kinds=kinds, estimate=estimate)
    .fit(visits, label)
    .predict_proba({name: cells[:1] for name, cells in visits.items()})[0, 0]
    for estimate in ("ml", "map", "mean", "predictive")
}
{name: round(float(p), 5) for name, p in rates.items()}
