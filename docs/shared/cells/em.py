# %% coins
from suffice import EM, NaiveBayes, em_steps

kinds, tosses = {"heads": ("binomial", 10)}, {"heads": [5, 9, 8, 4, 7]}
either = {"A": [1] * 5, "B": [1] * 5}  # either coin is possible in every row
guess = NaiveBayes.from_tables(
    {
        "class": {"class": ["A", "B"], "prior": [0.5, 0.5]},
        "heads": {"success": [0.6, 0.5], "failure": [0.4, 0.5]},
    },
    kinds,
)
coins = NaiveBayes(
    kinds=kinds,
    priors="uniform",  # both coins are picked equally often
    smoothing=0,  # plain maximum likelihood
    em=EM(tol=0, max_iter=10),  # do not stop early: ten steps
)
states = list(em_steps(coins, tosses, either, start=guess))
for state in states:
    a, b = state.tables()["heads"]["success"]
    numbers = f"Q {state.Q:.4f}  L {state.bound:.4f}  KL {state.kl:.6f}  ln P {state.log_likelihood:.4f}"
    print(f"{state.step:2}  A {a:.4f}  B {b:.4f}  {numbers}")
# %% by-hand
import numpy as np

heads = np.array(tosses["heads"])
weight = np.array([0.6**heads * 0.4 ** (10 - heads), 0.5**heads * 0.5 ** (10 - heads)])
share = weight / weight.sum(axis=0)  # (coin, row): which coin was it?
by_hand = share @ heads / (share.sum(axis=1) * 10)
by_hand.round(4), states[0].tables()["heads"]["success"].round(4)
# %% never-falls
from math import comb, log

coefficients = sum(log(comb(10, n)) for n in tosses["heads"])  # part of ln P, whatever the parameters
at_guess = np.log(weight.mean(axis=0)).sum() + coefficients
likelihoods = [state.log_likelihood for state in states]
all(later >= earlier - 1e-9 for earlier, later in zip(likelihoods, likelihoods[1:]))
# %% geyser
from suffice import Mixture

often = [1, 0, 3, 5, 4, 3, 5, 5, 6, 5, 7, 9, 6, 4, 3, 4, 7, 6, 0, 4, 3, 4, 3, 2, 1, 1, 2, 4, 5, 1, 7, 6, 8, 9, 12, 15]
often += [10, 8, 13, 12, 14, 10, 6, 6, 2, 6, 3, 6, 1, 1, 2, 1, 0, 1]
waits = {"wait": np.repeat(np.arange(43.0, 97.0), often)}  # 43 minutes once, 44 never, 45 three times, …
begin = Mixture.from_parameters([[60], [75]], [[[100]], [[100]]], [0.5, 0.5], columns=["wait"])
flat = Mixture(2, parameter_prior="flat", start=begin)
path = list(em_steps(flat, waits))
path[-1].tables()["wait"]
# %% picture
from suffice import plots

ax = plots.em(path, waits)
# %% latent
from suffice import LatentClass, example

melons, ripe = example("watermelon")
looks = {name: melons[name] for name in ("色泽", "根蒂", "敲声", "纹理", "脐部", "触感")}
latent = LatentClass(2).fit(looks)
cluster = latent.predict(looks)
{k: f"{sum(np.array(ripe)[cluster == k] == '是')} / {sum(cluster == k)}" for k in (0, 1)}  # ripe / all
# %% hidden
from suffice import LinearDiscriminant, compare_unlabelled

columns, species = example("penguins")
numbers = {name: cells for name, cells in columns.items() if name.endswith(("_mm", "_g"))}
here = ~np.isnan(numbers["body_mass_g"])  # two birds were not measured
numbers, true = {name: cells[here] for name, cells in numbers.items()}, np.array(species)[here]
some = [name if i % 10 == 0 else None for i, name in enumerate(true)]
rest = np.arange(len(true)) % 10 != 0  # rows whose label was taken away
models = {weight: LinearDiscriminant(em=EM(unlabelled_weight=weight)).fit(numbers, some) for weight in (0, 1)}
right = {weight: float((model.predict(numbers) == true)[rest].mean()) for weight, model in models.items()}
right
# %% worth
worth = compare_unlabelled(LinearDiscriminant(em=EM(unlabelled_weight=1)), numbers, some, folds=5)
worth
# %% hurt
import matplotlib.pyplot as plt

from suffice import NearestMean

draw = np.random.default_rng(0)
label = draw.integers(2, size=400)
across = {"u": draw.choice([-5.0, 5.0], size=400) + draw.normal(size=400), "v": 3.0 * label + draw.normal(size=400)}
few = [f"{name}" if i < 40 else None for i, name in enumerate(label)]
models = {weight: NearestMean(em=EM(unlabelled_weight=weight)).fit(across, few) for weight in (0, 1)}
scores = {weight: float((model.predict(across) == label.astype(str)).mean()) for weight, model in models.items()}
_, ax = plt.subplots(figsize=(4, 3))
for name in (0, 1):
    ax.plot(across["u"][label == name], across["v"][label == name], ".", label=f"{name}")
ax.set(xlabel="u", ylabel="v")
ax.legend()
scores
# %% exercise-step
other = NaiveBayes.from_tables(
    {"class": {"class": ["A", "B"], "prior": [0.5, 0.5]}, "heads": {"success": [0.4, 0.9], "failure": [0.6, 0.1]}},
    kinds,
)
swapped = list(em_steps(coins, tosses, either, start=other))[-1].tables()["heads"]["success"]
swapped.round(4)
# %% exercise-same
halves = NaiveBayes.from_tables(
    {"class": {"class": ["A", "B"], "prior": [0.5, 0.5]}, "heads": {"success": [0.5, 0.5], "failure": [0.5, 0.5]}},
    kinds,
)
stuck = list(em_steps(coins, tosses, either, start=halves))[-1].tables()["heads"]["success"]
stuck.round(4)
# %% start
from watching import watch

steps = [
    {
        "success": state.tables()["heads"]["success"].tolist(),
        "bound": state.bound,
        "log_likelihood": state.log_likelihood,
    }
    for state in states
]
watch("em", {"heads": tosses["heads"], "tosses": 10, "guess": [0.6, 0.5], "steps": steps})
