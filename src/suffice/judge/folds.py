"""Folds as users give them: how many, the fold of each row, a splitter of scikit-learn, or what one gives.

In:  the argument `folds`, with `groups` for splitters that ask for them, and the rows that count.
Out: a Plan of who is predicted from whom. A splitter sees the whole table, as in scikit-learn. Rows of weight 0 are
     neither learned from nor counted, but predicted as all others are: from the folds that they are not in.
"""

from collections.abc import Iterable, Sequence
from numbers import Integral
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from suffice.arrays import Codes
from suffice.data.labelled import Labelled
from suffice.data.labels import IntoLabels, read_labels
from suffice.data.table import IntoTable, read_column
from suffice.errors import ParameterError, SufficeError
from suffice.model.folds import Folds, Pair, Plan, Splits, evenly
from suffice.options import Seed, generator, whole

EXPECTED = (
    "folds must be a number, 2 or more, the fold of each row, or a splitter of scikit-learn such as KFold(5) (with "
    "groups= if it needs them)"
)


class Splitter(Protocol):
    """The method that all splitters of scikit-learn have, and others that are like them."""

    def split(self, X: Any, y: Codes, groups: Codes | None, /) -> Iterable[tuple[ArrayLike, ArrayLike]]: ...


IntoFolds = int | str | Splitter | ArrayLike | Iterable[tuple[ArrayLike, ArrayLike]] | None  # what folds can be made of


def read_folds(
    folds: IntoFolds,
    groups: ArrayLike | None,
    random_state: Seed,
    known: Labelled,
    rows: int,
    X: IntoTable,
    y: IntoLabels,
) -> Plan:
    """Read the folds of a table of so many rows, of which the known ones count."""
    if groups is not None and not hasattr(folds, "split"):
        raise ParameterError(
            f"groups is for splitters such as GroupKFold(5); folds is {folds!r}, which does not use groups."
        )
    if isinstance(folds, Integral):
        return dealt(folds, known, random_state, rows - len(known.rows))
    if hasattr(folds, "split") and not isinstance(folds, str | bytes):
        return _planned(_split(folds, rows, X, y, groups, known), type(folds).__name__, known, rows)
    if not isinstance(folds, Iterable) or isinstance(folds, str | bytes):
        raise ParameterError(f"{EXPECTED}; found {folds!r}.")
    given = folds if hasattr(folds, "shape") or hasattr(folds, "__len__") else list(folds)
    if isinstance(given, Sequence) and given and all(isinstance(part, tuple) and len(part) == 2 for part in given):
        return _planned(given, "pairs", known, rows)
    return _named(given, known, rows)


def dealt(folds: int | Integral, known: Labelled, random_state: Seed, aside: int = 0) -> Folds:
    """Rows dealt out at random, evenly over the classes; so many rows of weight 0 go along, and change nothing."""
    labels = known.labels.certain
    most, rng = len(labels), generator(random_state)
    number = whole(folds, f"folds must be at least 2 and at most the number of rows, {most}", 2)
    if number > most:
        raise ParameterError(f"folds must be at least 2 and at most the number of rows, {most}; found {folds!r}.")
    return Folds(evenly(labels, number, rng), (rng.permutation(aside) % number).astype(np.intp))


def _named(given: Any, known: Labelled, rows: int) -> Folds:
    """The fold of each row, by whatever name."""
    shape = np.shape(given) if hasattr(given, "shape") else (len(given),)
    if shape != (rows,):
        raise ParameterError(f"folds must be a number, or the fold of each of {rows} rows; found shape {shape}.")
    try:
        found = read_column(given, "folds").encoded()
    except SufficeError as error:
        raise ParameterError(f"{EXPECTED}. {error}") from None
    codes = found.codes[known.rows]
    if (codes < 0).any():
        row = int(known.rows[np.flatnonzero(codes < 0)[0]])
        raise ParameterError(f"folds has no fold for row {row}: every row that counts needs one.")
    names, fold = np.unique(codes, return_inverse=True)
    number = np.full(len(found.levels) + 1, len(names), dtype=np.intp)  # where no row counts: predicted from all
    number[names] = np.arange(len(names))
    return Folds(_several(fold.astype(np.intp).ravel()), number[found.codes[known.aside(rows)]])


