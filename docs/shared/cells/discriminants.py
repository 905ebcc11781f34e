# %% nearest
from suffice import GaussianDiscriminant, boundary, discriminants

means = {"ω1": {"x1": 0, "x2": 0}, "ω2": {"x1": 4, "x2": 2}}
same = [[1, 0], [0, 1]]
nearest = GaussianDiscriminant.from_parameters(means, {"ω1": same, "ω2": same}, {"ω1": 0.5, "ω2": 0.5})
boundary(nearest, "ω1", "ω2")
# %% shared
shared = [[2, 1], [1, 2]]
linear = GaussianDiscriminant.from_parameters(means, {"ω1": shared, "ω2": shared}, {"ω1": 0.3, "ω2": 0.7})
plane = boundary(linear, "ω1", "ω2")
plane
# %% plane
import numpy as np

w = np.linalg.solve(shared, [-4, -2])  # Σ⁻¹(μ₁ − μ₂)
distance = np.array([-4, -2]) @ w
x0 = np.array([2, 1]) - np.log(0.3 / 0.7) / distance * np.array([-4, -2])
assert np.allclose(plane.value([x0]), 0)
w, x0
# %% own
means = {"ω1": {"x1": 3, "x2": 6}, "ω2": {"x1": 3, "x2": -2}}
own = {"ω1": [[0.5, 0], [0, 2]], "ω2": [[2, 0], [0, 2]]}
model = GaussianDiscriminant.from_parameters(means, own, {"ω1": 0.5, "ω2": 0.5})
discriminants(model)
# %% parabola
parabola = boundary(model, "ω1", "ω2")
assert np.allclose(parabola.value([[x, 0.1875 * x**2 - 1.125 * x + 3.51421] for x in (-2.0, 0.0, 5.0)]), 0, atol=1e-4)
parabola, parabola.solve_for("x2")
# %% kinds
shapes = {
    "ellipse": {"ω1": [[0.5, 0], [0, 0.5]], "ω2": [[2, 0], [0, 3]]},
    "hyperbola": {"ω1": [[0.5, 0], [0, 3]], "ω2": [[3, 0], [0, 0.5]]},
}
[boundary(GaussianDiscriminant.from_parameters(means, each), "ω1", "ω2").kind for each in shapes.values()]
# %% picture
from suffice import plots

ax = plots.regions(model, *model.sample(200, random_state=0))
# %% bounds
from suffice import bayes_error, divergence, error_bound

error, chernoff, bhattacharyya = bayes_error(model), error_bound(model), error_bound(model, 0.5)
error, chernoff, bhattacharyya
# %% exercise-prior
rare = GaussianDiscriminant.from_parameters(means, own, {"ω1": 0.1, "ω2": 0.9})
moved = boundary(rare, "ω1", "ω2").solve_for("x2")
moved
# %% exercise-bound
apart = divergence(model, "ω1", "ω2").bhattacharyya
bound = np.sqrt(0.5 * 0.5) * np.exp(-apart)
bound
# %% start
from watching import watch

flat = dict.fromkeys(["ω1", "ω2"], [[1, 0], [0, 1]])
near = GaussianDiscriminant.from_parameters({"ω1": [-1, 0], "ω2": [1, 0]}, flat, {"ω1": 0.5, "ω2": 0.5})
start = {
    "means": [[-1, 0], [1, 0]],
    "variances": [[1, 1], [1, 1]],
    "prior": 0.5,
    "bhattacharyya": error_bound(near, 0.5),
}
watch("discriminants", start)
