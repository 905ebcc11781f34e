"""Laws of charts: what they say of parameters around an estimate is what differences say."""

import numpy as np

from suffice.arrays import Array, Codes
from suffice.families.charts import Chart
from suffice.families.protocol import Block, Statistics
from suffice.testing.case import Case, K
from suffice.testing.law import close, law

NEAR = 1e-4


@law()
def charts_begin_at_the_estimate(case: Case, rng: np.random.Generator) -> None:
    """A chart begins at the estimate, and every step away from it is a density."""
    chart, block, _ = _charted(case, rng)
    if chart is None:
        return
    nowhere = chart.moved(np.zeros((K, chart.own)), np.zeros(chart.shared))
    close(nowhere.log_density(block), case.truth.log_density(block))
    far = chart.moved(*_step(chart, rng, 3.0))
    assert np.isfinite(far.log_density(block)).all()


@law()
def slopes_are_differences(case: Case, rng: np.random.Generator) -> None:
    """The slopes of a chart are how log densities change."""
    chart, block, _ = _charted(case, rng)
    if chart is None:
        return
    found = chart.slopes(block)
    for _ in range(4):
        own, shared = _step(chart, rng)
        along = np.concatenate([own, np.broadcast_to(shared, (K, chart.shared))], axis=1)
        ahead, behind = (chart.moved(s * own, s * shared).log_density(block) for s in (NEAR, -NEAR))
        close((found * along).sum(axis=2), (ahead - behind) / (2 * NEAR), 1e-6)


@law()
def curvature_is_of_differences(case: Case, rng: np.random.Generator) -> None:
    """The curvature of a chart is that of the log belief after the rows, missing cells or not."""
    chart, block, labels = _charted(case, rng)
    if chart is None:
        return
    statistics = case.learned(block, labels)

    def worth(own: Array, shared: Array) -> float:
        density = chart.moved(own, shared)
        return statistics.log_likelihood(density) + float(case.prior.log_density(density).sum())

    for _ in range(6):
        own, shared = _step(chart, rng)
        along = np.concatenate([own, np.broadcast_to(shared, (K, chart.shared))], axis=1)
        bent = float(np.einsum("kp,kpq,kq->", along, chart.curvature(), along))
        ahead, here, behind = (worth(s * own, s * shared) for s in (20 * NEAR, 0.0, -20 * NEAR))
        close(bent, (ahead - 2 * here + behind) / (20 * NEAR) ** 2, 1e-4)


def _charted(case: Case, rng: np.random.Generator) -> tuple[Chart[Statistics] | None, Block, Codes]:
    block, labels = case.rows(rng)
    return case.prior.chart(case.truth, case.learned(block, labels)), block, labels


def _step(chart: Chart[Statistics], rng: np.random.Generator, size: float = 1.0) -> tuple[Array, Array]:
    return size * rng.standard_normal((K, chart.own)), size * rng.standard_normal(chart.shared)
