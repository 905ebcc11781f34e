# %% twice
from suffice import NaiveBayes, example

columns, species = example("penguins")
mixed = {name: cells for name, cells in columns.items() if name != "year"}
once = NaiveBayes().fit({"mass": mixed["body_mass_g"]}, species)
twice = NaiveBayes().fit({"mass": mixed["body_mass_g"], "again": mixed["body_mass_g"]}, species)
once.predict_proba({"mass": [4500.0]}).round(3), twice.predict_proba({"mass": [4500.0], "again": [4500.0]}).round(3)
# %% tree
from suffice import TreeAugmentedBayes, plots

tree = TreeAugmentedBayes().fit(mixed, species)
tree.tree_
# %% picture
ax = plots.tree(tree.tree_)
# %% compare
from suffice import compare

found = compare([NaiveBayes(), TreeAugmentedBayes(), AveragedOneDependence()], mixed, species, folds=10)
losses = {trial.name: float(trial.validation.log_loss) for trial in found.trials}
{name: round(loss, 4) for name, loss in losses.items()}
# %% average
from suffice import AveragedOneDependence, explain

melons, ripe = example("watermelon")
average = AveragedOneDependence(kinds={"编号": "ignore"}).fit(melons, ripe)
explain(average, {name: cells[:1] for name, cells in melons.items()})
# %% exercise-odds
import numpy as np

odds = [
    np.log(p[0, 2] / p[0, 0])
    for p in (
        NaiveBayes(priors="uniform").fit({"mass": mixed["body_mass_g"]}, species).predict_proba({"mass": [4500.0]}),
        NaiveBayes(priors="uniform")
        .fit({"mass": mixed["body_mass_g"], "again": mixed["body_mass_g"]}, species)
        .predict_proba({"mass": [4500.0], "again": [4500.0]}),
    )
]
odds
# %% exercise-root
rooted = TreeAugmentedBayes(root="sex").fit(mixed, species)
agree = float((rooted.predict(mixed) == tree.predict(mixed)).mean())
agree
