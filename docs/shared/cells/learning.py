# %% coin
from fractions import Fraction

from suffice import Beta

coin = Beta(5, 5).after(heads=15, tails=10)
assert [coin.maximum_likelihood(), coin.mode(), coin.mean()] == [0.6, 19 / 33, 4 / 7]
coin.maximum_likelihood(), coin.mode(), coin.mean()
# %% picture
ax = coin.plot()
# %% mean
from suffice import NormalInverseGamma, NormalMean

x = [4.9, 5.1, 5.6, 4.4, 5.0, 6.1]
known = NormalMean(4, variance=2.25, known=0.49).after(x)
both = NormalInverseGamma(4, 1, 2, 1.5).after(x)
known, both
# %% mean-by-hand
n, average = len(x), sum(x) / len(x)
by_hand = (n / 0.49 * average + 1 / 2.25 * 4) / (n / 0.49 + 1 / 2.25), 1 / (n / 0.49 + 1 / 2.25)
by_hand
# %% many
together = NormalMean([0, 0], [[1, 0], [0, 1]], [[0.5, 0.2], [0.2, 0.4]]).after([[1.0, 0.4], [1.4, 0.2], [0.9, 0.9]])
together
# %% divisors
from suffice import collect

summary = collect({"x": x}, ["all"] * 6)
over_n, over_less = summary.moments().covariances.item(), summary.moments(ddof=1).covariances.item()
over_n, over_less
# %% joint
from suffice import GaussianDiscriminant, example

columns, species = example("penguins")
bills = {name: columns[name] for name in ("bill_length_mm", "bill_depth_mm")}
here = [i for i, length in enumerate(bills["bill_length_mm"]) if length == length]
bills, kind = {name: cells[here] for name, cells in bills.items()}, [species[i] for i in here]
qda = GaussianDiscriminant(estimate="ml").fit(bills, kind)
lda = GaussianDiscriminant(estimate="ml", shared=True).fit(bills, kind)
qda.log_likelihood(bills, kind), lda.log_likelihood(bills, kind)
# %% parts
import numpy as np

shares = {name: kind.count(name) / len(kind) for name in qda.classes_}
prevalence = sum(np.log(shares[name]) for name in kind)
place = {name: k for k, name in enumerate(qda.classes_)}
densities = qda.log_density(bills)[range(len(kind)), [place[name] for name in kind]].sum()
assert np.isclose(prevalence + densities, qda.log_likelihood(bills, kind))
prevalence + densities
# %% predictive
next_head = coin.mean()
interval = coin.interval(0.95)
# %% evidence
fair, any_coin = 25 * np.log(0.5), Beta(1, 1).after(heads=15, tails=10).log_evidence()
probability = 1 / (1 + np.exp(any_coin - fair))
# %% exercise-map
maps = [Fraction(15 + a - 1, 25 + 2 * a - 2) for a in (1, 5, 50)]
maps
# %% exercise-flat
flat = Beta(1, 1).after(heads=15, tails=10)
flat
