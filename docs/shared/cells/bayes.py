# %% rule
from suffice import posterior

test = posterior({"ill": 0.9, "well": 0.1}, {"ill": 0.01, "well": 0.99})
test
# %% model
from suffice import GaussianDiscriminant, bayes_error, boundary, plots

model = GaussianDiscriminant.from_parameters({"ω1": 0.0, "ω2": 2.0}, {"ω1": 1.0, "ω2": 4.0}, {"ω1": 0.5, "ω2": 0.5})
posteriors = model.predict_proba([[1.0]])[0]
posteriors.round(4)
# %% regions
from scipy.integrate import quad
from scipy.stats import norm

ends = boundary(model, "ω1", "ω2").solve_for("x0", at={})
error = bayes_error(model)
by_hand = quad(lambda x: 0.5 * min(norm.pdf(x, 0, 1), norm.pdf(x, 2, 2)), -20, 20, points=ends)[0]
assert abs(error.value - by_hand) < 1e-8
[round(end, 4) for end in ends], error
# %% picture
ax = plots.regions(model, *model.sample(200, random_state=0))
# %% underflow
import numpy as np

from suffice import NaiveBayes

draw = np.random.default_rng(0)
label = np.repeat(["ω1", "ω2"], 200)
table = draw.normal(size=(400, 3000)) + 0.05 * (label == "ω2")[:, None]
many, rows = NaiveBayes().fit(table, label), table[:1]
log_joint = many.log_joint(rows)[0]
np.exp(log_joint), log_joint.round(2), many.predict_proba(rows)[0].round(4)
# %% exercise-rare
common = posterior({"ill": 0.9, "well": 0.1}, {"ill": 0.1, "well": 0.9})
common
# %% exercise-equal
equal = GaussianDiscriminant.from_parameters({"ω1": 0.0, "ω2": 2.0}, {"ω1": 1.0, "ω2": 1.0})
middle, least = boundary(equal, "ω1", "ω2").solve_for("x0", at={}), bayes_error(equal)
middle, least
# %% start
from watching import watch

start = {"means": [0.0, 2.0], "variances": [1.0, 4.0], "prior": 0.5, "ends": ends, "error": error.value}
watch("bayes", start)
