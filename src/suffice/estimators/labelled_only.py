"""Classifiers that learn from labelled rows alone: without EM, and without its options."""

from dataclasses import dataclass, field
from functools import partial
from typing import Any, Self

from suffice.data.frames import Library
from suffice.data.labelled import Labelled
from suffice.data.source import Source
from suffice.errors import HiddenLabelsError
from suffice.estimators.base import GenerativeClassifier
from suffice.learn.em import EM


@dataclass(kw_only=True, eq=False, repr=False)
class LabelledOnly(GenerativeClassifier):
    components: Any = field(init=False, default=1)
    unknown: Any = field(init=False, default=None)
    em: EM | None = field(init=False, default_factory=partial(EM, unlabelled_weight=1.0))

    def _searched_in_batches(self, source: Source) -> Self:
        raise HiddenLabelsError(self.NEEDS_LABELS)

    def _learned(self, known: Labelled, library: Library | None, aloud: bool = True) -> Self:
        if known.labels.hidden:
            raise HiddenLabelsError(self.NEEDS_LABELS)
        return super()._learned(known, library, aloud)
