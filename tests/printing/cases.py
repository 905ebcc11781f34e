"""Everything that prints, by name: what golden prints, HTML and frames are shown on.

python tests/printing/cases.py        writes what is printed now into golden/, in both languages; look at the difference
"""

import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import suffice
from suffice import (
    AveragedOneDependence,
    BayesDecision,
    Beta,
    Calibrated,
    ComplementNaiveBayes,
    Dirichlet,
    GaussianDiscriminant,
    LatentClass,
    LinearDiscriminant,
    LogisticClassifier,
    Loss,
    MarginClassifier,
    Mixture,
    NaiveBayes,
    NearestMean,
    NormalInverseGamma,
    NormalInverseWishart,
    QuadraticDiscriminant,
    TreeAugmentedBayes,
    bayes_error,
    boundary,
    choose,
    collect,
    compare,
    components_test,
    cross_validate,
    decide,
    disclosed,
    discriminants,
    divergence,
    em_steps,
    estimate_priors,
    evidence_of_columns,
    example,
    explain,
    leave_one_out,
    nomogram,
    posterior,
    ratio_test,
    tune,
    worked,
)

GOLDEN = Path(__file__).parent / "golden"
MELONS, RIPE = example("watermelon")
MELONS.pop("编号")
FIRST = {name: cells[0] for name, cells in MELONS.items()}
PENGUINS, SPECIES = example("penguins")
BILLS = {name: PENGUINS[name] for name in ("bill_length_mm", "bill_depth_mm")}
THERE = np.flatnonzero(~np.isnan(BILLS["bill_length_mm"]))
WHOLE, KINDS = {name: cells[THERE] for name, cells in BILLS.items()}, np.array(SPECIES)[THERE]
MIXED = {
    "visits": [0, 2, 1, 7, 5, 6, 3, None],
    "smoker": [0, 0, 1, 1, 1, 0, 1, 0],
    "wins": [3, 4, 2, 9, 8, 7, 5, 5],
    "体重 <kg>": [61.5, 72.25, 80.0, 55.1, 90.0, 66.6, 70.0, 68.5],
    "wait": [0.1, 0.4, 0.2, 1.5, 2.5, 1.1, 0.3, 0.6],
}
STATE = ["well", "well", "well", "ill", "ill", "ill", "well", "ill"]
OF_MIXED = {"visits": "poisson", "smoker": "binary", "wins": ("binomial", 10), "wait": "exponential"}
HEALTH = Loss({"treat": {"ill": 0, "well": 5}, "wait": {"ill": 100, "well": 0}, "refer": 8})
LONG = "a measurement with a name that is far too long for any table, taken in the morning"


@cache
def melons() -> NaiveBayes:
    return NaiveBayes(smoothing=0, estimate="unbiased").fit(MELONS, RIPE)


@cache
def bills() -> QuadraticDiscriminant:
    return QuadraticDiscriminant().fit(WHOLE, KINDS)


@cache
def averaged() -> AveragedOneDependence:
    return AveragedOneDependence().fit(MELONS, RIPE)


@cache
def mixture() -> Mixture:
    start = (WHOLE["bill_length_mm"] > 43).astype(int) + (WHOLE["bill_depth_mm"] > 17)
    return Mixture(3, start=start, restarts=1).fit(WHOLE)


def many_classes() -> NaiveBayes:
    rng = np.random.default_rng(0)
    table = {LONG + side: rng.normal(size=60) * scale for side, scale in ((", left", 1e-4), (", right", 1e5))}
    return NaiveBayes(estimate="map").fit(table, [f"class {i % 30:02}" for i in range(60)])


def a_class_without_rows() -> NaiveBayes:
    table = {"天气": ["晴", "雨", "晴", "晴"], "x": [1, 2, 3, 4]}
    return NaiveBayes(kinds={"x": "poisson"}).fit(table, ["是", "否", "是", "否"], classes=["是", "否", "也许"])


def impossible() -> Any:
    table = {"x": ["a", "a", "b", "b", "c"]}
    return leave_one_out(NaiveBayes(smoothing=0, estimate="ml"), table, ["u", "u", "v", "v", "w"])


