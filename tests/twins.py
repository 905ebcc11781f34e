"""Both twins of the kernels, whatever the size of the table."""

from contextlib import contextmanager

import pytest

from suffice import arrays, threads
from suffice.kernels import twins as choice

PATHS = {
    "numpy": {choice: {"COMPILED_FROM": 1 << 18}},
    "compiled": {choice: {"COMPILED_FROM": 0}, arrays: {"BLOCK_CELLS": 500}, threads: {"CORES": 2}},
}


@contextmanager
def served_by(path):
    """Within it, large blocks alone are compiled ("numpy"), or all of them, which are then tiny ("compiled")."""
    if path == "compiled":
        pytest.importorskip("numba")
    with pytest.MonkeyPatch.context() as patch:
        for module, constants in PATHS[path].items():
            for name, value in constants.items():
                patch.setattr(module, name, value)
        yield
