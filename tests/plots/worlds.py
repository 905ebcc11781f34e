"""Tables that are hard to draw, and every picture of them: long names, many classes, none of one, Chinese names."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from suffice import (
    Dirichlet,
    LinearDiscriminant,
    Loss,
    MarginClassifier,
    Mixture,
    NaiveBayes,
    QuadraticDiscriminant,
    TreeAugmentedBayes,
    choose,
    compare,
    em_steps,
    explain,
    leave_one_out,
    nomogram,
    plots,
)

LONG = "the length of the left hind leg, measured in the morning, in millimetres"


@dataclass(frozen=True)
class World:
    name: str
    columns: tuple[str, str, str, str]  # two numbers that belong together, a number with missing cells, a category
    classes: tuple[Any, ...]
    levels: tuple[str, ...] = ("small", "middle", "large")
    absent: int = 0  # how many of the classes have no rows
    rows: int = 90
    seed: int = field(default=0, repr=False)

    @cached_property
    def labels(self):
        return np.random.default_rng(self.seed).integers(len(self.classes) - self.absent, size=self.rows)

    @cached_property
    def y(self):
        return [self.classes[k] for k in self.labels]

    @cached_property
    def X(self):
        rng, k = np.random.default_rng(self.seed + 1), self.labels
        x = rng.normal(size=(self.rows, 3)) * [12.0, 0.4, 900] + np.stack([20.0 * k, 0.5 * (k % 3), 1000.0 * k], axis=1)
        x[:5, 2] = np.nan
        level = (k + rng.integers(2, size=self.rows)) % len(self.levels)
        cells = [self.levels[i] for i in level]
        return dict(zip(self.columns, (*x.T, cells), strict=True))

    @cached_property
    def plane(self):
        return {name: self.X[name] for name in self.columns[:2]}

    @cached_property
    def naive(self):
        return NaiveBayes().fit(self.X, self.y, classes=list(self.classes))

    @cached_property
    def loss(self):
        return Loss.zero_one(list(self.classes), reject=0.2)

    @property
    def pair(self):
        return self.classes[0], self.classes[1]

    def draw(self, name):
        return getattr(self, f"draw_{name}")()

    def draw_belief(self):
        prior = Dirichlet(dict.fromkeys(self.classes[:6], 2.0))
        return plots.belief(prior.after(dict.fromkeys(self.classes[:6], 3)))

    def draw_calibration(self):
        return plots.calibration(self.naive, self.X, self.y, self.classes[0], left_out=False)

    def draw_choice(self):
        return plots.choice(choose(Mixture(restarts=1), self.plane, range(1, 3), shapes=("full", "diagonal")))

    def draw_comparison(self):
        named = {f"{name} naive Bayes": NaiveBayes(smoothing=i + 1.0) for i, name in enumerate(self.columns)}
        return plots.comparison(compare(named, self.X, self.y))

    def draw_confusion(self):
        return plots.confusion(self.naive, self.X, self.y, self.loss, left_out=False)

    def draw_cost(self):
        return plots.cost(self.naive, self.X, self.y, self.classes[1])

    def draw_densities(self):
        return plots.densities(self.naive, self.X, self.y)

    def draw_discriminant(self):
        return plots.discriminant(LinearDiscriminant().fit(self.plane, self.y), self.plane, self.y)

    def draw_em(self):
        return plots.em(list(em_steps(Mixture(2), self.plane)), self.plane)

    def draw_explanation(self):
        return plots.explanation(explain(self.naive, self.X, self.pair), row=7)

    def draw_margin(self):
        model = MarginClassifier(tol=1e-6).fit(self.plane, self.y)
        return plots.margin(model, self.plane, self.y, positive=self.classes[0])

    def draw_missing(self):
        return plots.missing(self.X)

    def draw_nomogram(self):
        row = {name: cells[7] for name, cells in self.X.items()}
        return plots.nomogram(nomogram(self.naive, self.X, self.pair), row)

    def draw_pairs(self):
        return plots.pairs(self.naive, self.X, self.y)

    def draw_posterior(self):
        return plots.posterior(self.naive, self.X, row=7)

    def draw_regions(self):
        model = QuadraticDiscriminant(estimate="map").fit(self.plane, self.y)
        return plots.regions(model, self.plane, self.y, None if self.absent else self.loss)

    def draw_risk_coverage(self):
        return plots.risk_coverage(self.naive, self.X, self.y, self.loss)

    def draw_roc(self):
        found = leave_one_out(NaiveBayes(), self.X, self.y, classes=list(self.classes))
        return plots.roc(found, positive=self.classes[0])

    def draw_tree(self):
        return plots.tree(TreeAugmentedBayes().fit(self.X, self.y).tree_)


WORLDS = [
    World(
        "long names",
        (LONG, f"{LONG} (2)", "another of these names that nobody likes to read", "how large it is said to be by all"),
        ("a class with a rather long name, first", "a class with a rather long name, second", "short"),
        ("quite small, as one can see", "neither large nor small", "large by any standard"),
    ),
    World("many classes", ("x", "y", "z", "size"), tuple(f"species {i}" for i in range(12)), rows=240),
    World("a class without rows", ("x", "y", "z", "size"), ("a", "b", "c"), absent=1),
    World("classes that are numbers", ("x", "y", "z", "size"), (1, 2)),
]
CHINESE = World(
    "Chinese names",
    ("密度（克每立方厘米）", "含糖率", "重量", "根蒂的形态"),
    ("好瓜", "坏瓜", "尚未成熟的瓜"),
    ("蜷缩", "稍蜷", "硬挺"),
)
