"""The public face: names, the demo, and the import order's promise that importing is cheap."""

import re
import subprocess
import sys
from pathlib import Path

import suffice
from suffice.examples import demo


def test_every_public_name_is_there():
    assert all(getattr(suffice, name) is not None for name in suffice.__all__)
    assert sorted(suffice.__all__) == suffice.__all__


def test_types_ship_with_the_package():
    assert (Path(suffice.__file__).parent / "py.typed").is_file()


def test_demo_shows_both_tables(capsys):
    demo.main()
    out = capsys.readouterr().out
    assert "0.05238" in out
    assert "338 of 344" in out


def test_import_brings_no_data_frame_library_and_no_compiler():
    heavy = ("pandas", "polars", "pyarrow", "numba", "matplotlib", "sklearn.svm", "sklearn.linear_model")
    code = (
        f"import sys, sklearn.base; a = {{*sys.modules}}; import suffice; print({{*{heavy}}} & ({{*sys.modules}} - a))"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "set()"


def test_the_reference_lists_every_public_name():
    page = (Path(__file__).parents[1] / "docs" / "reference.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r"^\| `(\w+)` \|", page, flags=re.MULTILINE)) == suffice.__all__
