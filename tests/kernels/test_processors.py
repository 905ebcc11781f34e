"""Compiled kernels do their arithmetic in lanes whatever processor they are compiled for, read from their code.

How long they take is nobody's test; `make bench-kernels` shows it.
"""

import platform
import sys
from functools import cache
from pathlib import Path
from signal import SIGABRT
from subprocess import CalledProcessError

import pytest

pytest.importorskip("numba")
sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
import kernels
from suffice.kernels import compiled
from suffice.kernels.compiled.lanes import LANES, lanes

LOOKING = {
    "hard_counts",
    "pair_counts",
    "look_up",
    "look_up_given",
    "look_up_pairs",
    "hard_words_and_rows",
    "own_shares",
}
LOOKING |= {"coordinate_pass"}  # cells of sparse rows, one after the other
PROCESSORS = {"znver4": kernels.WIDE, "haswell": "+fma,+bmi,+bmi2,+avx,+avx2"}
pytestmark = pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="names of that family")


@cache
def code(processor):
    try:
        return kernels.code_for(processor, PROCESSORS[processor])
    except CalledProcessError as error:
        if error.returncode != -SIGABRT:
            raise
        pytest.skip(f"the compiler that numba brings does not know {processor}")


@pytest.mark.parametrize(("rows", "width"), [(1, LANES), (7, 2 * LANES), (64, LANES)])
def test_rows_of_lanes_begin_a_line_of_the_cache_and_want_different_places(rows, width):
    found = lanes(rows, width)
    assert found.ctypes.data % 64 == 0
    assert found.strides[0] % 128 == 64  # an odd number of lines
    assert found.shape[0] == rows
    assert found.shape[1] >= width
    assert not found.any()


def test_every_kernel_is_measured():
    assert {*kernels.works(3, 2, kernels.np.random.default_rng(0)), "first_cells"} == set(compiled.__all__)


@pytest.mark.parametrize("processor", PROCESSORS)
def test_no_kernel_collects_or_strews_numbers_one_by_one(processor):
    assert [name for name, found in code(processor).items() if found["one by one"]] == []


@pytest.mark.parametrize("processor", PROCESSORS)
def test_arithmetic_is_done_in_lanes(processor):
    assert {name for name, found in code(processor).items() if not found["in lanes"]} <= LOOKING
