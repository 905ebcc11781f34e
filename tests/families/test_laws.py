"""The laws of DESIGN, over all families. A family that keeps them can be summed, merged, fitted and predicted with."""

import numpy as np
import pytest
from scipy import sparse
from scipy.special import logsumexp

from families.cases import CASES, KNOWN, K, size, take
from suffice.families.gaussian.densities import CORRELATION, GaussianDensity
from suffice.families.gaussian.moments import Moments
from suffice.families.gaussian.patterns import PatternMoments
from suffice.families.memberships import memberships
from suffice.families.product import ProductDensity, ProductPrior, ProductStatistics

LAWFUL = pytest.mark.parametrize("case", CASES, ids=str)
FAITHFUL = [case for case in CASES if case not in KNOWN]  # those have their own idea of likelihood


@pytest.fixture
def rng():
    return np.random.default_rng(20)


def said(statistics):
    """Everything a record says, as one vector."""
    if isinstance(statistics, ProductStatistics):
        return np.concatenate([said(part) for part in statistics.parts])
    if isinstance(statistics, PatternMoments):
        parts = [said(part) for _, part in sorted(statistics.parts.items())]
        return np.concatenate([statistics.weight, *parts])
    if isinstance(statistics, Moments):
        return np.concatenate([np.ravel(part) for part in statistics.plain().arrays().values()])
    return np.concatenate([np.ravel(part) for part in statistics.arrays().values()])


def same(a, b, tolerance=1e-10):
    np.testing.assert_allclose(said(a), said(b), rtol=tolerance, atol=tolerance)


def learned(case, block, labels, weights=None):
    return case.family.statistics(block, memberships(labels, K, weights))


def log_likelihood(density, block, labels, weights=1.0):
    own = density.log_density(block)[np.arange(len(labels)), labels]
    return float((weights * own).sum())


@LAWFUL
def test_parts_add_up_in_any_order_and_zero_is_neutral(case, rng):
    block, labels = case.rows(rng)
    order = rng.permutation(size(block))
    parts = [learned(case, take(block, rows), labels[rows]) for rows in np.array_split(order, 4)]
    whole = learned(case, block, labels)
    same(parts[2] + (parts[0] + parts[3]) + parts[1], whole)
    nothing = learned(case, take(block, slice(0, 0)), labels[:0])
    same(whole + nothing, whole)
    same(nothing + whole, whole)


@LAWFUL
def test_rows_taken_away_were_never_there(case, rng):
    block, labels = case.rows(rng)
    first, second = np.array_split(rng.permutation(size(block)), 2)
    a, b = (learned(case, take(block, rows), labels[rows]) for rows in (first, second))
    same((a + b) - b, a, 1e-8)
    same(said_nothing := (a + b) - a - b, a - a, 1e-8)
    assert np.allclose(said_nothing.weight, 0)


@LAWFUL
def test_rows_that_were_never_there_cannot_be_taken_away(case, rng):
    block, labels = case.rows(rng)
    with pytest.raises(ValueError, match="These rows are not in this summary"):
        learned(case, take(block, slice(0, 9)), labels[:9]) - learned(case, block, labels)


@LAWFUL
def test_weight_two_is_twice_and_zero_is_absent(case, rng):
    block, labels = case.rows(rng)
    times = rng.integers(0, 4, len(labels))
    repeated = np.repeat(np.arange(len(labels)), times)
    same(learned(case, block, labels, times), learned(case, take(block, repeated), labels[repeated]))


@LAWFUL
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array, sparse.csc_array])
def test_split_memberships_add_to_the_whole(case, kind, rng):
    block, labels = case.rows(rng)
    shares = rng.dirichlet(np.ones(K), len(labels))
    weights = rng.random(len(labels))
    single = [
        case.family.statistics(block, memberships(kind(shares * (np.arange(K) == k)), K, weights)) for k in range(K)
    ]
    same(single[0] + single[1] + single[2], case.family.statistics(block, memberships(kind(shares), K, weights)))
    hard = case.family.statistics(block, memberships(kind(np.eye(K)[labels]), K, weights))
    same(hard, learned(case, block, labels, weights))


