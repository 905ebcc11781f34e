"""Labels as scikit-learn's users give them."""

import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.validation import column_or_1d

from suffice.data.frames import is_frame, read_frame

ONE_COLUMN = "A column-vector y was passed when a 1d array was expected: it is read as its one column."


def one_column(y: Any) -> Any:
    """scikit-learn accepts a column vector, with a warning; so do we. A frame of several columns is partial labels."""
    if is_frame(y):
        frame = read_frame(y)
        if frame.shape[1] != 1:
            return y
        warnings.warn(ONE_COLUMN, DataConversionWarning, stacklevel=4)
        return frame[frame.columns[0]].to_native()
    return column_or_1d(y, warn=True) if isinstance(y, np.ndarray) and y.ndim == 2 else y
