"""How kernels are compiled: kept on disk, without the interpreter's lock; sums in any order, where that is said."""

from numba import njit

kernel = njit(nogil=True, cache=True, error_model="numpy")
summing = njit(nogil=True, cache=True, error_model="numpy", fastmath={"reassoc", "contract"})  # lanes of a sum apart
exactly = njit(nogil=True, cache=True, error_model="numpy", fastmath={"contract"})
