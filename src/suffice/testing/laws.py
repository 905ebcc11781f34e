"""The laws that every family keeps. What keeps them can be summed, merged, fitted, left out and predicted with.

In:  a Case and a random generator.
Out: nothing, or an AssertionError. Each law is one function, and `LAWS` has them all.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import logsumexp

from suffice.arrays import Array, Codes
from suffice.errors import NotInSummaryError
from suffice.families.accumulator import RowAccumulator
from suffice.families.leave_one_out import one_by_one
from suffice.families.memberships import Soft, memberships
from suffice.families.protocol import Block, Density, Family, LastStep, Parametric, Prior, Statistics
from suffice.testing.case import Case, K, log_likelihood

DRAWS = 2000
HOW = ("low", "doubt", "seal", "merging")  # endings of arrays that tell how a record was computed, not what it says


@dataclass(frozen=True)
class Law:
    name: str
    check: Callable[[Case, np.random.Generator], None]
    concerns: Callable[[Case], bool]

    def __str__(self) -> str:
        return self.name


LAWS: list[Law] = []


def law(concerns: Callable[[Case], bool] = lambda case: True) -> Callable[[Any], Any]:
    """Join the laws; the docstring is what the law says."""

    def join(check: Callable[[Case, np.random.Generator], None]) -> Any:
        LAWS.append(Law((check.__doc__ or "").split(".")[0], check, concerns))
        return check

    return join


def said(statistics: Statistics) -> dict[str, Array]:
    return {name: array for name, array in statistics.arrays().items() if not name.endswith(HOW)}


def same(a: Statistics, b: Statistics, tolerance: float = 1e-10) -> None:
    mine, theirs = said(a), said(b)
    for name in mine | theirs:  # what one record does not have is nothing
        found, expected = mine.get(name, np.zeros(())), theirs.get(name, np.zeros(()))
        np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance, err_msg=name)


def close(a: Any, b: Any, tolerance: float = 1e-9) -> None:
    np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)


# statistics add


@law()
def parts_add_up(case: Case, rng: np.random.Generator) -> None:
    """Parts add up in any order, and nothing is neutral."""
    block, labels = case.rows(rng)
    parts = [case.learned(block[rows], labels[rows]) for rows in np.array_split(rng.permutation(len(block)), 4)]
    whole = case.learned(block, labels)
    same(parts[2] + (parts[0] + parts[3]) + parts[1], whole)
    nothing = case.learned(block[:0], labels[:0])
    same(whole + nothing, whole)
    same(nothing + whole, whole)


@law()
def rows_can_be_taken_away(case: Case, rng: np.random.Generator) -> None:
    """Rows taken away were never there."""
    block, labels = case.rows(rng)
    a, b = (case.learned(block[rows], labels[rows]) for rows in np.array_split(rng.permutation(len(block)), 2))
    same((a + b) - b, a, 1e-8)
    nothing = (a + b) - a - b
    same(nothing, a - a, 1e-8)
    assert np.allclose(nothing.weight, 0)


@law()
def strange_rows_cannot_be_taken_away(case: Case, rng: np.random.Generator) -> None:
    """Rows that were never there cannot be taken away."""
    block, labels = case.rows(rng)
    try:
        case.learned(block[:9], labels[:9]) - case.learned(block, labels)
    except NotInSummaryError:
        return
    raise AssertionError("more rows than there are were taken away without an error")


@law()
def weights_count_rows(case: Case, rng: np.random.Generator) -> None:
    """Weight 2 is the row twice, weight 0 the row absent."""
    block, labels = case.rows(rng)
    times = rng.integers(0, 4, len(labels))
    again = np.repeat(np.arange(len(labels)), times)
    same(case.learned(block, labels, times.astype(float)), case.learned(block[again], labels[again]))


@law()
def memberships_split(case: Case, rng: np.random.Generator) -> None:
    """Split memberships add to the whole, dense or sparse."""
    block, labels = case.rows(rng)
    shares, weights = rng.dirichlet(np.ones(K), len(labels)), rng.random(len(labels))
    for kind in (np.asarray, sparse.csr_array, sparse.csc_array):
        single = [
            case.family.statistics(block, memberships(kind(shares * (np.arange(K) == k)), K, weights)) for k in range(K)
        ]
        same(single[0] + single[1] + single[2], case.family.statistics(block, memberships(kind(shares), K, weights)))
        hard = case.family.statistics(block, memberships(kind(np.eye(K)[labels]), K, weights))
        same(hard, case.learned(block, labels, weights))


@law()
def components_can_be_moved(case: Case, rng: np.random.Generator) -> None:
    """Statistics of some components, in another order or among more, are those of the same rows."""
    block, labels = case.rows(rng)
    order = np.array([4, 0, 2])
    wide = case.family.statistics(block, memberships(order[labels], 5))
    same(case.learned(block, labels).onto(order, 5), wide)
    same(wide.only(order), case.learned(block, labels))


@law(lambda case: not case.together)
def columns_can_be_taken(case: Case, rng: np.random.Generator) -> None:
    """What rows say about some of the columns is what those columns say."""
    block, labels = case.rows(rng)
    for columns in ([case.family.columns - 1], list(range(case.family.columns))[::-1]):
        family = case.family.take(columns)
        same(
            case.family.marginal(case.learned(block, labels), columns),
            family.statistics(block[:, columns], memberships(labels, K)),
        )


@law()
def statistics_are_restored(case: Case, rng: np.random.Generator) -> None:
    """Stored and restored is the same, and merges the same."""
    statistics, more = (case.learned(*case.rows(rng)) for _ in range(2))
    again = case.family.restored(statistics.arrays(), K)
    for found, expected in ((again, statistics), (again + more, statistics + more)):
        same(found, expected, 0.0)


# densities


@law()
def log_density_is_the_oracles(case: Case, rng: np.random.Generator) -> None:
    """Log densities are the oracle's, with parameters known or integrated out."""
    block, _ = case.rows(rng)
    close(case.truth.log_density(block), case.plug_in(case.truth, block))
    belief = case.belief(rng)
    close(belief.predictive().log_density(block), case.predictive(belief, block))


