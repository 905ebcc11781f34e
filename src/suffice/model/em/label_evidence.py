"""Stage 3, what an observed label says about the component of its row: the small table ln p(label | component).

    known labels                identity: a label's components have 0, all others −∞
    not known                   a row of zeros: any component may be
    partial labels              zeros for the classes that are possible
    several components          a class's label has zeros for all of its components
    noisy labels                ln of the confusion table, given or learned

In:  Labels, which class each component belongs to, and what is known about wrong labels.
Out: LabelEvidence: a row of the table for each row of data.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.arrays import Array, Codes, log
from suffice.data.labels import Labels
from suffice.data.levels import Level, Levels, plain
from suffice.errors import ParameterError
from suffice.lazy import lazy
from suffice.options import whole

ESTIMATE = "estimate"
Noise = str | Mapping[Level, Mapping[Level, float]] | None  # how often labels are wrong, as users give it
DOUBT, TRUST = 1.0, 10.0  # pseudo-rows that a learned confusion table starts from: elsewhere, and on its diagonal


@dataclass(frozen=True, eq=False)
class LabelEvidence:
    labels: Labels
    owners: Codes  # (K,) the class of each component
    confusion: Array | None = None  # (C, C) P(label | class): label down, class across; None: labels are never wrong
    learned: bool = False  # whether the rows may change it

    @lazy
    def log_table(self) -> Array:
        """Ln p(label | component)."""  # (L, K)
        exact = log(self.labels.options.astype(float))
        if self.confusion is not None:
            certain = self.labels.meant >= 0
            exact[certain] = log(self.confusion[self.labels.meant[certain]])
        return exact[:, self.owners]

    @property
    def hidden(self) -> bool:
        """Whether any row may be of several components."""
        return self.confusion is not None or self.labels.hidden or len(self.owners) > len(self.labels.classes)

    def learn(self, counts: Array) -> Array | None:
        """The confusion table after labels (L,) have met components (K,): the mode of a belief that trusts labels."""
        if not self.learned:
            return self.confusion
        size = len(self.labels.classes)
        certain = np.flatnonzero(self.labels.meant >= 0)
        met = np.zeros((size, size))
        by_class = counts[certain] @ np.eye(size)[self.owners]  # (labels, C)
        np.add.at(met, self.labels.meant[certain], by_class)
        met += self.pseudo_rows
        return np.asarray(met / met.sum(axis=0))

    @property
    def pseudo_rows(self) -> Array:
        size = len(self.labels.classes)
        return np.full((size, size), DOUBT) + (TRUST - DOUBT) * np.eye(size)

    def log_prior(self, confusion: Array | None) -> float:
        """What a learned confusion table adds to the objective."""
        return float((self.pseudo_rows * log(confusion)).sum()) if self.learned and confusion is not None else 0.0


def numbers_of(components: Any, classes: Levels) -> list[int]:
    """How many components each class has: one number for all, or by name, where one not named has one."""
    named = {plain(name): n for name, n in components.items()} if isinstance(components, Mapping) else None
    strange = [name for name in named or () if name not in classes]
    numbers = [components] * len(classes) if named is None else [named.get(name, 1) for name in classes]
    expected = f"components must be a whole number, 1 or more, or one for each class {list(classes)}"
    if strange:
        raise ParameterError(f"{expected}; found {components!r}.")
    return [whole(n, expected) for n in numbers]


def read_noise(given: Noise, classes: Levels) -> tuple[Array | None, bool]:
    """The confusion table (label, class) given as {class: {label: probability}}, and whether to learn it."""
    if given is None:
        return None, False
    size = len(classes)
    if isinstance(given, str) and given == ESTIMATE:
        start = np.full((size, size), DOUBT) + (TRUST - DOUBT) * np.eye(size)
        return start / start.sum(axis=0), True
    by_class = isinstance(given, Mapping) and all(isinstance(row, Mapping) for row in given.values())
    if not isinstance(given, Mapping) or not by_class or {plain(name) for name in given} != set(classes):
        raise ParameterError(
            f"label_noise must be 'estimate', or {{class: {{label: probability}}}} for the classes {list(classes)}; "
            f"found {given!r}."
        )
    named = {plain(name): {plain(label): p for label, p in row.items()} for name, row in given.items()}
    table = np.array([[named[name].get(label, 0.0) for name in classes] for label in classes], dtype=float)
    if (table < 0).any() or not np.allclose(table.sum(axis=0), 1.0, rtol=0, atol=1e-8):
        sums = dict(zip(classes, table.sum(axis=0).round(6).tolist(), strict=True))
        raise ParameterError(f"For each class the probabilities of its labels must sum to 1; found {sums}.")
    return table, False
