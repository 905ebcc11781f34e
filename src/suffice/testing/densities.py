"""Laws of densities: they are what an oracle says, and have mass 1."""

import numpy as np
from scipy.special import logsumexp

from suffice.testing.case import Case, K, log_likelihood
from suffice.testing.law import close, law


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
    predictive = case.belief(rng).predictive()
    close(predictive.only(np.array([2, 0])).log_density(block), predictive.log_density(block)[:, [2, 0]])


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


@law()
def terms_add_up_to_log_odds(case: Case, rng: np.random.Generator) -> None:
    """Log odds between two components are the sum of their terms, and none speaks of cells that are missing."""
    block, _ = case.rows(rng)
    for density in (case.truth, case.belief(rng).predictive()):
        found, logs = density.terms(block, 2, 0), density.log_density(block)
        close(sum(found.values()), logs[:, 2] - logs[:, 0])
        if case.missing:
            gone = (block < 0) if block.dtype.kind == "i" else np.isnan(block)
            assert not any(term[gone[:, list(columns)].all(axis=1)].any() for columns, term in found.items())


@law(lambda case: not case.hidden)
def likelihood_follows_from_statistics(case: Case, rng: np.random.Generator) -> None:
    """The likelihood of rows follows from their statistics."""
    block, labels = case.rows(rng)
    found = case.truth.log_likelihood(case.learned(block, labels))
    close(found, log_likelihood(case.truth, block, labels))
