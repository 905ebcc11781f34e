"""Laws of samples and draws: they follow the densities and beliefs they come from."""

from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike

from suffice.arrays import Array
from suffice.testing.case import Case, K
from suffice.testing.law import law

DRAWS = 2000


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


T = TypeVar("T")


def _entries(tables: dict[str, dict[str, T]]) -> dict[tuple[str, str], T]:
    return {(title, heading): entry for title, table in tables.items() for heading, entry in table.items()}


def _names(case: Case) -> list[str]:
    return [f"column {j}" for j in range(case.family.columns)]


def _average(sample: Array | list[float], expected: ArrayLike) -> None:
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
        _average(
            [float(other.log_density(density).sum()) for density in draws], belief.expected_log_density(other).sum()
        )


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