@law(lambda case: case.everything is not None)
def probabilities_sum_to_one(case: Case, rng: np.random.Generator) -> None:
    """Probabilities sum to one."""
    assert case.everything is not None
    for density in (case.truth, case.belief(rng).predictive()):
        np.testing.assert_allclose(logsumexp(density.log_density(case.everything()), axis=0), 0, atol=1e-6)


@law(lambda case: case.to_line is not None)
def densities_integrate_to_one(case: Case, rng: np.random.Generator) -> None:
    """Densities integrate to one."""
    assert case.to_line is not None
    columns = case.family.columns
    points = {1: 20000, 2: 900}[columns]
    u = (np.arange(points) + 0.5) / points
    grid = np.stack(np.meshgrid(*[u] * columns), axis=-1).reshape(-1, columns)
    x, jacobian = case.to_line(grid)
    cell = np.log(jacobian).sum(axis=1) - columns * np.log(points)
    for density in (case.truth, case.belief(rng).predictive()):
        np.testing.assert_allclose(logsumexp(density.log_density(x) + cell[:, None], axis=0), 0, atol=2e-3)


@law()
def scores_differ_by_a_common_term(case: Case, rng: np.random.Generator) -> None:
    """Scores are log densities up to a term common to all components."""
    block, _ = case.rows(rng)
    for density in (case.truth, case.belief(rng).predictive()):
        off = density.scores(block) - density.log_density(block)
        close(off, np.repeat(off[:, :1], K, axis=1))


@law()
def densities_of_some_components(case: Case, rng: np.random.Generator) -> None:
    """A density of some components, or of each row's own, says the same of them."""
    block, labels = case.closed(rng)
    whole = case.truth.log_density(block)
    close(case.truth.only(np.array([2, 0])).log_density(block), whole[:, [2, 0]])
    close(case.truth.only(labels).paired(block), whole[np.arange(len(labels)), labels])


@law()
def parameters_are_restored(case: Case, rng: np.random.Generator) -> None:
    """Parameters stored and restored are the same density."""
    block, _ = case.rows(rng)
    again = case.family.density(case.truth.arrays(), K)
    np.testing.assert_array_equal(again.log_density(block), case.truth.log_density(block))


