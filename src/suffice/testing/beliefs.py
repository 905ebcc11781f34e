"""Laws of beliefs: what rows teach, what it is worth, and that no unit matters."""

import numpy as np

from suffice.arrays import Codes
from suffice.families.protocol import Block, Density, LastStep, Parametric, Statistics
from suffice.testing.case import Case, K, log_likelihood
from suffice.testing.law import close, law


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

    def worth(density: Parametric[Statistics]) -> float:
        return log_likelihood(density, block, labels) + float(raised.log_density(density).sum())

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
        beliefs = case.prior.log_density(density) - after.log_density(density)
        close(log_likelihood(density, block, labels) + beliefs.sum(), case.prior.log_evidence(statistics).sum())


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
