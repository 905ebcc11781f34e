"""The public face: names, the demo, and the import order's promise that importing is cheap."""

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


@pytest.mark.filterwarnings("ignore::suffice.errors.MissingFontWarning")
@pytest.mark.parametrize(
    ("variable", "told"),
    [("LANG", ["0.05237872", "reject", "objective"]), ("SUFFICE_LANGUAGE", ["0.05237872", "后验概率", "目标函数"])],
)
def test_the_demo_speaks_the_language_of_the_terminal(variable, told, monkeypatch, capsys, tmp_path):
    for name in ("SUFFICE_LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(variable, "zh_CN.UTF-8" if variable == "SUFFICE_LANGUAGE" else "en_GB.UTF-8")
    demo.main([str(tmp_path / "pictures")])
    out = capsys.readouterr().out
    assert [words for words in told if words not in out] == []
    assert str(tmp_path / "pictures") in out
    drawn = sorted(path.stem for path in (tmp_path / "pictures").iterdir() if path.suffix != ".html")
    assert drawn == ["confusion", "densities", "em", "explanation", "nomogram", "regions"]


def test_the_demo_without_matplotlib_says_what_is_missing(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert demo.drawn(tmp_path / "pictures") == "Pictures need matplotlib: pip install 'suffice[plots]'."
    assert not (tmp_path / "pictures").exists()


def test_import_brings_no_data_frame_library_and_no_compiler():
    heavy = ("pandas", "polars", "pyarrow", "numba", "matplotlib", "sklearn.svm", "sklearn.linear_model")
    before = "import sys, sklearn.base; before = {*sys.modules}; from suffice import *"
    code = f"{before}; print({{*{heavy}}} & ({{*sys.modules}} - before))"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "set()"


def test_a_belief_by_itself_knows_all_kinds_of_columns():
    code = "from suffice import Beta; print(Beta(5, 5).after([1, 0, 1]))"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout == "Beta(7, 6)  mode 0.545  mean 0.538\n"
