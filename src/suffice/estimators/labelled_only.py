"""Classifiers that learn from labelled rows alone: without EM, and without its options."""

from dataclasses import dataclass, field
from typing import Any, Self

from suffice.data.frames import Library
from suffice.data.labelled import Labelled
from suffice.data.source import Source
from suffice.errors import HiddenLabelsError
from suffice.estimators.base import GenerativeClassifier


@dataclass(kw_only=True, eq=False, repr=False)
class LabelledOnly(GenerativeClassifier):
    components: Any = field(init=False, default=1)
    unknown: Any = field(init=False, default=None)
    label_noise: Any = field(init=False, default=None)
    unlabelled_weight: Any = field(init=False, default=1.0)
    tol: float = field(init=False, default=1e-6)
    max_iter: int = field(init=False, default=500)
    restarts: int = field(init=False, default=10)
    random_state: Any = field(init=False, default=0)
    intervals: Any = field(init=False, default=None)

    def _searched_in_batches(self, source: Source) -> Self:
        raise HiddenLabelsError(self.NEEDS_LABELS)

    def _learned(self, known: Labelled, library: Library | None, aloud: bool = True) -> Self:
        if known.labels.hidden:
            raise HiddenLabelsError(self.NEEDS_LABELS)
        return super()._learned(known, library, aloud)
