# %% typeset
from typesetting import scientific

# %% melons
from suffice import NaiveBayes, example, worked

melons, ripe = example("watermelon")
melons = {name: cells for name, cells in melons.items() if name != "编号"}
first = {name: cells[0] for name, cells in melons.items()}
model = NaiveBayes(estimate="unbiased", smoothing=0).fit(melons, ripe)
calculation = worked(model, first)
calculation
# %% laplace
laplace = NaiveBayes(estimate="unbiased", smoothing=1, priors="smoothed").fit(melons, ripe)
sounds = laplace.tables()["敲声"]
sounds
# %% laplace-worked
worked(laplace, first).products
# %% missing
incomplete = first | {"纹理": None, "密度": None}
worked(laplace, incomplete)
# %% explain
from suffice import explain, plots

ax = plots.explanation(explain(laplace, {name: cells[:1] for name, cells in melons.items()}))
# %% exercise-zero
clear = first | {"敲声": "清脆"}
zero, smoothed = worked(model, clear).products, worked(laplace, clear).products
zero, smoothed
# %% exercise-count
levels = [len(set(cells)) for name, cells in melons.items() if name not in ("密度", "含糖率")]
free = 1 + 2 * (sum(levels) - len(levels)) + 2 * 2 * 2
free
