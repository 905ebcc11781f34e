"""Single options: numbers of any type that is one, and nothing else."""

from fractions import Fraction

import numpy as np
import pytest

from suffice.errors import ParameterError
from suffice.options import generator, number, whole

NO_NUMBER = [None, "1", True, np.True_, 1j, [1], np.array([1, 2]), object(), float("nan"), float("inf"), 10**400]


@pytest.mark.parametrize("given", [1, 1.0, np.float32(1), np.int8(1), Fraction(1)])
def test_numbers_of_any_type_are_plain_floats(given):
    assert type(number(given, "a number")) is float


@pytest.mark.parametrize("given", [*NO_NUMBER, 2])
def test_what_is_no_number_in_range_is_named_beside_what_was_expected(given):
    with pytest.raises(ParameterError, match=r"^half is below 1; found .*\.$"):
        number(given, "half is below 1", lambda value: value < 1)


@pytest.mark.parametrize("given", [*NO_NUMBER[:-1], 1.0, 0, -3])
def test_what_is_no_whole_number_is_refused(given):
    with pytest.raises(ParameterError, match=r"^draws is 1 or more; found .*\.$"):
        whole(given, "draws is 1 or more")


def test_whole_numbers_of_numpy_are_whole():
    assert type(whole(np.uint8(3), "three")) is int


@pytest.mark.parametrize("seed", ["a", 2.5, -1, object(), [0.5]])
def test_what_is_no_seed_is_refused(seed):
    with pytest.raises(ParameterError, match="random_state must be a whole number"):
        generator(seed)


def test_a_seed_gives_the_same_numbers_and_a_generator_goes_on():
    assert generator(3).random() == generator(3).random()
    ongoing = np.random.default_rng(0)
    assert generator(ongoing) is ongoing
