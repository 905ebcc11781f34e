"""Stage 3, what it gains to let one column depend on another: the weights of the arcs that a tree is chosen from.

In:  the pairs of a summary, and which columns are categories, numbers, or others, which only depend.
Out: by (parent, child) the gain in log likelihood, over all rows ("information"), the same both ways where both are
     allowed; or in log evidence ("evidence"). Each is of the rows where both cells are there; two columns that are
     never there together have no arc.

    two categories            Σ p(c, a, b) ln p(a, b | c) / (p(a | c) p(b | c))
    a number, by category     ½ Σ p(c) (ln σ²_c − Σ p(b | c) ln σ²_cb)
    two numbers               −½ Σ p(c) ln(1 − ρ²_c)

Variances and correlations are those under a weak prior, so that a class and level with one row stays finite.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations

import numpy as np
from scipy.special import xlogy

from suffice.arrays import Array, side_by_side
from suffice.families.cells.categorical import Categorical
from suffice.families.counts import Counts
from suffice.families.gaussian.family import Gaussian
from suffice.families.gaussian.moments import Moments
from suffice.families.gaussian.shapes import FULL
from suffice.families.given import over_levels
from suffice.families.pairs import within
from suffice.families.protocol import Family, S
from suffice.families.tree.lines import marginal_prior
from suffice.model.pairs import Pairs
from suffice.model.piece import Piece

Gains = dict[tuple[str, str], float]  # of (parent, child)


@dataclass(frozen=True)
class Roles:
    """Columns of a table, each in its order: what they may be in a tree."""

    categories: tuple[str, ...]
    numbers: tuple[str, ...]  # which other numbers may depend on
    others: tuple[str, ...]  # which may depend on a category only

    @property
    def names(self) -> tuple[str, ...]:
        return (*self.categories, *self.numbers, *self.others)


def information(pairs: Pairs, roles: Roles, rows: float) -> Gains:
    """Gains in log likelihood, for each of all rows."""
    out: Gains = {}
    for a, b in combinations(roles.categories, 2):
        counts = pairs.counts(a, b)
        if counts.any():
            out[a, b] = out[b, a] = conditional_information(counts)
    for parent in roles.categories:
        for child, piece, levels in _children(pairs, roles, parent):
            out[parent, child] = likelihood_gain(piece.family, piece.statistics, levels)
    for pair, gain in _between_numbers(pairs, roles.numbers, information_of_two):
        out[pair] = out[pair[::-1]] = gain
    return {arc: gain / rows for arc, gain in out.items()}


def evidence(pairs: Pairs, roles: Roles, smoothing: float) -> Gains:
    """Gains in log evidence, under the priors of the model with its parameters integrated out."""
    out: Gains = {}
    for parent, child in permutations(roles.categories, 2):
        counts = pairs.counts(parent, child)
        if counts.any():
            out[parent, child] = dirichlet_gain(counts, smoothing)
    for parent in roles.categories:
        for child, piece, levels in _children(pairs, roles, parent):
            out[parent, child] = evidence_gain(piece.family, piece.statistics, levels, smoothing)
    for pair, gain in _between_numbers(pairs, roles.numbers, evidence_of_two):
        out[pair] = out[pair[::-1]] = gain
    return out


def _children(pairs: Pairs, roles: Roles, parent: str) -> Iterator[tuple[str, Piece, int]]:
    """Columns that are no categories, by level of one, where they vary; and how many levels it has."""
    levels = len(pairs.layout.column(parent).levels)
    for child in (*roles.numbers, *roles.others):
        piece = pairs.given(parent, child)
        if not piece.family.constant(piece.statistics):
            yield child, piece, levels


# two categories: counts (K, S, S′)


def conditional_information(counts: Array) -> float:
    """Σ n ln n n_c / (n_a n_b): nats of all rows."""
    sums = (counts, counts.sum(axis=(1, 2)), counts.sum(axis=2), counts.sum(axis=1))
    both, of_class, first, second = (float(xlogy(part, part).sum()) for part in sums)
    return both + of_class - first - second


def dirichlet_gain(counts: Array, smoothing: float) -> float:
    """Of the second category, with a table for each level of the first instead of one for each class."""
    prior = Categorical([range(counts.shape[2])]).symmetric(smoothing)
    own, classes = cell_counts(counts.reshape(-1, counts.shape[2])), cell_counts(counts.sum(axis=1))
    return float(prior.log_evidence(own).sum() - prior.log_evidence(classes).sum())


def cell_counts(counts: Array) -> Counts:
    """The record of one column of categories, from its counts."""  # (K, S)
    nothing = np.zeros((len(counts), 1))
    return Counts(counts.sum(axis=1), counts, nothing[:, :0], nothing)


# another column, by level of a category


def likelihood_gain(family: Family[S], own: S, levels: int) -> float:
    """Of components class × level instead of classes: nats of all rows."""
    classes = over_levels(own, levels)
    as_it_is = family.symmetric(1.0)  # of a table of counts
    if as_it_is is not None:
        return family.worth(as_it_is, own) - family.worth(as_it_is, classes)
    return family.worth(family.weak_given(own, levels), own) - family.worth(family.weak(classes), classes)


def evidence_gain(family: Family[S], own: S, levels: int, smoothing: float) -> float:
    classes, table = over_levels(own, levels), family.symmetric(smoothing)
    priors = (table, table) if table is not None else (family.weak_given(own, levels), family.weak(classes))
    return float(priors[0].log_evidence(own).sum() - priors[1].log_evidence(classes).sum())


# two numbers: moments with components pair × class


def _between_numbers(
    pairs: Pairs, names: Sequence[str], worth: Callable[[Moments, int], Array]
) -> Iterator[tuple[tuple[str, str], float]]:
    """Gains of every two numbers that vary where both are there."""
    every = list(combinations(names, 2))
    if not every:
        return
    moments = pairs.moments_of(every)
    vary = (moments.pooled(len(every))[1] > 0).all(axis=1)
    some = np.flatnonzero(vary)
    if len(some):
        gains = worth(moments.only(within(some, pairs.classes)), len(some))
        yield from ((every[p], float(gain)) for p, gain in zip(some, gains, strict=True))


def information_of_two(moments: Moments, pairs: int) -> Array:
    """−½ Σ n_c ln(1 − ρ²_c) of each pair: nats of all rows."""  # (P,)
    scatter = Gaussian(2, FULL, models=pairs).weak(moments).after(moments).scatter
    correlation = scatter[:, 0, 1] / np.sqrt(scatter[:, 0, 0]) / np.sqrt(scatter[:, 1, 1])  # in any unit
    return np.asarray(side_by_side(-0.5 * moments.weight * np.log1p(-(correlation**2)), pairs).sum(axis=1))


def evidence_of_two(moments: Moments, pairs: int) -> Array:
    """Ln E(i, j) − ln E(i) − ln E(j), with the marginals of one normal–inverse-Wishart prior."""  # (P,)
    prior = Gaussian(2, FULL, models=pairs).weak(moments)
    gained = prior.log_evidence(moments) - sum(
        marginal_prior(prior, i).log_evidence(moments.take([i]).alone()) for i in (0, 1)
    )
    return np.asarray(side_by_side(gained, pairs).sum(axis=1))