def _several(fold: Codes) -> Codes:
    if not fold.any():
        raise ParameterError(
            "folds puts all rows into one fold, which leaves nothing to learn from: use at least 2 folds."
        )
    return fold


def _split(
    splitter: Any, rows: int, X: IntoTable, y: IntoLabels, groups: ArrayLike | None, known: Labelled
) -> list[Any]:
    """Ask a splitter for its parts of the whole table."""
    labels = read_labels(y, rows, None).codes if known.kept is not None else known.labels.certain
    table = X if hasattr(X, "shape") else np.zeros((rows, 1))  # as most look at nothing but its length
    try:
        return list(splitter.split(table, labels, _groups(groups, rows)))
    except SufficeError:
        raise
    except Exception as error:  # whatever a splitter, which may be anyone's, has to say
        raise ParameterError(
            f"{splitter!r} cannot split these {rows} rows: {error} Give it rows, or groups=, that it can split, or "
            "give the fold of each row."
        ) from error


def _groups(groups: ArrayLike | None, rows: int) -> Codes | None:
    if groups is None:
        return None
    found = read_column(groups, "groups")
    if found.rows != rows:
        raise ParameterError(f"groups must be the group of each of {rows} rows; found {found.rows}.")
    return found.encoded().codes


def _planned(given: Sequence[Any], name: str, known: Labelled, rows: int) -> Plan:
    """Pairs of rows, as positions in the whole table, as a plan for those that count and those behind them."""
    place, many = np.empty(rows, dtype=np.intp), len(known.rows)
    place[np.concatenate([known.rows, known.aside(rows)])] = np.arange(rows)
    every = [(_placed(learned, place), _placed(tested, place)) for learned, tested in given]
    pairs = [(learned[learned < many], tested) for learned, tested in every]
    counted = [pair for pair in pairs if (pair[1] < many).any()]
    if not counted or not all(len(learned) for learned, _ in counted):
        raise ParameterError("A fold has no rows to predict, or none to learn from: every fold needs both.")
    pairs = [pair for pair in pairs if len(pair[0]) and len(pair[1])]
    return _partition(pairs, many, rows) or Splits(pairs, f"cross-validation by {name}")


def _placed(part: Any, place: Codes) -> Codes:
    """Positions among the rows that count, and behind them those of weight 0."""
    found: Any = np.asarray(part)
    if found.dtype == bool and found.shape == place.shape:
        found = np.flatnonzero(found)
    if found.ndim != 1 or (found.size and found.dtype.kind not in "iu"):
        raise ParameterError(f"A fold must be a pair of row positions, to learn from and to predict; found {part!r}.")
    if found.size and not (found.min() >= 0 and found.max() < len(place)):
        raise ParameterError(f"folds names row {found.max()}, but there are only {len(place)} rows, counted from 0.")
    there: Codes = place[found.astype(np.intp)]
    return there


def _partition(pairs: list[Pair], many: int, rows: int) -> Folds | None:
    """The fold of each row, where each is predicted once and, if it counts, learned from by all other folds."""
    tested = np.concatenate([some for _, some in pairs])
    if len(tested) != rows or len(np.unique(tested)) != rows:
        return None
    fold = np.empty(rows, dtype=np.intp)
    fold[tested] = np.repeat(np.arange(len(pairs)), [len(some) for _, some in pairs])
    complete = all(_is_rest(learned, fold[:many] != number) for number, (learned, _) in enumerate(pairs))
    return Folds(fold[:many], fold[many:]) if complete else None


def _is_rest(learned: Codes, others: NDArray[np.bool_]) -> bool:
    return bool(len(learned) == others.sum() and np.array_equal(np.unique(learned), np.flatnonzero(others)))
