"""What can go wrong, as a tree.

Every message says what was found, what was expected and what to do.

    SufficeError (ValueError)
    ├── TableError              the input is no table we can read
    │   └── TableTypeError      ... because of the type of something in it (also a TypeError)
    ├── KindError               a column cannot be modelled as the kind asked for
    ├── UnseenCategoryError     a category the model does not know, with unseen="error"
    ├── ParameterError          an option that does not fit the data or another option
    │   ├── UnknownParameterError   ... or that there is not (also a TypeError)
    │   ├── TooManyComponentsError  ... a mixture of more components than there are rows
    │   └── NoStatisticsError       ... leaving one row out, asked of a model that is no sum over rows
    ├── LossError               a loss whose actions and classes do not fit
    ├── ImproperPriorError      a question only a proper prior can answer
    ├── HiddenCellsError        a closed form asked of columns with missing cells
    ├── HiddenLabelsError       a closed form asked of rows whose class is not known
    │   └── UnknownLabelsError  ... because of labels in y that are unknown (also a TableError)
    ├── GivenParametersError    rows asked of a model whose parameters were given
    ├── NoDensityError          a density asked of a model that has none (also an AttributeError)
    ├── NoFormulaError          a formula, for another engine, asked of what has none there
    ├── FallingObjectiveError   EM that lowered what it can only raise
    ├── CollapsedError          EM in which a component ran empty, or onto a single point
    ├── SingularError           a variance that the rows cannot determine (also NumPy's LinAlgError)
    ├── NotInSummaryError       rows taken away that were never added
    ├── FileError               a file that is not ours, damaged, altered or too new
    │   └── NoFileError         ... or that there is not (also a FileNotFoundError)
    └── MissingExtraError       a package that this work needs, and how to install it (also an ImportError)

    SufficeWarning (UserWarning)
    ├── KindHint                a column that may be of another kind than its type suggests
    ├── FileHint                a file that may be meant otherwise than it was read
    ├── ConstantColumnWarning   a column left out because it never varies
    ├── IdleSettingWarning      a setting left to the rows that changes nothing for them
    ├── UndeterminedWarning     rows that leave a textbook estimate open, and what is used in its place
    ├── LargeSummaryWarning     statistics that take much memory
    ├── LostDigitsWarning       rows taken away that leave few digits of what stays
    ├── UnseenCategoryWarning   unknown categories that had to be ignored
    ├── UnfitCellWarning        cells that a kind chosen automatically cannot hold, taken for missing
    ├── StoppedWarning          work that was interrupted, with the best so far
    ├── NotConvergedWarning     an iteration that stopped before it settled (also scikit-learn's ConvergenceWarning)
    ├── NoIntervalWarning       an estimate at the end of what can be, which has no interval
    ├── ImpossibleRowWarning    rows that no class can have produced
    └── MissingFontWarning      labels in a script that no installed font has

`warn` says any of them where the user can do something about it.
"""

import sys
import warnings
from collections.abc import Sequence

from numpy.linalg import LinAlgError
from sklearn.exceptions import ConvergenceWarning

from suffice.words import visible

NOT_THE_USER = ("suffice", "sklearn", "joblib")  # packages whose lines a user has not written


class SufficeError(ValueError):
    """The root: a ValueError, so that callers need not know us. Names and cells in it are shown, never obeyed."""

    def __str__(self) -> str:
        return visible(super().__str__())


class TableError(SufficeError):
    pass


class TableTypeError(TableError, TypeError):
    pass


class KindError(SufficeError):
    pass


class UnseenCategoryError(SufficeError):
    pass


class ParameterError(SufficeError):
    pass


class UnknownParameterError(ParameterError, TypeError):
    pass


class TooManyComponentsError(ParameterError):
    pass


class LossError(SufficeError):
    pass


class ImproperPriorError(SufficeError):
    pass


class HiddenCellsError(SufficeError):
    pass


class HiddenLabelsError(SufficeError):
    pass


class NoStatisticsError(ParameterError):
    pass


class GivenParametersError(SufficeError):
    pass


class UnknownLabelsError(HiddenLabelsError, TableError):
    pass


class NoDensityError(SufficeError, AttributeError):
    pass


class NoFormulaError(SufficeError):
    pass


class FallingObjectiveError(SufficeError):
    pass


class CollapsedError(SufficeError):
    pass


class SingularError(SufficeError, LinAlgError):
    """Positions only; the model, which knows the names, says it again with them."""

    def __init__(
        self, message: str, component: int | None = 0, columns: Sequence[int] = (), remedies: Sequence[str] = ()
    ) -> None:
        super().__init__(message)
        self.component = component  # None: whatever the component
        self.columns = tuple(columns)
        self.remedies = tuple(remedies)  # parameters of models that would help, besides a prior


class SuppressionError(ParameterError):
    """What can be read of single rows from some statistics is not known, so it cannot be dropped."""


class NotInSummaryError(SufficeError):
    pass


class FileError(SufficeError):
    pass


class NoFileError(FileError, FileNotFoundError):
    pass


class MissingExtraError(SufficeError, ImportError):
    pass


class SufficeWarning(UserWarning):
    pass


class KindHint(SufficeWarning):
    pass


class FileHint(SufficeWarning):
    """A file that may be meant otherwise than it was read: its encoding, its quotes, texts read as missing."""


class ConstantColumnWarning(SufficeWarning):
    pass


class IdleSettingWarning(SufficeWarning):
    pass


class UndeterminedWarning(SufficeWarning):
    pass


class LargeSummaryWarning(SufficeWarning):
    pass


class LostDigitsWarning(SufficeWarning):
    pass


class SuppressedWarning(SufficeWarning):
    """A number lacks what has been dropped from a summary, so that single rows are harder to read."""


class UnseenCategoryWarning(SufficeWarning):
    pass


class UnfitCellWarning(SufficeWarning):
    """Cells that a kind chosen automatically cannot hold are taken for missing."""


class StoppedWarning(SufficeWarning):
    pass


class NotConvergedWarning(SufficeWarning, ConvergenceWarning):
    pass


class NoIntervalWarning(SufficeWarning):
    pass


class ImpossibleRowWarning(SufficeWarning):
    pass


class MissingFontWarning(SufficeWarning):
    pass


def warn(message: str, category: type[Warning]) -> None:
    """Warn at the user's own line: the last one on the way here that is not in one of those packages."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in NOT_THE_USER:
        frame = frame.f_back
    place, spoken = frame.f_globals, frame.f_globals.setdefault("__warningregistry__", {})
    warnings.warn_explicit(
        visible(message), category, frame.f_code.co_filename, frame.f_lineno, place.get("__name__"), registry=spoken
    )
