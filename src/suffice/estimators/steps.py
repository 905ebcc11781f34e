"""EM to look at: every state on the way, and the bound that each step raises, for teaching."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import entr
from sklearn.utils.validation import check_is_fitted

from suffice.arrays import Array, log_sum_exp
from suffice.data.frames import named_apart
from suffice.data.labelled import Classes
from suffice.data.labels import IntoLabels
from suffice.data.source import Source
from suffice.data.table import IntoTable
from suffice.data.weights import Weights, row_weights
from suffice.errors import HiddenLabelsError, ParameterError
from suffice.estimators.density_face import DensityFace
from suffice.estimators.generative import GenerativeClassifier
from suffice.estimators.unlabelled import IntoStart, Unlabelled, read_start
from suffice.learn.densities import Densities, headed
from suffice.learn.generative import Generative
from suffice.learn.mixture import MixtureModel, unlabelled
from suffice.learn.unlabelled_weight import weighed, weight_for
from suffice.model.em.run import Beginning, Problem, initial_memberships
from suffice.model.em.search import Run, drawn_by
from suffice.model.em.starts import KMEANS
from suffice.model.joint import Joint
from suffice.model.rules import Control
from suffice.options import numbers
from suffice.printing.description import Description, Text, facts
from suffice.printing.language import word
from suffice.printing.numbers import fixed
from suffice.printing.printed import Printed


@dataclass(frozen=True, eq=False, repr=False)
class State(Printed):
    """One state of EM: the parameters θ, and what they say about the rows.

    They were learned from memberships q under the parameters θ⁽ⁱ⁾ of the step before, so that bound = Q + entropy and
    log likelihood = bound + kl. Missing cells of columns modelled together count as hidden.
    """

    step: int  # M steps so far
    memberships: Array = field(repr=False)  # (N, K) P(component | row) under these parameters: the next E step
    joint: Joint = field(repr=False)
    log_likelihood: float
    Q: float  # Q(θ, θ⁽ⁱ⁾) = E ln p(rows, components | θ) under q
    entropy: float  # of q
    bound: float  # L(q, θ)
    kl: float  # KL(q ‖ P(component | row, θ))
    objective: float  # log likelihood + log prior
    headings: tuple[str, str] = field(default=("component", "weight"), repr=False)

    def description(self) -> Description:
        numbers = of_bound(self) | {word("objective"): self.objective}
        return Description((word("EM, step {n}", n=self.step),), [facts(numbers, fixed(4))])

    def tables(self) -> dict[str, dict[str, Array]]:
        """The parameters by column; the table "component", or "class", says how common each is."""
        noun, share = self.headings
        return headed(noun, {share: self.joint.prevalence}, self.joint.tables())


@dataclass(frozen=True, repr=False)
class Bound(Printed):
    """L(q, θ) = Q + entropy, which is the log likelihood minus KL(q ‖ P(component | row, θ))."""

    bound: float
    Q: float  # E ln p(rows, components | θ) under q
    entropy: float  # of q
    kl: float
    log_likelihood: float

    def __float__(self) -> float:
        return self.bound

    def description(self) -> Description:
        return Description((), [facts(of_bound(self), fixed(4))])


def of_bound(found: State | Bound) -> dict[Text, float]:
    """Log likelihood = bound + KL, bound = Q + entropy."""
    told: dict[Text, float] = {"Q": found.Q, word("entropy of q"): found.entropy, word("bound L(q, θ)"): found.bound}
    return told | {word("KL(q ‖ posterior)"): found.kl, word("log likelihood"): found.log_likelihood}


def em_steps(
    model: Unlabelled | GenerativeClassifier,
    X: IntoTable,
    y: IntoLabels = None,
    sample_weight: Weights = None,
    *,
    classes: Classes = None,
    start: IntoStart | None = None,
) -> Iterator[State]:
    """Every state of EM until it converges, from the model's own start (the first of its restarts) or from another.

    `start` is what a Mixture takes: a model (also one made by from_tables or from_parameters), tables, components or
    memberships. Classifiers take labels `y`, some of them unknown, or the classes that each row may belong to,
    {class: 0 or 1 for each row}; labels win over whatever a start says about them.

    Raises
    ------
    TableError
        If the rows cannot be read as a table.
    ParameterError
        If the model has no EM, the start does not fit, or a classifier is given no labels.
    HiddenLabelsError
        If nothing is hidden, so that there are no steps.
    TooManyComponentsError
        If there are fewer rows than components.

    There are two coins; in each row one of them was tossed ten times, and nobody knows which:

    >>> from suffice import NaiveBayes, em_steps
    >>> kinds, even = {"heads": ("binomial", 10)}, {"class": ["A", "B"], "prior": [0.5, 0.5]}
    >>> guess = NaiveBayes.from_tables(
    ...     {"class": even, "heads": {"success": [0.6, 0.5], "failure": [0.4, 0.5]}}, kinds
    ... )
    >>> coins = NaiveBayes(kinds=kinds, priors="uniform", smoothing=0)
    >>> states = em_steps(coins, {"heads": [5, 9, 8, 4, 7]}, {"A": [1] * 5, "B": [1] * 5}, start=guess)
    >>> first = next(states)
    >>> first.tables()["heads"]["success"].round(4).tolist()
    [0.713, 0.5813]
    >>> round(first.Q + first.entropy, 3), round(first.bound, 3), round(first.log_likelihood, 3)
    (-10.224, -10.224, -10.086)

    """
    if isinstance(model, Unlabelled):
        problem, begin = _without_labels(model, Source.of(X, y, sample_weight), start)
        control, names = model.recipe().control(), (MixtureModel.NOUN, MixtureModel.SHARE)
    elif isinstance(model, GenerativeClassifier):
        problem, begin = _with_labels(model, Source.of(X, y, sample_weight, classes), start)
        control, names = model.recipe().control(), (Densities.NOUN, Densities.SHARE)
    else:
        raise ParameterError(
            f"em_steps shows how EM fits a mixture, or a classifier with hidden labels; found {type(model).__name__}."
        )
    return _states(problem, begin, control, names)


def _without_labels(model: Unlabelled, source: Source, start: IntoStart | None) -> tuple[Problem, Beginning]:
    model = model if start is None else model.with_settings({"start": start})
    recipe = model.recipe()
    recipe.check()
    known = unlabelled(source.X, source.sample_weight)
    recipe.refuse_few(known.table.rows)
    return recipe.posed(known, recipe.plan(known.table)), model.beginning(source, known)


def _with_labels(model: GenerativeClassifier, source: Source, start: IntoStart | None) -> tuple[Problem, Beginning]:
    if source.y is None:
        raise ParameterError(
            f"For a classifier such as {type(model).__name__}, em_steps needs labels y, some or all of them unknown "
            "(None); found no y."
        )
    recipe = model.settled()
    assert isinstance(recipe, Generative)  # as those of all classifiers with EM
    known = source.known(recipe.unknown)
    if known.labels.hidden:
        known = weighed(known, weight_for(recipe, known))
    label_evidence = recipe.label_evidence(known.labels)
    if label_evidence is None:
        raise HiddenLabelsError(
            "Nothing is hidden here: every row that counts has a class, each class one component, and labels are never "
            "wrong, so there are no steps of EM. Give None for labels that are not known, or components=2."
        )
    begin = KMEANS if start is None else read_start(start, model.kinds, Densities)
    return recipe.posed(known, recipe.plan(known.table), label_evidence), begin


def _states(problem: Problem, begin: Beginning, control: Control, headings: tuple[str, str]) -> Iterator[State]:
    [rng] = drawn_by(control.random_state, 1)
    run = Run.of(problem.rows, initial_memberships(problem, begin, rng), control.tol)
    return _shown(problem, run, control, headings)


def _shown(problem: Problem, run: Run, control: Control, headings: tuple[str, str]) -> Iterator[State]:
    for number, step in enumerate(run.steps, start=1):
        run.keep(step)
        yield State(
            number,
            np.concatenate([some for _, some in problem.rows.memberships(step.parameters)]),
            problem.joint(step.parameters),
            step.expected.log_likelihood,
            step.complete,
            step.entropy,
            step.bound,
            step.gap,
            step.objective,
            headings,
        )
        if run.converged or number >= control.max_iter:
            return


def bound(model: DensityFace, X: IntoTable, memberships: ArrayLike, sample_weight: Weights = None) -> Bound:
    """The bound L(q, θ) of a fitted model, or of one with given parameters, for memberships q of your own.

    `memberships` holds (N, K) shares of the components in each row, or one component 0 … K − 1 for each row. The bound
    equals the log likelihood if q is the model's own posterior, and is less for any other q.

    Raises
    ------
    ParameterError
        If `memberships` are not shares of the components that sum to 1.
    NotFittedError
        If the model has not been fitted.

    >>> from suffice import Mixture, bound
    >>> model = Mixture.from_parameters([[0.0], [4.0]], [[[1.0]], [[1.0]]], [0.5, 0.5])
    >>> rows = [[0.0], [1.0], [2.0], [5.0]]
    >>> found = bound(model, rows, [[1, 0], [1, 0], [0.5, 0.5], [0, 1]])
    >>> round(found.bound, 4), round(found.log_likelihood, 4), round(found.kl, 4)
    (-8.7552, -8.7367, 0.0185)
    >>> bound(model, rows, model.predict_proba(rows)).kl < 1e-12
    True

    """
    if not isinstance(model, DensityFace):
        raise ParameterError(f"bound needs a model of suffice; found {type(model).__name__}.")
    check_is_fitted(model)
    X, sample_weight = named_apart(X, sample_weight)
    logs = model.model_.log_components(model.model_.table(X))
    weights = row_weights(sample_weight, len(logs))
    shares = _shares(memberships, *logs.shape)
    complete = float(weights @ (shares * np.where(shares > 0, logs, 0.0)).sum(axis=1))
    entropy, likelihood = float(weights @ entr(shares).sum(axis=1)), float(weights @ log_sum_exp(logs))
    return Bound(complete + entropy, complete, entropy, likelihood - complete - entropy, likelihood)


def _shares(given: ArrayLike, rows: int, components: int) -> Array:
    values = numbers(given, "memberships")
    if values.shape == (rows,) and set(np.unique(values)) <= set(range(components)):
        return np.eye(components)[values.astype(np.intp)]
    if values.shape != (rows, components) or not ((values >= 0).all() and np.allclose(values.sum(axis=1), 1)):
        raise ParameterError(
            f"memberships must be ({rows}, {components}) shares that sum to 1 in each row, or a component from 0 to "
            f"{components - 1} for each row; found an array of shape {values.shape}."
        )
    return values
