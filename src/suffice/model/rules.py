"""Stage 3, what the user asks for: what to believe beforehand and to make of it afterwards, and how EM is to search.

In:  an estimate, smoothing, priors of parameters and of classes; the settings of EM, for where something is hidden.
Out: Rules, of which each piece of a model has its Rule, and Control; probabilities of the classes. An estimate is a
     prior and a last step; there is no other difference between maximum likelihood, MAP and fully Bayesian models.
"""

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeVar

import numpy as np

from suffice.arrays import Array, Codes
from suffice.data.frames import by_name
from suffice.data.levels import Level, Levels, plain
from suffice.errors import ParameterError
from suffice.families.given import as_class_where_empty
from suffice.families.protocol import Density, Family, LastStep, Prior, S
from suffice.options import Seed, number, numbers, one_of, seed, shown, whole

T = TypeVar("T")
AUTO = "auto"


@dataclass(frozen=True)
class Estimate:
    prior: str | None  # the family's prior that it always uses; None: whatever was asked for
    step: LastStep


ESTIMATES = {
    "ml": Estimate("flat", LastStep.MODE),
    "unbiased": Estimate("unbiased", LastStep.MODE),
    "map": Estimate(None, LastStep.MODE),
    "mean": Estimate(None, LastStep.MEAN),
    "predictive": Estimate(None, LastStep.PREDICTIVE),
}
MONOTONE = ("ml", "map")  # the estimates that EM can only raise
AFTER_EM = (*MONOTONE, "mean", "predictive")  # those that are made of the belief where EM over missing cells ends
PRIORS = ("flat", "reference", "weak")
INFORMATION, SCORES, BOOTSTRAP = WAYS = ("information", "scores", "bootstrap")  # to intervals of what EM has found
DRAWS = 200  # of the rows, in a bootstrap
EXPECTED_INTERVALS = f"intervals must be None, '{INFORMATION}', '{SCORES}', '{BOOTSTRAP}' or ('{BOOTSTRAP}', draws)"
EXPECTED_WEIGHT = (
    "unlabelled_weight must be from 0 to 1 (how much a row without a label counts), or 'auto': what does best in folds"
)
MOST_SMOOTHING = 1e100  # rows in every cell, of which sums are to stay finite
LABELS_FOR_A_CLASS = 4  # that are enough to say what is typical of it


@dataclass(frozen=True)
class Rules:
    estimate: str = "auto"
    auto: tuple[str, ...] = ("map",)  # what "auto" means when nothing is hidden: the first that the rows determine
    smoothing: float = 1.0  # λ: rows added to every cell of a table of counts
    priors: Any = None  # of the classes
    parameter_prior: Any = "weak"  # a name in PRIORS, or {column or columns: Belief, or {class: Belief}}
    offers: Container[str] = ()  # parameters that the face has, and a message may name
    doubt: str = ""  # why the estimate is not the first that "auto" can mean

    def check(self) -> None:
        """Refuse what makes no sense; what follows from rules that do needs no looking at again."""
        one_of(self.estimate, "estimate", ("auto", *ESTIMATES))
        wanted = "smoothing must be a number of rows, 0 or more"
        number(self.smoothing, wanted, lambda rows: rows >= 0)
        number(self.smoothing, f"{wanted}, at most {MOST_SMOOTHING:g}", lambda rows: rows <= MOST_SMOOTHING)
        named = isinstance(self.parameter_prior, str) and self.parameter_prior in PRIORS
        if not isinstance(self.parameter_prior, Mapping) and not named:
            raise ParameterError(
                f"parameter_prior={self.parameter_prior!r} is not known; use one of {', '.join(PRIORS)}, "
                "or {column: prior}."
            )
        if self.estimate in ("ml", "unbiased") and self.parameter_prior != "weak":
            raise ParameterError(
                f"estimate={self.estimate!r} uses no prior, but parameter_prior was given. Leave it out, or use "
                "estimate='map', 'mean' or 'predictive'."
            )

    @property
    def prior_remedy(self) -> list[str]:
        """What brings in a prior where there is none."""
        if ESTIMATES[self.estimate].prior is not None:
            return ["estimate='map', which adds a weak prior"]
        weak = not isinstance(self.parameter_prior, str) or self.parameter_prior == "weak"
        return [] if weak else ["parameter_prior='weak', under which rows need not determine everything"]

    def candidates(self, hidden: bool) -> tuple[str, ...]:
        """What the estimate can be, the best first: a prior that was given asks for "map", missing cells for EM."""
        if self.estimate != "auto":
            return (self.estimate,)
        if self.parameter_prior != "weak":
            return ("map",)
        return tuple(estimate for estimate in self.auto if estimate in AFTER_EM)[:1] if hidden else self.auto


