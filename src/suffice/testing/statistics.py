"""Laws of statistics: they add, subtract, and say the same however they were gathered."""

import numpy as np
from scipy import sparse

from suffice.errors import NotInSummaryError
from suffice.families.memberships import memberships
from suffice.families.protocol import Recorded, recorded
from suffice.testing.case import Case, K
from suffice.testing.law import law, same


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
def blocks_of_one_collect_add_up(case: Case, rng: np.random.Generator) -> None:
    """Blocks of rows joined are the rows at once, also where a block has no row of some component."""
    block, labels = case.rows(rng)
    parts = [case.learned(block[rows], labels[rows]) for rows in np.array_split(np.argsort(labels), 4)]
    same(parts[0].joined(parts[1]).joined(parts[2].joined(parts[3])), case.learned(block, labels))


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
    raise AssertionError("more rows were subtracted than there are, without an error")


@law()
def weights_count_rows(case: Case, rng: np.random.Generator) -> None:
    """Weight 2 is the row twice, weight 0 the row absent."""
    block, labels = case.rows(rng)
    times = rng.integers(0, 4, len(labels))
    again = np.repeat(np.arange(len(labels)), times)
    same(case.learned(block, labels, times.astype(float)), case.learned(block[again], labels[again]))


@law(lambda case: isinstance(case.family, Recorded))
def light_rows_outlive_heavy_ones(case: Case, rng: np.random.Generator) -> None:
    """What was added comes off again, however different the weights."""
    block, labels = case.rows(rng)
    first, second = np.array_split(rng.permutation(len(block)), 2)
    light, heavy = 10 ** rng.uniform(-3, 0, len(first)), 10 ** rng.uniform(6, 12, len(second))
    a, b = case.learned(block[first], labels[first], light), case.learned(block[second], labels[second], heavy)
    assert ((a + b) - b).alike(a, 1e-10)
    assert ((b + a) - b).alike(a, 1e-10)


@law(lambda case: isinstance(case.family, Recorded))
def rows_are_counted_whatever_they_weigh(case: Case, rng: np.random.Generator) -> None:
    """Behind each record are as many rows as with weight one, of the rows that are left too."""
    block, labels = case.rows(rng)
    parts = np.array_split(rng.permutation(len(block)), 2)
    weights = rng.choice([0.0, 0.3, 1.0, 2.5, 1e7], len(block))
    a, b = (case.learned(block[rows], labels[rows], weights[rows]) for rows in parts)
    counts = [rows[weights[rows] > 0] for rows in parts]
    for found, rows in ((a, counts[0]), (a + b, np.concatenate(counts)), ((a + b) - b, counts[0])):
        plain = case.learned(block[rows], labels[rows])
        of, expected = (recorded(case.family).there(some) for some in (found, plain))
        np.testing.assert_array_equal(of, expected)


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
