"""Why a classifier of ours says what it says: odds as sums over columns, the calculation by hand, the nomogram.

In:  a fitted classifier, and rows.
Out: Explanation or Votes, Worked, Nomogram.
"""

from collections.abc import Mapping, Sequence
from typing import Any, overload

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from suffice.data.frames import by_name
from suffice.data.levels import Level, Levels, missing, plain
from suffice.data.table import IntoTable
from suffice.decisions.explain import Explanation, explained
from suffice.decisions.nomogram import Nomogram, nomogram_of
from suffice.decisions.votes import Votes, votes_of
from suffice.errors import ParameterError
from suffice.estimators.averaged import AveragedOneDependence
from suffice.estimators.decision import BayesDecision
from suffice.estimators.discriminative import LinearClassifier
from suffice.estimators.generative import GenerativeClassifier
from suffice.learn.densities import Densities
from suffice.model.averaged import AveragedJoint
from suffice.options import shown, switch
from suffice.reporting.worked import Worked, worked_of


@overload
def explain(
    model: AveragedOneDependence, X: IntoTable, between: Sequence[Level] | None = None, in_turn: bool = False
) -> Votes: ...


@overload
def explain(
    model: GenerativeClassifier | LinearClassifier,
    X: IntoTable,
    between: Sequence[Level] | None = None,
    in_turn: bool = False,
) -> Explanation: ...


def explain(
    model: GenerativeClassifier | LinearClassifier,
    X: IntoTable,
    between: Sequence[Level] | None = None,
    in_turn: bool = False,
) -> Explanation | Votes:
    """Explain why a row belongs to one class rather than another: its log odds, as a prior term plus a term per column.

    `between` names the two classes. It may be left out if there are only two: the second is then set against the
    first. Gaussian columns modelled together are measured from the midpoint between the means of the two classes. If
    the classes share a covariance, each column has one term, w_j (x_j − m_j); if not, each pair of columns has a term
    too ("a × b"), and there is one for the correlations as a whole. Other columns modelled together, and columns whose
    parameters are integrated out, share a single term; `in_turn=True` splits it into one term per column, given the
    columns before it. For an average of one-dependence models the result is Votes: what the model of each parent says,
    and its share.

    Raises
    ------
    TableError
        If the rows cannot be read, or lack a column of the model.
    ParameterError
        If a class is not known, or there are more than two and `between` is not given.
    NotFittedError
        If the model has not been fitted.

    >>> from suffice import GaussianDiscriminant, explain
    >>> means, narrow, wide = {"A": [0, 0], "B": [2, 2]}, [[1, 0.5], [0.5, 1]], [[2, 0], [0, 2]]
    >>> explain(GaussianDiscriminant.from_parameters(means, narrow), [[3, 1]], between=("B", "A"))
    ln odds of B against A
    term            ln odds
    x0 = 3          +2.6667
    prior log odds  +0.0000
    x1 = 1          +0.0000
    in all          +2.6667
    >>> explain(GaussianDiscriminant.from_parameters(means, {"A": narrow, "B": wide}), [[3, 1]], between=("B", "A"))
    ln odds of B against A
    term            ln odds
    x0 = 3          +4.0701
    x0 × x1         -0.8105
    x1 = 1          +0.0701
    prior log odds  +0.0000
    in all          +3.3297

    """
    turns = switch(in_turn, "in_turn")
    if isinstance(model, LinearClassifier):
        check_is_fitted(model)
        return model.model_.explained(X, read_pair(model.model_.classes, between))
    asked, pair = ours(model), read_pair(ours(model).joint.classes, between)
    table, unseen = asked.table(X), asked.recipe.unseen_as()
    if isinstance(asked.joint, AveragedJoint):
        return votes_of(asked.joint, table, pair, unseen)
    return explained(asked.joint, table, pair, unseen, turns)


