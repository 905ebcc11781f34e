"""Every picture refuses what it does not show, and says which package it lacks."""

import inspect
import sys

import pytest

from suffice import plots
from suffice.errors import MissingExtraError, ParameterError, SufficeError

pytest.importorskip("matplotlib", reason="pictures are drawn by matplotlib")


@pytest.mark.parametrize("name", plots.__all__)
def test_a_picture_of_something_else_is_refused(name):
    draw = getattr(plots, name)
    needed = [one for one in inspect.signature(draw).parameters.values() if one.default is one.empty]
    with pytest.raises(SufficeError):
        draw(*["nothing like it"] * len(needed))


def test_axes_are_those_of_matplotlib():
    with pytest.raises(ParameterError, match="ax must be matplotlib axes"):
        plots.missing({"x": [1.0, None]}, ax="a figure")


def test_without_matplotlib_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'suffice\[plots\]'"):
        plots.missing({"x": [1.0, None]})
