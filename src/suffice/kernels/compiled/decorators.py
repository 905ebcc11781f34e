"""How kernels are compiled: kept on disk, without the interpreter's lock; sums in any order, where that is said."""

from numba import njit

kernel = njit(nogil=True, cache=True, error_model="numpy")
summing = njit(nogil=True, cache=True, error_model="numpy", fastmath={"reassoc", "contract"})  # lanes of a sum apart
exactly = njit(nogil=True, cache=True, error_model="numpy", fastmath={"contract"})

LANES = 192  # rows side by side, so that a processor takes several at once; few enough to stay in a near cache, and no
# power of two, whose rows would all want the same places there