def worked(model: GenerativeClassifier, row: Any, in_turn: bool = False) -> Worked:
    """Write out Bayes' rule for one row: p(x_j | class) by column and class, their product, evidence, posterior.

    `row` is {column: value} or a table with one row. Columns modelled together share one factor; `in_turn=True` splits
    it into a factor per column, given the columns before it.

    Raises
    ------
    TableError
        If the rows cannot be read, or lack a column of the model.
    ParameterError
        If there is more than one row.
    NotFittedError
        If the model has not been fitted.

    >>> from suffice import NaiveBayes, example, worked
    >>> melons, ripe = example("watermelon")
    >>> model = NaiveBayes(estimate="unbiased", smoothing=0).fit({"色泽": melons["色泽"], "密度": melons["密度"]}, ripe)
    >>> print(worked(model, {"色泽": "青绿", "密度": 0.697}))
    factor            否      是
    P(class)      0.5294  0.4706
    色泽 = 青绿   0.3333  0.3750
    密度 = 0.697  1.2033  1.9590
    product       0.2123  0.3457
    posterior     0.3805  0.6195
    <BLANKLINE>
    P(否) ∏ p(x_j | 否) = 0.5294 × 0.3333 × 1.2033 = 0.2123
    P(是) ∏ p(x_j | 是) = 0.4706 × 0.3750 × 1.9590 = 0.3457
    p(x) = 0.2123 + 0.3457 = 0.5581
    P(否 | x) = 0.2123 / 0.5581 = 0.3805
    P(是 | x) = 0.3457 / 0.5581 = 0.6195
    P(error | x) = 0.3805

    """
    turns = switch(in_turn, "in_turn")
    asked = ours(model)
    return worked_of(asked.joint, asked.table(one_row(row)), asked.recipe.unseen_as(), turns)


def nomogram(model: GenerativeClassifier, X: IntoTable, between: Sequence[Level] | None = None) -> Nomogram:
    """Compute how much each value of each column adds to the log odds between two classes.

    `X` is a table that shows the range of the numbers; `between` is as for `explain`.

    Raises
    ------
    TableError
        If the rows cannot be read, or lack a column of the model.
    ParameterError
        If columns are modelled together, or `between` does not name two classes.
    NotFittedError
        If the model has not been fitted.

    >>> from suffice import NaiveBayes, nomogram
    >>> sky = {"sky": ["clear", "grey", "grey", "clear"]}
    >>> nomogram(NaiveBayes().fit(sky, ["go", "stay", "stay", "go"]), sky)
    points of stay against go, in nats · prior +0.0000
    sky       clear     grey
    points  -1.0986  +1.0986

    """
    asked = ours(model)
    pair = read_pair(asked.joint.classes, between)
    return nomogram_of(asked.joint, asked.table(X), pair)


def one_row(row: Any) -> Any:
    """A table of one row, from {column: value} or as it is."""
    named = by_name(row)
    single = isinstance(named, Mapping) and all(missing(cell) or np.isscalar(cell) for cell in named.values())
    return {name: [cell] for name, cell in named.items()} if single else row


def ours(model: BaseEstimator) -> Densities:
    """Return the model of a fitted classifier that has densities; refuse any other."""
    if not isinstance(model, GenerativeClassifier):
        inside = " Use the classifier inside it, estimator_." if isinstance(model, BayesDecision) else ""
        raise ParameterError(
            f"This needs a fitted classifier with densities, such as NaiveBayes; found {type(model).__name__}.{inside}"
        )
    check_is_fitted(model)
    return model.model_


def read_pair(classes: Levels, between: Any) -> tuple[Level, Level]:
    """Two classes, the one that positive log odds speak for first."""
    if between is None and len(classes) == 2:
        return classes[1], classes[0]
    listed = isinstance(between, list | tuple) or (isinstance(between, np.ndarray) and between.ndim == 1)
    if not listed or len(between) != 2:
        found = "" if between is None else f"; found {shown(between)}"
        raise ParameterError(f"Say between which two of {list(classes)}: between=(a, b){found}.")
    unknown = [name for name in between if not _among(name, classes)]
    if unknown:
        raise ParameterError(f"There is no class {unknown[0]!r}; the model has {list(classes)}.")
    first, second = (plain(name) for name in between)
    if first == second:
        raise ParameterError(f"There are no odds between {first!r} and itself; name two of {list(classes)}.")
    return first, second


def _among(name: Level, classes: Levels) -> bool:
    """Tell whether a name is one of the classes; a value that has no hash is none."""
    try:
        return plain(name) in set(classes)
    except TypeError:
        return False
