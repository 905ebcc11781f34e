"""Which twin serves: the compiled kernels for large blocks where numba is installed, NumPy for everything else.

Both twins compute the same to twelve digits. NumPy states what that is; numba (the extra `fast`) reads the rows once.
"""

from functools import cache
from types import ModuleType

COMPILED_FROM = 1 << 18  # cells of a block from which loading the compiled kernels pays
LOADED_FROM = 1 << 14  # and from which they pay where they are loaded


def compiled(cells: int) -> ModuleType | None:
    """The compiled kernels, if they should serve a block of so many cells."""
    return _compiled() if cells >= COMPILED_FROM else None


def compiled_alike(cells: int) -> ModuleType | None:
    """The same for kernels that give the very bits of their twins: blocks before this one may have loaded them."""
    loaded = _compiled.cache_info().currsize > 0
    return _compiled() if cells >= (LOADED_FROM if loaded else COMPILED_FROM) else None


@cache
def _compiled() -> ModuleType | None:
    try:
        from suffice.kernels import compiled
    except ImportError:
        return None
    return compiled
