# %% table
import pandas as pd

from suffice import NaiveBayes, example

columns, species = example("penguins")
table = pd.DataFrame(columns).assign(species=species)
table.head(4)
# %% fit
model = NaiveBayes(kinds={"year": "ignore"}).fit(table, "species")
model
# %% predict
new = pd.DataFrame(
    {
        "island": ["Dream", None],
        "bill_length_mm": [48.0, 39.0],
        "flipper_length_mm": [195.0, 190.0],
        "bill_depth_mm": [18.0, None],
        "body_mass_g": [3700.0, None],
        "sex": ["male", "female"],
    }
)
model.predict(new), model.predict_proba(new).round(4)
# %% explain
from suffice import explain, plots

ax = plots.explanation(explain(model, new[:1], between=("Chinstrap", "Adelie")))
# %% validate
from suffice import leave_one_out

checked = leave_one_out(model, table, "species")
checked
# %% decide
from suffice import BayesDecision

careful = BayesDecision(model, reject=0.02).fit(table, "species")
actions = careful.predict(table)
rejected = int((actions == "reject").sum())
rejected
# %% keep
from pathlib import Path
from tempfile import mkdtemp

from suffice import load

path = Path(mkdtemp()) / "penguins.suffice"
model.save(path)
same = bool((load(path).predict_proba(new) == model.predict_proba(new)).all())
same
# %% more
model.partial_fit(table[:10], "species")
model.class_count_