class Own(Protocol):
    """The belief of a user about some columns, the same for every class or one for each."""

    @property
    def about(self) -> str: ...  # what its parameters are, in words

    @property
    def name(self) -> str: ...

    def each(self, owners: Codes) -> "Own": ...  # for components, of which a class may have several

    def on(self, family: Family[S], components: int) -> Prior[S]: ...


@dataclass(frozen=True)
class Rule:
    """How the density of one piece follows from statistics."""

    rules: Rules  # with "auto" decided
    own: Own | None = None  # the belief that the user has about this column, or these columns
    levels: int = 1  # of another column: components are class × level
    lent: bool = False  # whether a level without rows in a class is learned from all rows of the class

    @property
    def step(self) -> LastStep:
        return ESTIMATES[self.rules.estimate].step

    @property
    def to_the_mode(self) -> "Rule":
        """The same beliefs with the mode as the last step, which is where EM goes."""
        return self if self.step is LastStep.MODE else replace(self, rules=replace(self.rules, estimate="map"))

    @property
    def moves(self) -> bool:
        """Whether the prior follows from the rows too."""
        return self.own is None and self._named == "weak"

    def prior(self, family: Family[S], statistics: S) -> Prior[S]:
        """A column's own prior, or smoothing where there are cells, or the prior that was named."""
        components = len(statistics.weight)
        if self.own is not None:
            return self.own.on(family, components)
        # λ rows in every cell are Dirichlet(λ) for the mean and Dirichlet(λ + 1) for the mode: the same table
        smoothed = family.symmetric(self.rules.smoothing, flat=self.step is LastStep.MODE)
        if smoothed is not None:
            return smoothed
        if self._named == "weak":
            alone = self.levels == 1
            return family.weak_for(statistics, self.step) if alone else family.weak_given(statistics, self.levels)
        return {"flat": family.flat, "unbiased": family.unbiased, "reference": family.reference}[self._named](
            components
        )

    def prior_for_evidence(self, family: Family[S], statistics: S) -> Prior[S]:
        """The same, but for a weak one, which is to be just proper then."""
        weak = self.moves and family.symmetric(1.0) is None
        return family.just_proper(statistics) if weak else self.prior(family, statistics)

    def prior_of_hidden(self, family: Family[S], by_label: S, together: S, owners: Codes) -> Prior[S]:
        """The prior of components, each of its class, of which some rows are hidden.

        `by_label` are the statistics of each class, and last of the rows whose class is not certain, each by the levels
        of another column where there is one. Where a class is one component, and enough rows have labels, those say
        what is typical, as they do where nothing is hidden; where not, or a column varies in other rows only, all rows
        together do.
        """
        *of_class, others = by_label.weight.reshape(-1, self.levels).sum(axis=1)
        labelled = by_label.only(np.arange(len(of_class) * self.levels))
        enough = len(owners) == len(of_class) > 1 and _enough(np.array(of_class), others)
        if enough and not family.constant(labelled):
            return self.prior(family, labelled)
        if self.moves and family.symmetric(1.0) is None and self.levels == 1:
            return family.weak_unlabelled(together, len(owners))
        rule = self if self.own is None else replace(self, own=self.own.each(owners))
        return rule.prior(family, together.only(np.tile(np.arange(self.levels), len(owners))))

    def belief(self, family: Family[S], statistics: S) -> Prior[S]:
        """What is believed after the rows: the prior follows from them as they are, each counted once."""
        return self.prior(family, statistics).after(self.counted(statistics))

    def counted(self, statistics: S) -> S:
        """What each component learns from."""
        return as_class_where_empty(statistics, self.levels) if self.lent else statistics

    def density(self, family: Family[S], statistics: S) -> Density:
        return family.finished(self.step.of(self.belief(family, statistics)))

    @property
    def _named(self) -> str:
        given = self.rules.parameter_prior
        return ESTIMATES[self.rules.estimate].prior or (given if isinstance(given, str) else "weak")