@law(lambda case: not case.together)
def columns_of_a_density(case: Case, rng: np.random.Generator) -> None:
    """A density of columns that are independent is the product of each by itself."""
    block, _ = case.rows(rng)
    for density in (case.truth, case.belief(rng).predictive()):
        if density.independent:
            alone = [density.take([j]).log_density(block[:, [j]]) for j in range(case.family.columns)]
            close(sum(alone), density.log_density(block))


@law(lambda case: not case.hidden)
def likelihood_follows_from_statistics(case: Case, rng: np.random.Generator) -> None:
    """The likelihood of rows follows from their statistics."""
    block, labels = case.rows(rng)
    found = case.truth.log_likelihood(case.learned(block, labels))
    close(found, log_likelihood(case.truth, block, labels))


# beliefs


@law(lambda case: not case.known)
def flat_mode_is_best(case: Case, rng: np.random.Generator) -> None:
    """The mode of the flat belief beats every other parameter, and is maximum likelihood."""
    block, labels = case.closed(rng, 60)
    flat, statistics = case.family.flat(K), case.learned(block, labels)
    best = log_likelihood(flat.after(statistics).mode(), block, labels)
    for _ in range(20):
        other = flat.after(case.learned(block, labels, rng.uniform(0.5, 1.5, len(labels)))).mode()
        assert log_likelihood(other, block, labels) < best
    close(log_likelihood(case.prior.maximum_likelihood(statistics), block, labels), best)


@law(lambda case: bool(case.known))
def maximum_likelihood_is_best(case: Case, rng: np.random.Generator) -> None:
    """Where something is known, maximum likelihood beats every other value of what is not."""
    block, labels = case.closed(rng, 60)
    best = log_likelihood(case.prior.maximum_likelihood(case.learned(block, labels)), block, labels)
    for _ in range(20):
        weights = rng.uniform(0.5, 1.5, len(labels))
        other = case.prior.maximum_likelihood(case.learned(block, labels, weights))
        assert log_likelihood(other, block, labels) < best


@law()
def mode_is_best(case: Case, rng: np.random.Generator) -> None:
    """The mode beats every other parameter under the prior."""
    block, labels = case.closed(rng, 60)
    raised = case.prior.after(case.learned(block, labels, np.full(len(labels), 0.3)))

    def worth(density: Parametric[Any]) -> float:
        return log_likelihood(density, block, labels) + raised.log_density(density)

    best = worth(raised.after(case.learned(block, labels)).mode())
    for _ in range(20):
        other = raised.after(case.learned(block, labels, rng.uniform(0.5, 1.5, len(labels)))).mode()
        assert worth(other) < best + 1e-9


@law()
def learning_in_turn(case: Case, rng: np.random.Generator) -> None:
    """Learning in turn is learning together."""
    block, labels = case.closed(rng)
    a, b = case.learned(block, labels), case.learned(*case.closed(rng))
    in_turn, together = case.prior.after(a).after(b), case.prior.after(a + b)
    for step in LastStep:
        close(step.of(in_turn).log_density(block), step.of(together).log_density(block), 1e-10)


@law()
def predictive_is_a_ratio(case: Case, rng: np.random.Generator) -> None:
    """The predictive is a ratio of evidences."""
    before = case.learned(*case.closed(rng))
    new, components = case.closed(rng, 6)
    predicted = case.prior.after(before).predictive().log_density(new)
    for i, k in enumerate(components):
        row = case.learned(new[i : i + 1], components[i : i + 1])
        gained = case.prior.log_evidence(before + row).sum() - case.prior.log_evidence(before).sum()
        close(gained, predicted[i, k], 1e-8)


@law()
def candidates_formula(case: Case, rng: np.random.Generator) -> None:
    """Evidence is likelihood times prior over posterior, whatever the parameters: it ties all constants together."""
    block, labels = case.closed(rng)
    statistics = case.learned(block, labels)
    after = case.prior.after(statistics)
    for density in (after.mean(), after.after(statistics).mean()):
        evidence = log_likelihood(density, block, labels) + case.prior.log_density(density) - after.log_density(density)
        close(evidence, case.prior.log_evidence(statistics).sum())


