# %% fit
import numpy as np
from sklearn.datasets import load_iris

from suffice import MarginClassifier

X, y = load_iris(return_X_y=True)
X, y = X[50:, 2:], y[50:]  # petals of two kinds that overlap
model = MarginClassifier(C=1, scale=False).fit(X, y)
primal, dual, gap = (float(number[0]) for number in (model.primal_, model.dual_, model.gap_))
primal, dual, gap
# %% rows
slack, support = model.slack_[:, 0], model.support_[0]
len(support), int((slack > 1e-6).sum()), int((slack > 1).sum())
# %% picture
from suffice import plots

ax = plots.margin(model, X, y)
# %% constrained
from scipy.optimize import minimize

some, side = X[40:60], np.repeat([-1.0, 1.0], 10)
hinge = MarginClassifier(C=1, scale=False).fit(some, side)
holds = {"type": "ineq", "fun": lambda v: side * (some @ v[:2] + v[2]) - 1 + v[3:]}  # v: w, b and every ξ
program = minimize(
    lambda v: 0.5 * v[:2] @ v[:2] + v[3:].sum(),
    np.append(np.zeros(3), np.ones(20)),
    bounds=[(None, None)] * 3 + [(0, None)] * 20,
    constraints=[holds],
    tol=1e-12,
)
assert np.isclose(program.fun, hinge.primal_[0])
float(program.fun), float(hinge.primal_[0]), float(abs(program.x[3:] - hinge.slack_[:, 0]).max())
# %% logistic
from suffice import LinearDiscriminant, LogisticClassifier, boundary

lda = LinearDiscriminant(estimate="unbiased").fit(X, y)
plane = boundary(lda, 2, 1)
float(abs(1 / (1 + np.exp(-plane.value(X))) - lda.predict_proba(X)[:, 1]).max())
# %% curves
from sklearn.datasets import load_breast_cancer

from suffice import NaiveBayes

table, label = load_breast_cancer(return_X_y=True)
order = np.random.default_rng(0).permutation(len(label))
errors = {}
for n in (20, 80, 320):
    learn, rest = order[:n], order[320:]
    for chosen in (NaiveBayes(), LogisticClassifier()):
        errors[type(chosen).__name__, n] = float(
            (chosen.fit(table[learn], label[learn]).predict(table[rest]) != label[rest]).mean()
        )
{f"{name}, {n}": round(error, 3) for (name, n), error in errors.items()}
# %% exercise-c
path = [
    (each.C, each.width_[0], len(each.support_[0]))
    for each in MarginClassifier(scale=False).path(X, y, C=[0.01, 1, 100])
]
path
# %% exercise-drop
kept = np.sort(support)
fewer = MarginClassifier(C=1, scale=False).fit(X[kept], y[kept])
change = float(abs(fewer.coef_ - model.coef_).max())
change
