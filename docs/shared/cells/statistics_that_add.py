# %% rows
from suffice import collect

rows = [(2.0, 1.0), (4.0, 2.0), (9.0, 0.0)]
summary = collect({"x": [rows[0][0]], "y": [rows[0][1]]}, ["all"])
for x, y in rows[1:]:
    summary = summary + collect({"x": [x], "y": [y]}, ["all"])
    print(summary.moments().means.tolist(), summary.moments().covariances.round(3).tolist())
# %% by-hand
import numpy as np

mean, covariance = np.array(rows[0]), np.zeros((2, 2))
for n, row in enumerate(np.array(rows[1:]), start=2):
    step = row - mean
    covariance = (n - 1) / n * (covariance + np.outer(step, step) / n)
    mean = mean + step / n
assert np.allclose(covariance, summary.moments().covariances[0])
mean, covariance.round(3)
# %% sites
from suffice import LinearDiscriminant, NaiveBayes, example

columns, species = example("penguins")
island = np.array(columns["island"])
numbers = {name: cells for name, cells in columns.items() if name.endswith(("_mm", "_g"))}
sites = {
    name: collect(
        {column: cells[island == name] for column, cells in numbers.items()}, np.array(species)[island == name]
    )
    for name in sorted(set(island))
}
total = sum(sites.values())
total == collect(numbers, species)
# %% forget
without = total - sites["Dream"]
[(name, summary.n) for name, summary in (("total", total), ("without Dream", without))], without.classes
# %% models
naive, linear = NaiveBayes.from_summary(total), LinearDiscriminant.from_summary(total)
float((naive.predict(numbers) == np.array(species)).mean())
# %% left-out
from suffice import leave_one_out

found = leave_one_out(NaiveBayes(), numbers, species)
found
# %% left-out-by-hand
rest = {name: cells[1:] for name, cells in numbers.items()}
refitted = NaiveBayes().fit(rest, species[1:]).predict_proba({name: cells[:1] for name, cells in numbers.items()})
float(abs(refitted - found.posterior[0]).max())
# %% picture
from suffice import plots

ax = plots.confusion(found)
# %% disclosed
from suffice import disclosed

small = collect({"age": [31.0, 40.0, 52.0], "town": ["A", "A", "B"]}, ["ill", "well", "well"])
disclosed(small)
# %% exercise-mean
later = (3 * 5.0 + 1.0) / 4
four = (summary + collect({"x": [1.0], "y": [1.0]}, ["all"])).moments().means[0, 0]
later, four
# %% exercise-order
backwards = sum(list(sites.values())[::-1])
backwards == total
