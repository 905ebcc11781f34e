# %% loss
from suffice import Loss, decide

loss = Loss({"treat": {"ill": 0, "well": 5}, "wait": {"ill": 100, "well": 0}, "refer": 8})
loss
# %% risk
found = decide([[0.01, 0.99], [0.07, 0.93], [0.5, 0.5]], loss, classes=["ill", "well"])
found.action.tolist(), found.risks.round(2)
# %% reject
unsure = Loss.zero_one(["a", "b"], reject=0.1)
decide([[0.85, 0.15], [0.97, 0.03]], unsure, ["a", "b"]).action.tolist()
# %% ratio
from suffice import ratio_test

two = Loss({"treat": {"ill": 0, "well": 5}, "wait": {"ill": 100, "well": 0}})
ratio = ratio_test(two, {"ill": 0.01, "well": 0.99})
ratio
# %% by-hand
by_hand = (5 - 0) * 0.99 / ((100 - 0) * 0.01)
assert abs(by_hand - ratio.threshold) < 1e-9
# %% picture
from suffice import GaussianDiscriminant, bayes_error, plots

model = GaussianDiscriminant.from_parameters({"a": 0.0, "b": 2.0}, {"a": 1.0, "b": 1.0}, {"a": 0.5, "b": 0.5})
ax = plots.regions(model, *model.sample(200, random_state=0), loss=unsure)
# %% price
prices = {price: bayes_error(model, Loss.zero_one(["a", "b"], reject=price)) for price in (0.05, 0.1, 0.2, 0.5)}
prices
# %% exercise-zero-one
plain = ratio_test(Loss.zero_one(["a", "b"]), {"a": 0.2, "b": 0.8})
plain
# %% exercise-refer
refers = [
    p / 1000 for p in range(1001) if decide([[p / 1000, 1 - p / 1000]], loss, ["ill", "well"]).action[0] == "refer"
]
refers
# %% start
from watching import watch

start = {"means": [0.0, 2.0], "sd": 1.0, "prior": 0.5, "loss": [1.0, 1.0], "reject": 0.1, "risk": prices[0.1].value}
watch("losses", start)
