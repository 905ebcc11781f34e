"""Labels as scikit-learn's users give them."""

from typing import Any

import numpy as np
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.validation import column_or_1d

from suffice.data.frames import is_frame, read_frame
from suffice.errors import TableError, warn

ONE_COLUMN = "A column-vector y was passed when a 1d array was expected: it is read as its one column."


def one_column(y: Any) -> Any:
    """scikit-learn accepts a column vector, with a warning; so do we. A frame of several columns is partial labels."""
    frame = read_frame(y) if is_frame(y) else None
    if frame is not None:
        if frame.shape[1] != 1:
            return y
        warn(ONE_COLUMN, DataConversionWarning)
        return frame[frame.columns[0]].to_native()
    if not isinstance(y, np.ndarray) or y.ndim != 2:
        return y
    if y.shape[1] != 1:
        raise TableError(f"y should be a 1d array, one label for each row; got an array of shape {y.shape} instead.")
    warn(ONE_COLUMN, DataConversionWarning)
    return column_or_1d(y)
