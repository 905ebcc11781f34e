"""How good posteriors were, for people: scores with standard errors, and the confusion of classes."""

from collections.abc import Mapping

import numpy as np

from suffice.arrays import Array
from suffice.data.levels import Levels
from suffice.decisions.scores import Score
from suffice.printing.description import Description, Series, Sheet, Text, sizes
from suffice.printing.language import word, worded
from suffice.printing.numbers import amount, fixed


def described(
    how: str, rows: int, classes: Levels, scores: Mapping[str, Score], confusion: Array, notes: list[Text]
) -> Description:
    values, errors = np.array(list(scores.values()), dtype=float), np.array([score.se for score in scores.values()])
    value = Series(word("value"), values, fixed(4), errors, spread_name="se")
    across = [Series(name, column, amount) for name, column in zip(classes, confusion.T, strict=True)]
    return Description(
        (worded(how), *sizes({"row": rows, "class": len(classes)})),
        [
            Sheet(word("measure"), [worded(name) for name in scores], [value]),
            Sheet(word("true class, by prediction"), classes, across),
            *([notes] if notes else []),
        ],
    )