@law(lambda case: not case.known)
def weak_prior_is_proper(case: Case, rng: np.random.Generator) -> None:
    """The weak prior is proper, for labelled components and for others."""
    statistics = case.learned(*case.closed(rng))
    assert np.isfinite(case.family.weak(statistics).log_evidence(statistics)).all()
    pooled = statistics.only(np.array([0])) + statistics.only(np.array([1])) + statistics.only(np.array([2]))
    assert np.isfinite(case.family.weak_unlabelled(pooled, K).log_evidence(statistics)).all()


@law()
def components_have_no_order(case: Case, rng: np.random.Generator) -> None:
    """Components in another order are the same components."""
    block, labels = case.closed(rng)
    order = np.array([2, 0, 1])
    one = case.prior.after(case.learned(block, labels)).mode().log_density(block)
    other = case.prior.after(case.learned(block, order[labels])).mode().log_density(block)
    close(other[:, order], one, 1e-10)


@law()
def units_do_not_matter(case: Case, rng: np.random.Generator) -> None:
    """Shifts and scales change log densities by the Jacobian only."""
    block, labels = case.closed(rng)
    for shift, scale in case.moves:
        jacobian = (~np.isnan(block) * np.log(scale)).sum(axis=1, keepdims=True)
        moved = block * scale + shift
        for before, after in zip(_estimates(case, block, labels), _estimates(case, moved, labels), strict=True):
            close(after.log_density(moved), before.log_density(block) - jacobian, 1e-6)


def _estimates(case: Case, block: Block, labels: Codes) -> list[Density]:
    """Modes under every prior that a family has of its own."""
    family, statistics = case.family, case.learned(block, labels)
    priors = (family.flat(K), family.unbiased(K), family.reference(K), family.weak(statistics))
    return [prior.after(statistics).mode() for prior in priors]


# samples and draws


@law()
def samples_lead_back(case: Case, rng: np.random.Generator) -> None:
    """Samples lead back to the parameters they came from."""
    block, labels = case.rows(rng, 60_000, missing=False)
    found = case.family.flat(K).after(case.learned(block, labels)).mode()
    np.testing.assert_allclose(found.log_density(block[:50]), case.truth.log_density(block[:50]), rtol=0.1, atol=0.2)


@law()
def samples_follow_the_predictive(case: Case, rng: np.random.Generator) -> None:
    """Samples of the predictive follow it: over samples of p the mean of q/p is 1 for any q inside p."""
    belief = case.belief(rng, 200)
    predictive, labels = belief.predictive(), np.repeat(np.arange(K), 20_000)
    block = predictive.sample(labels, rng)
    ratio = np.exp((belief.mode().log_density(block) - predictive.log_density(block))[np.arange(len(labels)), labels])
    error = ratio.std() / np.sqrt(len(ratio))
    assert error < 0.02
    assert abs(ratio.mean() - 1) < 5 * error + 1e-12


def _entries(tables: dict[str, dict[str, Any]]) -> dict[tuple[str, str], Any]:
    return {(title, heading): entry for title, table in tables.items() for heading, entry in table.items()}


def _names(case: Case) -> list[str]:
    return [f"column {j}" for j in range(case.family.columns)]


def _average(sample: Any, expected: Any) -> None:
    """Within four standard errors of the average over draws."""
    error = np.std(sample, axis=0) / np.sqrt(len(sample))
    assert np.all(np.abs(np.mean(sample, axis=0) - expected) <= 4 * error + 1e-12)


@law()
def draws_follow_the_marginals(case: Case, rng: np.random.Generator) -> None:
    """Draws of the parameters follow the marginals."""
    belief = case.belief(rng, 200)
    entries = [_entries(belief.draw(rng).tables(_names(case))) for _ in range(DRAWS)]
    shown = {key: np.stack([entry[key] for entry in entries]) for key in entries[0]}
    shown |= {(t, h.replace("sd", "variance")): sd**2 for (t, h), sd in shown.items() if h.startswith("sd")}
    for key, marginal in _entries(belief.marginals(_names(case))).items():
        mean = marginal.mean()
        _average(shown[key], mean)
        _average((shown[key] - mean) ** 2, marginal.var())


