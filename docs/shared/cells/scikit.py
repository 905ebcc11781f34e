# %% data
import numpy as np
from sklearn.datasets import load_iris

X, y = load_iris(return_X_y=True)
# %% pairs
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.mixture import GaussianMixture
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, GaussianNB, MultinomialNB

from suffice import LinearDiscriminant, Mixture, NaiveBayes, QuadraticDiscriminant

counts, bits = (10 * X).astype(int), (X > X.mean(axis=0)).astype(int)
pairs = [
    ("GaussianNB(var_smoothing=0)", GaussianNB(var_smoothing=0), 'NaiveBayes(kinds="gaussian", estimate="ml")', X),
    ("MultinomialNB(alpha=1)", MultinomialNB(alpha=1), 'NaiveBayes(kinds="counts")', counts),
    ("BernoulliNB(alpha=1)", BernoulliNB(alpha=1), 'NaiveBayes(kinds="binary")', bits),
    ("CategoricalNB(alpha=1)", CategoricalNB(alpha=1), 'NaiveBayes(kinds="categorical")', bits),
    (
        'LinearDiscriminantAnalysis(solver="lsqr")',
        LinearDiscriminantAnalysis(solver="lsqr"),
        'LinearDiscriminant(estimate="ml")',
        X,
    ),
    ("QuadraticDiscriminantAnalysis()", QuadraticDiscriminantAnalysis(), 'QuadraticDiscriminant(estimate="ml")', X),
]
# %% table
from IPython.display import Markdown


def agreement(theirs, ours, table):
    return abs(theirs.fit(table, y).predict_proba(table) - eval(ours).fit(table, y).predict_proba(table)).max()


assert all(agreement(theirs, ours, table) < 1e-9 for _, theirs, ours, table in pairs)
lines = [f"| `{name}` | `{ours}` | {agreement(theirs, ours, table):.0e} |" for name, theirs, ours, table in pairs]
Markdown("\n".join(["| scikit-learn | suffice | max. \\|Δ P\\| |", "|---|---|---|", *lines]))
# %% pipeline
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

scores = cross_val_score(make_pipeline(StandardScaler(), NaiveBayes()), X, y, cv=5)
search = GridSearchCV(LinearDiscriminant(), {"shrink_spherical": [0.0, 0.1]}, cv=5).fit(X, y)
scores.mean().round(4), search.best_params_
# %% exact
from suffice import compare, leave_one_out, plots

exact = leave_one_out(LinearDiscriminant(), X, y)
exact.accuracy
# %% picture
ax = plots.comparison(compare([NaiveBayes(), LinearDiscriminant(), QuadraticDiscriminant()], X, y))
