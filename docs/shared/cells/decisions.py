# %% model
from suffice import BayesDecision, Loss, NaiveBayes, example

columns, species = example("penguins")
table = {name: columns[name] for name in ("bill_length_mm", "body_mass_g", "sex")}
rare = ["Chinstrap" if name == "Chinstrap" else "other" for name in species]
loss = Loss({"ring": {"Chinstrap": 0, "other": 1}, "let go": {"Chinstrap": 5, "other": 0}, "look again": 0.4})
loss
# %% decide
decision = BayesDecision(NaiveBayes(), loss=loss).fit(table, rare)
actions = decision.predict(table)
{action: int((actions == action).sum()) for action in loss.actions}
# %% worth
from suffice import leave_one_out

checked = leave_one_out(NaiveBayes(), table, rare, loss=loss)
checked
# %% threshold
from suffice import ratio_test

two = Loss({"ring": {"Chinstrap": 0, "other": 1}, "let go": {"Chinstrap": 5, "other": 0}})
threshold = ratio_test(two, NaiveBayes().fit(table, rare))
threshold
# %% picture
from suffice import plots

ax = plots.cost(checked, positive="Chinstrap", loss=two)
# %% rejection
always = leave_one_out(NaiveBayes(), table, rare, loss=two)
{"always decide": always.mean_loss, "look again": checked.mean_loss}
# %% coverage
ax = plots.risk_coverage(checked, loss=Loss.zero_one(["Chinstrap", "other"], reject=0.1))
# %% shift
moved = BayesDecision(NaiveBayes(), loss=loss, priors={"Chinstrap": 0.05, "other": 0.95}).fit(table, rare)
{action: int((moved.predict(table) == action).sum()) for action in loss.actions}
# %% estimate
from suffice import GaussianDiscriminant, estimate_priors

few = [i for i, name in enumerate(species) if name != "Chinstrap" or i % 4 == 0]  # one Chinstrap in four
bills = {name: columns[name] for name in ("bill_length_mm", "bill_depth_mm")}
field = {name: cells[few] for name, cells in bills.items()}
left = sum(species[i] == "Chinstrap" for i in few)
found = estimate_priors(GaussianDiscriminant().fit(bills, species), field)
found
# %% calibrated
from suffice import Calibrated

slope = Calibrated(NaiveBayes(kinds={"year": "ignore"})).fit(columns, species).slope_
slope
# %% any
import numpy as np
from sklearn.linear_model import LogisticRegression

numbers = np.column_stack([table["body_mass_g"], table["bill_length_mm"]])
measured = ~np.isnan(numbers).any(axis=1)  # it takes no missing cells
numbers, classes = numbers[measured], np.array(rare)[measured]
theirs = BayesDecision(LogisticRegression(max_iter=1000), loss=loss).fit(numbers, classes)
taken = theirs.predict(numbers)
{action: int((taken == action).sum()) for action in loss.actions}