@law()
def believed_entries_have_marginals(case: Case, rng: np.random.Generator) -> None:
    """Every entry of a table that is believed has a marginal."""
    entries = set(_entries(case.prior.mean().tables(_names(case))))
    without = entries - set(_entries(case.prior.marginals(_names(case))))
    excused = tuple(filter(None, (case.known, *case.unshown)))
    assert all(title.startswith("correlation of ") or heading.startswith(excused) for title, heading in without)


@law()
def expected_log_density_is_an_average(case: Case, rng: np.random.Generator) -> None:
    """The expected log density is the average over draws."""
    belief = case.belief(rng, 200)
    draws = [belief.draw(rng) for _ in range(DRAWS)]
    for other in (belief, case.prior):
        _average([other.log_density(density) for density in draws], belief.expected_log_density(other).sum())


@law()
def divergence_is_positive(case: Case, rng: np.random.Generator) -> None:
    """The divergence between different beliefs is positive."""
    belief = case.belief(rng, 200)
    other = belief.after(case.learned(*case.closed(rng)))
    for p, q in ((belief, other), (other, belief)):
        assert np.all(p.expected_log_density(p) > p.expected_log_density(q))


@law()
def draws_have_the_shape_of_the_mean(case: Case, rng: np.random.Generator) -> None:
    """Draws are densities of the same shapes as the mean."""
    belief, (block, _) = case.belief(rng), case.rows(rng)
    assert belief.draw(rng).log_density(block).shape == (len(block), K)
    drawn, mean = belief.draw(rng).arrays(), belief.mean().arrays()
    assert {name: array.shape for name, array in drawn.items()} == {name: array.shape for name, array in mean.items()}


# what rows are read for more than once


@law(lambda case: not case.known)
def rows_are_left_out(case: Case, rng: np.random.Generator) -> None:
    """Leaving a row out is learning without it."""
    block, labels = case.closed(rng)
    weights = rng.uniform(0.5, 2.0, len(labels))
    statistics = case.learned(block, labels, weights)
    for step in LastStep:
        rule = _WeakRule(step)
        found = case.family.leave_one_out(block, labels, weights, statistics, rule)
        plain = one_by_one(case.family, block, labels, weights, statistics, rule)
        kept = ~found.lost & ~plain.lost
        assert kept.sum() > len(labels) / 2
        close(found.log_density[kept], plain.log_density[kept], 1e-7)


@dataclass(frozen=True)
class _WeakRule:
    """The weak prior, which follows from the rows, and one last step."""

    step: LastStep
    moves: bool = True

    def prior(self, family: Family[Any], statistics: Any) -> Prior[Any]:
        return family.symmetric(1.5) or family.weak(statistics)

    def density(self, family: Family[Any], statistics: Any) -> Density:
        return self.step.of(self.prior(family, statistics).after(statistics))


@law(lambda case: not case.hidden)
def em_reads_what_there_is(case: Case, rng: np.random.Generator) -> None:
    """However EM reads a block, log densities and statistics are those of the rows."""
    block, labels = case.rows(rng, 300)
    pooled = case.family.statistics(block, memberships(np.zeros(len(labels), dtype=np.intp), 1))
    fast, plain = case.family.accumulator(case.truth, pooled, len(labels)), RowAccumulator(case.family, case.truth)
    shares = Soft(rng.dirichlet(np.ones(K), len(labels)))
    seen = fast.read(block, 0)
    close(np.array(fast.log_density(seen)), plain.log_density(block), 1e-8)
    same(fast.statistics(fast.sums(fast.read(block, 0), shares)), plain.sums(block, shares), 1e-8)


@law(lambda case: case.missing)
def missing_cells_are_filled(case: Case, rng: np.random.Generator) -> None:
    """Cells that are there stay, and no cell stays missing, expected or drawn."""
    block, labels = case.rows(rng)
    there = block >= 0 if block.dtype.kind == "i" else ~np.isnan(block)
    for full in (case.truth.filled(block, np.eye(K)[labels]), case.truth.refilled(block, labels, rng)):
        np.testing.assert_array_equal(np.asarray(full)[there], block[there])
        assert np.all(full >= 0) if block.dtype.kind == "i" else np.isfinite(full).all()
