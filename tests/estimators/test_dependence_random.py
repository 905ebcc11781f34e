"""A thousand random mixed tables: trees and averages keep their laws on all of them."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp

from suffice import AveragedOneDependence, TreeAugmentedBayes, collect, explain

pytestmark = pytest.mark.filterwarnings("ignore::suffice.errors.SufficeWarning")
LEVELS = ["p", "q", "红", "s"]


def drawn(rng):
    """Categories, numbers and counts that may depend on each other and on the class, with cells missing."""
    rows = int(rng.integers(10, 30))
    y = np.append(rng.integers(0, 3, rows - 3), [0, 1, 2])
    table, kinds, before = {}, {}, rng.integers(0, 4, rows)
    for j in range(rng.integers(1, 4)):
        size = int(rng.integers(2, 5))
        before = (before + y * rng.integers(0, 2) + rng.integers(0, size, rows) * (rng.random(rows) < 0.5)) % size
        table[f"c{j}"] = np.where(rng.random(rows) < 0.1, None, np.array(LEVELS, dtype=object)[before])
        kinds[f"c{j}"] = ("categorical", LEVELS[:size])
    for j in range(rng.integers(0, 3)):
        unit = 10.0 ** rng.integers(-3, 4)
        cells = unit * (rng.normal(size=rows) + before + rng.integers(0, 2) * y)
        table[f"n{j}"] = np.where(rng.random(rows) < 0.1, np.nan, cells)
    if rng.random() < 0.3:
        table["visits"], kinds["visits"] = rng.poisson(1 + before).astype(float), "poisson"
    return pd.DataFrame(table), y, kinds, rng.choice([0.0, 0.5, 1.0, 2.0], rows, p=[0.05, 0.15, 0.6, 0.2])


@pytest.mark.parametrize("quarter", range(4))  # of a thousand, so that several cores can take them
@settings(max_examples=250, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 2**32 - 1))
def test_a_thousand_tables(quarter, seed):
    rng = np.random.default_rng([quarter, seed])
    table, y, kinds, weights = drawn(rng)
    weights[-4:] = 1.0  # so that both halves have rows
    criterion, estimate = str(rng.choice(["information", "evidence"])), str(rng.choice(["auto", "map"]))
    half = np.append(np.arange(len(y) - 3) < len(y) // 2, [True] * 3)
    parts = [
        collect(table[some], y[some], kinds=kinds, sample_weight=weights[some], pairs=True) for some in (half, ~half)
    ]
    tree = TreeAugmentedBayes(kinds=kinds, criterion=criterion, estimate=estimate)
    for model in (tree, AveragedOneDependence(kinds=kinds, estimate=estimate)):
        model.fit(table, y, sample_weight=weights)
        posterior = model.predict_proba(table)
        np.testing.assert_allclose(posterior.sum(axis=1), 1)
        added = type(model).from_summary(parts[0] + parts[1], **model.get_params())
        np.testing.assert_allclose(added.predict_proba(table), posterior, rtol=1e-6, atol=1e-9)
    terms, logs = explain(tree, table, between=(0, 1)), tree.log_joint(table)
    np.testing.assert_allclose(terms.log_odds, logs[:, 0] - logs[:, 1], rtol=1e-9, atol=1e-8)
    hidden = str(rng.choice([name for name in table if name.startswith("c")]))
    each = [tree.log_density(table.assign(**{hidden: level})) for level in kinds[hidden][1]]
    without = tree.log_density(table.assign(**{hidden: pd.Series([None] * len(y), dtype=object)}))
    np.testing.assert_allclose(logsumexp(each, axis=0), without, rtol=1e-9, atol=1e-9)
