# %% melon
from suffice import NaiveBayes, example, worked

melons, ripe = example("watermelon")
melons = {name: cells for name, cells in melons.items() if name != "编号"}
first = {name: cells[0] for name, cells in melons.items()}
unbiased = worked(NaiveBayes(estimate="unbiased", smoothing=0).fit(melons, ripe), first)
likely = worked(NaiveBayes(estimate="ml", smoothing=0).fit(melons, ripe), first)
hollow = (
    sum(cell == "凹陷" for cell, label in zip(melons["脐部"], ripe) if label == "是"),
    sum(label == "是" for label in ripe),
)
hollow, unbiased.products, likely.products
# %% coin
from fractions import Fraction

from suffice import Beta

belief = Beta(5, 5).after(heads=15, tails=10)
right, wrong = Fraction(15 + 5 - 1, 25 + 5 + 5 - 2), Fraction(15 + 5 - 1, 25 - 2)
belief.mode(), float(right), float(wrong)
# %% smoothing
import numpy as np

from suffice import Dirichlet

counts = {"a": 3, "b": 0, "c": 1}
mean, mode = (Dirichlet(dict.fromkeys("abc", c)).after(counts) for c in (1, 2))
mean.mean(), mode.mode(), [(n + 1) / (4 + 3) for n in counts.values()]
# %% variance
from suffice import Mixture, em_steps

x = {"x": [1.0, 2.0, 3.0, 7.0, 8.0, 9.0]}
begin = Mixture.from_parameters([[2.5], [7.0]], [[[4.0]], [[4.0]]], [0.5, 0.5], columns=["x"])
step = next(em_steps(Mixture(2, parameter_prior="flat", start=begin), x))
q, at = begin.predict_proba(x), np.array(x["x"])
means = q.T @ at / q.sum(axis=0)  # the new ones
variances = [float(q[:, k] @ (at - means[k]) ** 2 / q[:, k].sum()) for k in (0, 1)]
assert np.allclose(variances, step.tables()["x"]["sd x"] ** 2)
variances, step.tables()["x"]
# %% kl
step.bound, step.kl, step.log_likelihood
# %% binomial
p = NaiveBayes(kinds={"x": ("binomial", 10)}, smoothing=0).fit(
    {"x": [5, 9, 8, 4, 7, 2]}, ["a", "a", "a", "b", "b", "b"]
)
p.tables()["x"], [22 / 30, 13 / 30]
# %% scatter
from suffice import LinearDiscriminant

rows, label = {"u": [0.0, 2.0, 10.0, 12.0], "v": [1.0, 0.0, 1.0, 3.0]}, ["a", "a", "b", "b"]
within = LinearDiscriminant(estimate="ml").fit(rows, label).covariances_[0]
total = np.cov(np.array([rows["u"], rows["v"]]), ddof=0)
within, total
# %% independent
columns = {"u": [0.0, 1.0, 0.0, 1.0, 9.0, 10.0, 9.0, 10.0], "v": [0.0, 0.0, 1.0, 1.0, 9.0, 9.0, 10.0, 10.0]}
u, v = np.array(columns["u"]), np.array(columns["v"])
given, outright = np.corrcoef(u[:4], v[:4])[0, 1], np.corrcoef(u, v)[0, 1]
given, outright
# %% risk
from suffice import Loss, decide

decide([[0.7, 0.2, 0.1]], Loss.zero_one(["a", "b", "c"]), ["a", "b", "c"]).risks
# %% picture
from suffice import plots

ax = plots.belief(belief)
# %% exercise-last
last = worked(
    NaiveBayes(estimate="unbiased", smoothing=0).fit(melons, ripe), {name: cells[-1] for name, cells in melons.items()}
)
last
# %% exercise-gaussian
from scipy.stats import norm

density, short = norm.logpdf(1.0, 0.0, 2.0), -0.5 * (1.0 / 2.0) ** 2 - 0.5 * np.log(2 * np.pi)
density, short