def _enough(labelled: Array, others: float) -> bool:
    """Whether rows with labels say what is typical of a class: some of each, half of all rows or four for a class."""
    return bool(labelled.all() and labelled.sum() >= min(others, LABELS_FOR_A_CLASS * len(labelled)))


# how common each class is


def prevalence(weight: Array, classes: Levels, given: Any, smoothing: float, name: str = "priors") -> Array:
    """Probabilities that sum to one, from the mass of rows of each class, (K,) or of several models at once (N, K).

    They follow from the rows, from the user, or are even; `name` is what the user calls them.
    """
    if given is None:
        return np.asarray(weight / weight.sum(axis=-1, keepdims=True))
    given = by_name(given)
    if isinstance(given, str):
        return _by_name(given, weight, smoothing, name)
    values = numbers(_in_order(given, classes, name) if isinstance(given, Mapping) else given, name)
    if values.shape != weight.shape[-1:]:
        raise ParameterError(f"{name} has {values.size} numbers but there are {len(classes)} classes: {list(classes)}.")
    if np.any(values < 0):
        raise ParameterError(f"{name} must be probabilities, none below 0; found {values.tolist()}.")
    if not np.isclose(values.sum(), 1.0, rtol=0, atol=1e-8):
        raise ParameterError(
            f"{name} must be probabilities that sum to 1; {values.tolist()} sums to {values.sum():.6g}. "
            "Divide them by their sum if they are meant as proportions."
        )
    return np.broadcast_to(values / values.sum(), weight.shape)


def _by_name(rule: str, weight: Array, smoothing: float, name: str) -> Array:
    rules = {"uniform": np.ones_like(weight), "smoothed": weight + smoothing}
    if rule not in rules:
        raise ParameterError(
            f"{name}={rule!r} is not known; use None (as in the rows), 'uniform', 'smoothed', "
            "probabilities in the order of classes_, or {class: probability}."
        )
    return np.asarray(rules[rule] / rules[rule].sum(axis=-1, keepdims=True))


def _in_order(given: Mapping[Level, float], classes: Levels, called: str) -> list[float]:
    named = {plain(name): share for name, share in given.items()}
    if set(named) != set(classes):
        raise ParameterError(f"{called} names the classes {list(named)}, but must name each of {list(classes)}.")
    return [named[name] for name in classes]


def learned_from_rows(given: Any) -> bool:
    """Whether the rows have a say in it."""
    return given is None or (isinstance(given, str) and given == "smoothed")


# how EM is to search


class Watch(Protocol):
    """Shows progress: the same steps, one after the other."""

    def __call__(self, steps: Iterator[T], /) -> Iterator[T]: ...


@dataclass(frozen=True)
class Control:
    """How EM is to search, where something is hidden; what makes no sense is refused here, needed or not."""

    tol: float = 1e-6  # nats per row that a step must gain to go on
    max_iter: int = 500
    restarts: int = 10
    random_state: Seed = 0
    intervals: Any = None  # how to find what is left open about the parameters
    unlabelled_weight: Any = 1.0
    watch: Watch = iter

    def __post_init__(self) -> None:
        number(
            self.tol,
            "tol, how many nats per row a step of EM must gain to go on, must be 0 or more",
            lambda tol: tol >= 0,
        )
        whole(self.max_iter, "max_iter, the most steps EM may take, must be a whole number, 1 or more")
        whole(self.restarts, "restarts, the number of starts of EM, must be a whole number, 1 or more")
        seed(self.random_state)
        read_intervals(self.intervals)
        read_unlabelled_weight(self.unlabelled_weight)


def read_intervals(given: Any) -> tuple[str | None, int]:
    """The way, and how many samples of the rows are drawn in it."""
    way, draws = given if isinstance(given, tuple | list) and len(given) == 2 else (given, DRAWS)
    known = way is None or (isinstance(way, str) and way in WAYS)
    if not known or (way != BOOTSTRAP and way is not given):
        raise ParameterError(f"{EXPECTED_INTERVALS}; found {shown(given)}.")
    return way, whole(draws, f"{EXPECTED_INTERVALS}, 2 draws or more", least=2)


def read_unlabelled_weight(given: float | str) -> float | None:
    """None where it is left to the rows."""
    if isinstance(given, str) and given == AUTO:
        return None
    return number(given, EXPECTED_WEIGHT, lambda weight: 0 <= weight <= 1)