CASES: dict[str, Callable[[], Any]] = {
    "naive Bayes": melons,
    "naive Bayes, kinds": lambda: NaiveBayes(kinds=OF_MIXED).fit(MIXED, STATE),
    "naive Bayes, words": lambda: NaiveBayes(kinds="counts").fit(
        {"goal": [2, 3, 0, 1], "vote": [0, 1, 4, 2], "法律": [0, 0, 2, 1]}, ["sport", "sport", "news", "news"]
    ),
    "naive Bayes, many classes and long names": many_classes,
    "naive Bayes, a class without rows": a_class_without_rows,
    "naive Bayes, not fitted": lambda: NaiveBayes(smoothing=2.0),
    "linear discriminant": lambda: LinearDiscriminant().fit(WHOLE, KINDS),
    "quadratic discriminant": bills,
    "linear discriminant, predictive": lambda: LinearDiscriminant(estimate="predictive").fit(WHOLE, KINDS),
    "linear discriminant, given": lambda: LinearDiscriminant.from_parameters(
        {"甲": [0, 0], "乙": [2, 2]}, [[1, 0.5], [0.5, 1]]
    ),
    "nearest mean": lambda: NearestMean().fit(WHOLE, KINDS),
    "discriminant, shrunk": lambda: GaussianDiscriminant(shrink_shared=0.25, shrink_spherical=0.5).fit(WHOLE, KINDS),
    "mixture": mixture,
    "latent classes": lambda: LatentClass(2, start=np.arange(17) % 2, restarts=1).fit(
        {name: MELONS[name] for name in ("色泽", "根蒂", "纹理")}
    ),
    "tree": lambda: TreeAugmentedBayes().fit(MELONS, RIPE),
    "average": averaged,
    "margin": lambda: MarginClassifier().fit(WHOLE, KINDS),
    "logistic": lambda: LogisticClassifier().fit({"a": [1.0, 2.0, None, 4.0], "b": ["x", "y", "x", "y"]}, [0, 0, 1, 1]),
    "calibrated": lambda: Calibrated(NaiveBayes(), method="platt").fit(MELONS, RIPE),
    "complement": lambda: ComplementNaiveBayes().fit(
        {"goal": [2, 3, 0], "vote": [0, 1, 4]}, ["sport", "sport", "news"]
    ),
    "Bayes decision": lambda: BayesDecision(
        NaiveBayes(kinds=OF_MIXED), loss=HEALTH, priors={"ill": 0.1, "well": 0.9}
    ).fit(MIXED, STATE),
    "tables": lambda: NaiveBayes().fit({"色泽": MELONS["色泽"]}, RIPE).tables(),
    "standard errors": lambda: (
        NaiveBayes().fit({"色泽": MELONS["色泽"], "密度": MELONS["密度"]}, RIPE).standard_errors()
    ),
    "summary": lambda: collect(PENGUINS, SPECIES),
    "moments": lambda: collect(PENGUINS, SPECIES).moments(),
    "disclosures": lambda: disclosed(
        collect({"色泽": ["青绿"] * 4 + ["乌黑"], "x": [1.5, 2.5, 3.5, 4.5, 5.5]}, [*"ababa"], pairs=True)
    ),
    "disclosures, none": lambda: disclosed(collect({"x": np.arange(8.0) + 0.5}, ["a", "b"] * 4)),
    "trace": lambda: mixture().trace_,
    "state of EM": lambda: next(iter(em_steps(mixture(), WHOLE))),
    "bound": lambda: suffice.bound(mixture(), WHOLE, mixture().predict_proba(WHOLE)),
    "tree by itself": lambda: TreeAugmentedBayes().fit(MELONS, RIPE).tree_,
    "worked": lambda: worked(melons(), FIRST),
    "worked, cells missing": lambda: worked(melons(), FIRST | {"根蒂": None, "密度": None}),
    "worked, columns together": lambda: worked(bills(), {"bill_length_mm": [39.1], "bill_depth_mm": [None]}),
    "posterior": lambda: posterior({"ill": 0.9, "well": 0.1}, {"ill": 0.01, "well": 0.99}),
    "explanation": lambda: explain(melons(), {name: [cell] for name, cell in (FIRST | {"触感": None}).items()}),
    "explanation, many rows": lambda: explain(melons(), MELONS),
    "explanation, pairs": lambda: explain(bills(), {n: c[:1] for n, c in WHOLE.items()}, between=("Adelie", "Gentoo")),
    "votes": lambda: explain(averaged(), {name: [cell] for name, cell in FIRST.items()}),
    "nomogram": lambda: nomogram(melons(), MELONS),
    "boundary": lambda: boundary(bills(), "Adelie", "Gentoo"),
    "discriminants": lambda: discriminants(bills()),
    "divergence": lambda: divergence(bills(), "Adelie", "Gentoo"),
    "Bayes error": lambda: bayes_error(GaussianDiscriminant.from_parameters({"a": [0.0], "b": [2.0]}, [[1.0]])),
    "loss": lambda: HEALTH,
    "decision": lambda: decide([[0.01, 0.99], [0.5, 0.5], [0.1, 0.9]], HEALTH, ["ill", "well"]),
    "ratio test": lambda: ratio_test(Loss({a: HEALTH.rows[a] for a in ("treat", "wait")}), {"ill": 0.1, "well": 0.9}),
    "ratio test, always": lambda: ratio_test({"a": {"x": 0, "y": 0}, "b": {"x": 1, "y": 1}}, {"x": 0.5, "y": 0.5}),
    "class priors": lambda: estimate_priors(melons(), MELONS),
    "validation": lambda: leave_one_out(NaiveBayes(), MELONS, RIPE),
    "validation, by folds": lambda: cross_validate(
        NaiveBayes(), PENGUINS, SPECIES, loss=Loss.zero_one(["Adelie", "Chinstrap", "Gentoo"], reject=0.1)
    ),
    "validation, impossible": impossible,
    "comparison": lambda: compare(
        [NaiveBayes(), LinearDiscriminant(), AveragedOneDependence(), NaiveBayes(smoothing=2.0)], WHOLE, KINDS
    ),
    "trial": lambda: compare([NaiveBayes()], MELONS, RIPE)[0],
    "tuning": lambda: tune(GaussianDiscriminant(), WHOLE, KINDS, over="shape"),
    "evidence of columns": lambda: evidence_of_columns(NaiveBayes(estimate="map"), MELONS, RIPE),
    "choice": lambda: choose(Mixture(restarts=2), WHOLE, (1, 2), shapes=("full", "diagonal")),
    "test of components": lambda: components_test(
        Mixture(1, restarts=1), {"x": np.repeat([0.0, 0.1, 5.0, 5.2], 5)}, draws=3
    ),
    "belief": lambda: Beta(5, 5).after(heads=15, tails=10),
    "belief, flat": lambda: suffice.NormalMean(0, np.inf, 1),
    "belief, categories": lambda: Dirichlet({"红": 1, "绿": 2, "蓝": 1}).after(红=3),
    "belief, two numbers": lambda: NormalInverseGamma(0, 1, 1, 1).after([1.0, 2.0, 3.0]),
    "belief, columns": lambda: NormalInverseWishart([0, 0], 1, 4, np.eye(2)).after([[1.0, 0.5], [2.0, 1.5]]),
}


@cache
def made(name: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return CASES[name]()


def printed(name: str) -> str:
    return str(made(name))


def golden(language: str) -> dict[str, str]:
    """Prints by name, as they were looked at."""
    text = (GOLDEN / f"{language}.txt").read_text(encoding="utf-8")
    return dict(part.rstrip("\n").split("\n", 1) for part in text.split("\n\n═══ ")[1:])


if __name__ == "__main__":
    for spoken in ("en", "zh"):
        with suffice.language(spoken):
            text = "".join(f"\n\n═══ {name}\n{printed(name)}\n" for name in CASES)
        GOLDEN.mkdir(exist_ok=True)
        (GOLDEN / f"{spoken}.txt").write_text(text, encoding="utf-8")
