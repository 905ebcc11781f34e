"""What the laws need to know about a family: known components, an independent oracle, an example prior.

In:  a family, written outside or inside this library.
Out: rows of known components to try it with.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.arrays import Array, Codes
from suffice.families.memberships import memberships
from suffice.families.protocol import Block, Density, Family, Parametric, Prior, Statistics

K = 3  # components of every case
Oracle = Callable[[Any, Block], Array]  # (a density, or a belief; a block) → log densities (N, K), by other means


@dataclass(frozen=True)
class Case:
    """One family to be tried. `truth` has three components, and `prior` is a proper belief about them."""

    name: str
    family: Family[Statistics]
    truth: Parametric[Statistics]
    prior: Prior[Statistics]
    plug_in: Oracle  # of a density with known parameters
    predictive: Oracle  # of a belief, with parameters integrated out
    everything: Callable[[], Block] | None = None  # all rows there can be, for discrete families
    to_line: Callable[[Array], tuple[Array, Array]] | None = None  # (0, 1)^D → rows and the Jacobian: continuous ones
    missing: bool = True  # whether a cell may be missing
    hidden: bool = False  # whether a missing cell takes EM, so that beliefs want complete rows
    moves: tuple[tuple[float, Any], ...] = ()  # shifts and scales after which the rows are of the same family
    unshown: tuple[str, ...] = ()  # headings of tables that have no marginal of their own
    known: str = ""  # a parameter that the prior takes as known, by its heading: then flat priors are about more
    together: bool = False  # whether columns are one whole, and cannot be taken one by one
    given: bool = True  # whether components may be levels of another column within each class

    def __str__(self) -> str:
        return self.name

    def rows(self, rng: np.random.Generator, n: int = 40, missing: bool = True) -> tuple[Block, Codes]:
        """Rows from all components, and which component each is from."""
        labels = np.concatenate([np.arange(K), rng.integers(0, K, n - K)])
        block = self.truth.sample(labels, rng)
        return (with_holes(block, rng) if missing and self.missing else block), labels

    def closed(self, rng: np.random.Generator, n: int = 40) -> tuple[Block, Codes]:
        """Rows that a belief can learn from in closed form."""
        return self.rows(rng, n, missing=not self.hidden)

    def learned(self, block: Block, labels: Codes, weights: Array | None = None) -> Statistics:
        found: Statistics = self.family.statistics(block, memberships(labels, K, weights))
        return found

    def belief(self, rng: np.random.Generator, n: int = 40) -> Prior[Statistics]:
        """The prior after some rows."""
        return self.prior.after(self.learned(*self.closed(rng, n)))


def with_holes(block: Block, rng: np.random.Generator) -> Block:
    holes = np.asarray(rng.random(block.shape) < 0.15) & (np.arange(len(block)) >= 12)[:, None]
    return np.where(holes, -1 if block.dtype.kind == "i" else np.nan, block)


def log_likelihood(density: Density, block: Block, labels: Codes) -> float:
    return float(density.log_density(block)[np.arange(len(labels)), labels].sum())
