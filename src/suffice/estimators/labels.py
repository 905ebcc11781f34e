"""Labels as scikit-learn's users give them."""

from typing import Any

import numpy as np
from sklearn.utils.validation import column_or_1d

from suffice.data.frames import is_frame


def one_column(y: Any) -> Any:
    """scikit-learn accepts a column vector, with a warning; so do we. A frame of several columns is partial labels."""
    if is_frame(y) and y.shape[1] > 1:
        return y
    return column_or_1d(y, warn=True) if is_frame(y) or (isinstance(y, np.ndarray) and y.ndim == 2) else y
