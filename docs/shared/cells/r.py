# %% data
from sklearn.datasets import load_iris

from suffice import (
    GaussianDiscriminant,
    LatentClass,
    LinearDiscriminant,
    Mixture,
    NaiveBayes,
    QuadraticDiscriminant,
    choose,
)

iris = load_iris()
X = {name.removesuffix(" (cm)"): column for name, column in zip(iris.feature_names, iris.data.T)}
species = iris.target_names[iris.target]
# %% table
from IPython.display import Markdown

typed = [
    ("MASS::lda(Species ~ ., iris)", 'LinearDiscriminant(estimate="unbiased").fit(X, species)'),
    ("MASS::qda(Species ~ ., iris)", 'QuadraticDiscriminant(estimate="unbiased").fit(X, species)'),
    ("e1071::naiveBayes(Species ~ ., iris)", 'NaiveBayes(estimate="unbiased", smoothing=0).fit(X, species)'),
    ("e1071::naiveBayes(…, laplace = 1)", 'NaiveBayes(estimate="unbiased", smoothing=1).fit(X, species)'),
    (
        "klaR::rda(Species ~ ., iris, lambda = 0.5, gamma = 0.1)",
        "GaussianDiscriminant(shrink_shared=0.5, shrink_spherical=0.1).fit(X, species)",
    ),
    (
        'mclust::Mclust(iris[, -5], G = 3, modelNames = "VVV")',
        'Mixture(3, shape="full", parameter_prior="flat").fit(X)',
    ),
    ("mclust::mclustBIC(iris[, -5], G = 1:4)", "choose(Mixture(), X, components=range(1, 5)).best"),
]
made = {there: eval(here) for there, here in typed}
Markdown(
    "\n".join(
        [
            "| R | suffice | |",
            "|---|---|---|",
            *(f"| `{there}` | `{here}` | {type(made[there]).__name__} |" for there, here in typed),
        ]
    )
)
# %% lda
lda = made["MASS::lda(Species ~ ., iris)"]
lda.scalings_[:, :2].round(4), lda.explained_variance_ratio_.round(4)
# %% loo
from suffice import leave_one_out

wrong = int(
    (leave_one_out(LinearDiscriminant(estimate="unbiased"), X, species).posterior.argmax(axis=1) != iris.target).sum()
)
wrong
# %% mclust
three = made['mclust::Mclust(iris[, -5], G = 3, modelNames = "VVV")']
log_likelihood, bic = float(three.score_samples(X).sum()), float(three.bic(X))
round(log_likelihood, 3), round(bic, 2)
# %% picture
from suffice import plots

ax = plots.discriminant(lda, X, species)
