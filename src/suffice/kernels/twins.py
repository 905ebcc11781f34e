"""Which twin serves: the compiled kernels for large blocks where numba is installed, NumPy for everything else.

Both twins compute the same to twelve digits. NumPy states what that is; numba (the extra `fast`) reads the rows once.
"""

from functools import cache
from types import ModuleType

COMPILED_FROM = 1 << 18  # cells of a block from which loading the compiled kernels pays


def compiled(cells: int) -> ModuleType | None:
    """The compiled kernels, if they should serve a block of so many cells."""
    return _compiled() if cells >= COMPILED_FROM else None


@cache
def _compiled() -> ModuleType | None:
    try:
        from suffice.kernels import compiled
    except ImportError:
        return None
    return compiled
