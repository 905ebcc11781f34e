"""The public face: names, the demo, and the import order's promise that importing is cheap."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import suffice
from suffice.examples import demo


def test_every_public_name_is_there():
    assert all(getattr(suffice, name) is not None for name in suffice.__all__)
    assert sorted(suffice.__all__) == suffice.__all__


def test_types_ship_with_the_package():
    assert (Path(suffice.__file__).parent / "py.typed").is_file()
    assert "__all__ = [" in Path(suffice.__file__).with_suffix(".pyi").read_text(encoding="utf-8")


def test_a_name_that_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'NiaveBayes'"):
        suffice.NiaveBayes  # noqa: B018 # asking is the test
    assert set(dir(suffice)) == set(suffice.__all__)


def test_import_alone_brings_no_numbers():
    code = "import sys, suffice; print({'numpy', 'sklearn', 'scipy'} & {*sys.modules})"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "set()"


def test_demo_shows_both_tables(capsys):
    demo.main()
    out = capsys.readouterr().out
    assert "0.05238" in out
    assert "338 of 344" in out


def test_import_brings_no_data_frame_library_and_no_compiler():
    heavy = ("pandas", "polars", "pyarrow", "numba", "matplotlib", "sklearn.svm", "sklearn.linear_model")
    before = "import sys, sklearn.base; before = {*sys.modules}; from suffice import *"
    code = f"{before}; print({{*{heavy}}} & ({{*sys.modules}} - before))"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "set()"


def test_the_reference_lists_every_public_name():
    page = (Path(__file__).parents[1] / "docs" / "reference.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r"^\| `(\w+)` \|", page, flags=re.MULTILINE)) == suffice.__all__