@LAWFUL
def test_log_density_is_the_oracles(case, rng):
    block, _ = case.rows(rng)
    np.testing.assert_allclose(case.truth.log_density(block), case.plug_in(case.truth, block), rtol=1e-9, atol=1e-9)
    belief = case.prior.after(learned(case, *case.closed(rng)))
    found = belief.predictive().log_density(block)
    np.testing.assert_allclose(found, case.predictive(belief, block), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("case", [case for case in CASES if case.everything], ids=str)
def test_probabilities_sum_to_one(case, rng):
    for density in (case.truth, case.prior.after(learned(case, *case.closed(rng))).predictive()):
        np.testing.assert_allclose(logsumexp(density.log_density(case.everything()), axis=0), 0, atol=1e-6)


@pytest.mark.parametrize("case", [case for case in CASES if case.to_line], ids=str)
def test_densities_integrate_to_one(case, rng):
    columns = case.family.columns
    points = {1: 20000, 2: 900}[columns]
    u = (np.arange(points) + 0.5) / points
    grid = np.stack(np.meshgrid(*[u] * columns), axis=-1).reshape(-1, columns)
    x, jacobian = case.to_line(grid)
    cell = np.log(jacobian).sum(axis=1) - columns * np.log(points)
    for density in (case.truth, case.prior.after(learned(case, *case.closed(rng))).predictive()):
        np.testing.assert_allclose(logsumexp(density.log_density(x) + cell[:, None], axis=0), 0, atol=2e-3)


@pytest.mark.parametrize("case", FAITHFUL, ids=str)
def test_flat_mode_beats_every_other_parameter(case, rng):
    block, labels = case.closed(rng, 60)
    flat = case.family.flat(K)
    best = log_likelihood(flat.after(learned(case, block, labels)).mode(), block, labels)
    for _ in range(20):
        other = flat.after(learned(case, block, labels, rng.uniform(0.5, 1.5, len(labels)))).mode()
        assert log_likelihood(other, block, labels) < best


@LAWFUL
def test_mode_beats_every_other_parameter_under_the_prior(case, rng):
    block, labels = case.closed(rng, 60)
    worth = lambda density: log_likelihood(density, block, labels) + raised.log_density(density)  # noqa: E731
    raised = case.prior.after(learned(case, block, labels, np.full(len(labels), 0.3)))
    best = worth(raised.after(learned(case, block, labels)).mode())
    for _ in range(20):
        other = raised.after(learned(case, block, labels, rng.uniform(0.5, 1.5, len(labels)))).mode()
        assert worth(other) < best + 1e-9


@LAWFUL
def test_learning_in_turn_is_learning_together(case, rng):
    block, labels = case.closed(rng)
    a, b = learned(case, block, labels), learned(case, *case.closed(rng))
    in_turn, together = case.prior.after(a).after(b), case.prior.after(a + b)
    for step in ("mode", "mean", "predictive"):
        found = [getattr(belief, step)().log_density(block) for belief in (in_turn, together)]
        np.testing.assert_allclose(*found, rtol=1e-10, atol=1e-10)


@LAWFUL
def test_predictive_is_a_ratio_of_evidences(case, rng):
    block, labels = case.closed(rng)
    before = learned(case, block, labels)
    new, components = case.closed(rng, 6)
    predicted = case.prior.after(before).predictive().log_density(new)
    for i, k in enumerate(components):
        row = learned(case, take(new, slice(i, i + 1)), components[i : i + 1])
        gained = case.prior.log_evidence(before + row).sum() - case.prior.log_evidence(before).sum()
        np.testing.assert_allclose(gained, predicted[i, k], rtol=1e-8, atol=1e-8)


@LAWFUL
def test_evidence_is_likelihood_times_prior_over_posterior(case, rng):
    """Whatever the parameters (Candidate's formula): it ties all four together, constants included."""
    block, labels = case.closed(rng)
    statistics = learned(case, block, labels)
    after = case.prior.after(statistics)
    for density in (after.mean(), after.after(statistics).mean()):
        evidence = log_likelihood(density, block, labels) + case.prior.log_density(density) - after.log_density(density)
        np.testing.assert_allclose(evidence, case.prior.log_evidence(statistics).sum(), rtol=1e-9)


@LAWFUL
def test_samples_lead_back_to_where_they_came_from(case, rng):
    block, labels = case.rows(rng, 60_000, missing=False)
    found = case.family.flat(K).after(learned(case, block, labels)).mode()
    some = take(block, slice(0, 50))
    np.testing.assert_allclose(found.log_density(some), case.truth.log_density(some), rtol=0.1, atol=0.2)


@LAWFUL
def test_samples_of_the_predictive_follow_it(case, rng):
    """Over samples of p, the mean of q/p is 1 for any q inside p; the plug-in density is one."""
    belief = case.prior.after(learned(case, *case.closed(rng, 200)))
    predictive, labels = belief.predictive(), np.repeat(np.arange(K), 20_000)
    block = predictive.sample(labels, rng)
    ratio = np.exp((belief.mode().log_density(block) - predictive.log_density(block))[np.arange(len(labels)), labels])
    error = ratio.std() / np.sqrt(len(ratio))
    assert error < 0.02
    assert abs(ratio.mean() - 1) < 5 * error + 1e-12


MOVES = [(case, shift, scale) for case in CASES for shift, scale in case.moves]


@pytest.mark.parametrize("prior", ["flat", "unbiased", "reference", "weak"])
@pytest.mark.parametrize(("case", "shift", "scale"), MOVES, ids=str)
def test_units_change_log_densities_by_the_jacobian_only(case, shift, scale, prior, rng):
    block, labels = case.closed(rng)
    found = [_estimate(case, x, labels, prior).log_density(x) for x in (block, block * scale + shift)]
    jacobian = (~np.isnan(block) * np.log(scale)).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(found[1], found[0] - jacobian, rtol=1e-6, atol=1e-6)


def _estimate(case, block, labels, prior):
    statistics = learned(case, block, labels)
    belief = case.family.weak(statistics) if prior == "weak" else getattr(case.family, prior)(K)
    return belief.after(statistics).mode()


@LAWFUL
def test_components_in_another_order(case, rng):
    block, labels = case.closed(rng)
    order = np.array([2, 0, 1])
    one = case.prior.after(learned(case, block, labels)).mode().log_density(block)
    other = case.prior.after(learned(case, block, order[labels])).mode().log_density(block)
    np.testing.assert_allclose(other[:, order], one, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("case", [case for case in CASES if case.name not in ("product", "multinomial")], ids=str)
def test_what_rows_say_about_some_columns(case, rng):
    block, labels = case.rows(rng)
    for columns in ([case.family.columns - 1], list(range(case.family.columns))[::-1]):
        family = case.family.take(columns)
        same(
            case.family.marginal(learned(case, block, labels), columns),
            family.statistics(block[:, columns], memberships(labels, K)),
        )


@LAWFUL
def test_more_components_can_be_made_room_for(case, rng):
    block, labels = case.rows(rng)
    wide = case.family.statistics(block, memberships(np.array([4, 0, 2])[labels], 5))
    same(learned(case, block, labels).onto(np.array([4, 0, 2]), 5), wide)


@pytest.mark.parametrize("case", [case for case in CASES if case.name != "product"], ids=str)
def test_stored_and_restored_is_the_same_and_merges_the_same(case, rng):
    statistics, more = (learned(case, *case.rows(rng)) for _ in range(2))
    again = case.family.restored(statistics.arrays(), K)
    np.testing.assert_array_equal(said(again), said(statistics))
    np.testing.assert_array_equal(said(again + more), said(statistics + more))


@pytest.mark.parametrize("case", FAITHFUL, ids=str)
def test_weak_prior_is_proper(case, rng):
    statistics = learned(case, *case.closed(rng))
    assert np.isfinite(case.family.weak(statistics).log_evidence(statistics)).all()


@pytest.mark.parametrize(
    "case", [case for case in FAITHFUL if "gaussian" in case.name or case.name == "poisson"], ids=str
)
def test_improper_priors_have_no_evidence_marginals_or_draws(case, rng):
    assert_improper(case.family.flat(K), learned(case, *case.closed(rng)), rng)


def test_a_cell_at_zero_has_no_evidence_marginals_or_draws(rng):
    assert_improper(CASES[0].family.even(0), learned(CASES[0], *CASES[0].closed(rng)), rng)


def assert_improper(prior, statistics, rng):
    with pytest.raises(ValueError, match="has no evidence"):
        prior.log_evidence(statistics)
    with pytest.raises(ValueError, match="has no marginals"):
        prior.marginals(["a", "b"])
    with pytest.raises(ValueError, match="has no draws"):
        prior.draw(rng)


DRAWS = 2000


def tables(whole, which):
    """Tables or marginals; of a product, those of all its parts, which are named apart."""
    parts = whole.parts if isinstance(whole, ProductDensity | ProductPrior) else [whole]
    named = [[f"{i} {j}" for j in range(5)] for i in range(len(parts))]
    found = [getattr(part, which)(its[: columns_of(part)]) for part, its in zip(parts, named, strict=True)]
    return {
        (title, heading): entry for one in found for title, table in one.items() for heading, entry in table.items()
    }


def columns_of(part):
    return part.mean.shape[1] if isinstance(part, GaussianDensity) else part.family.columns


def drawn(case, rng):
    """A belief after rows, and many draws of its parameters."""
    belief = case.prior.after(learned(case, *case.closed(rng, 200)))
    return belief, [belief.draw(rng) for _ in range(DRAWS)]


def assert_average(sample, expected):
    """Within four standard errors of the average over draws."""
    error = np.std(sample, axis=0) / np.sqrt(len(sample))
    assert np.all(np.abs(np.mean(sample, axis=0) - expected) <= 4 * error + 1e-12)


@LAWFUL
def test_draws_follow_the_marginals(case, rng):
    belief, draws = drawn(case, rng)
    marginals, entries = tables(belief, "marginals"), [tables(density, "tables") for density in draws]
    shown = {key: np.stack([entry[key] for entry in entries]) for key in entries[0]}
    shown |= {(t, h.replace("sd", "variance")): sd**2 for (t, h), sd in shown.items() if h.startswith("sd")}
    assert set(marginals) <= set(shown)
    for key, marginal in marginals.items():
        assert_average(shown[key], marginal.mean())
        assert_average((shown[key] - marginal.mean()) ** 2, marginal.var())


@LAWFUL
def test_every_believed_entry_of_a_table_has_a_marginal(case):
    everything, marginals = tables(case.prior.mean(), "tables"), tables(case.prior, "marginals")
    without = {(t, h) for t, h in everything if t.startswith(CORRELATION)}
    if case in KNOWN:
        known = "mean" if "known mean" in case.name else "sd"
        without |= {(t, h) for t, h in everything if h.startswith(known)}
    assert set(everything) - set(marginals) == without


@LAWFUL
def test_expected_log_density_is_the_average_over_draws(case, rng):
    belief, draws = drawn(case, rng)
    for other in (belief, case.prior):
        assert_average([other.log_density(density) for density in draws], belief.expected_log_density(other).sum())


@LAWFUL
def test_divergence_is_positive(case, rng):
    belief = case.prior.after(learned(case, *case.closed(rng, 200)))
    other = belief.after(learned(case, *case.closed(rng)))
    for p, q in ((belief, other), (other, belief)):
        assert np.all(p.expected_log_density(p) > p.expected_log_density(q))


@LAWFUL
def test_draws_are_densities_of_the_same_shapes(case, rng):
    belief = case.prior.after(learned(case, *case.closed(rng)))
    block, _ = case.rows(rng)
    assert belief.draw(rng).log_density(block).shape == (size(block), K)
    for drawn, mean in zip(arrays_of(belief.draw(rng)), arrays_of(belief.mean()), strict=True):
        assert drawn.shape == mean.shape


def arrays_of(density):
    parts = density.parts if isinstance(density, ProductDensity) else [density]
    return [array for part in parts for array in vars(part).values() if isinstance(array, np.ndarray)]


@pytest.mark.parametrize("case", FAITHFUL, ids=str)
def test_maximum_likelihood_is_the_mode_of_the_flat_belief(case, rng):
    block, labels = case.closed(rng, 60)
    statistics = learned(case, block, labels)
    found, flat = case.prior.maximum_likelihood(statistics), case.family.flat(K).after(statistics).mode()
    np.testing.assert_array_equal(found.log_density(block), flat.log_density(block))


@pytest.mark.parametrize("case", KNOWN, ids=str)
def test_maximum_likelihood_where_something_is_known_beats_every_other_parameter(case, rng):
    block, labels = case.closed(rng, 60)
    best = log_likelihood(case.prior.maximum_likelihood(learned(case, block, labels)), block, labels)
    for _ in range(20):
        weights = rng.uniform(0.5, 1.5, len(labels))
        other = case.prior.maximum_likelihood(learned(case, block, labels, weights))
        assert log_likelihood(other, block, labels) < best
