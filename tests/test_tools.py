"""The tools beside the library: constraints from pyproject.toml, mutants, and the figures of the house."""

import ast
import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def tool(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look it up
    spec.loader.exec_module(module)
    return module


def test_the_lowest_versions_come_from_pyproject():
    project = {
        "name": "suffice",
        "dependencies": ["numpy>=2.0"],
        "optional-dependencies": {"plots": ["matplotlib>=3.9"], "all": ["suffice[plots]"]},
    }
    assert list(tool("oldest").lowest(project)) == ["numpy==2.0", "matplotlib==3.9"]


@pytest.mark.parametrize("requirement", ["numpy", "numpy==2.0", "numpy>=2.0,<3", "numpy~=2.0"])
def test_a_requirement_without_a_lowest_version_is_refused(requirement):
    with pytest.raises(SystemExit, match="lowest version"):
        list(tool("oldest").lowest({"name": "x", "dependencies": [requirement], "optional-dependencies": {}}))


def test_every_requirement_of_ours_has_a_lowest_version():
    oldest = tool("oldest")
    project = oldest.tomllib.loads(oldest.PYPROJECT.read_text(encoding="utf-8"))["project"]
    assert len(list(oldest.lowest(project))) > 10


SOURCE = '''
"""Text 1."""
def area(width: int = 3, *, whole: bool = True) -> float:
    if width < 0 and whole:
        raise ValueError(f"{width + 1}")
    return width * 2
'''


def test_mutants_change_one_place_each_and_leave_texts_and_types_alone(tmp_path, monkeypatch):
    pytest.importorskip("coverage", reason="mutants need the extra check")
    mutants = tool("mutants")
    monkeypatch.setattr(mutants, "ROOT", tmp_path)
    (tmp_path / "area.py").write_text(SOURCE, encoding="utf-8")
    found = list(mutants.mutants(tmp_path / "area.py"))
    changes = {
        ("3", "4"),
        ("True", "False"),
        ("width < 0 and whole", "width < 0 or whole"),
        ("width < 0", "width <= 0"),
    }
    changes |= {("width < 0", "width <= 0"), ("0", "1"), ("width * 2", "width / 2"), ("2", "3")}
    assert {(mutant.before, mutant.after) for mutant in found} == changes
    plain = ast.unparse(ast.parse(SOURCE)).splitlines()
    for mutant in found:
        assert sum(a != b for a, b in zip(plain, mutant.source.splitlines(), strict=True)) == 1


LIMITS = {"unstated": 370, "ignores": 10}


@pytest.mark.parametrize("figure, limit", LIMITS.items())
def test_types_stay_stated(figure, limit):
    assert getattr(tool("figures"), figure)() < limit


def test_any_has_no_other_name():
    assert tool("figures").aliases() == set()


def test_types_of_ours_are_not_made_of_any():
    assert tool("figures").hidden() == []


def test_figures_follow_calls_through_the_files_of_the_package(capsys):
    figures = tool("figures")
    figures.main()
    printed = capsys.readouterr().out
    assert "suffice/families/gaussian" in printed
    assert "NaiveBayes().fit" in printed
    assert figures.walk(lambda: None).visited == 0
    assert figures.walks()["NaiveBayes().fit"].visited <= 46


def test_signatures_are_read_with_quoted_types():
    figures = tool("figures")
    (function,) = ast.parse('def f(a: "dict[str, Any]", *b: object) -> Any: ...').body
    assert [name for note in figures.annotations(function) for name in figures.names(note)].count("Any") == 2


def test_packages_of_debian_that_cannot_be_installed_are_named(monkeypatch, capsys):
    debian = tool("debian")
    absent = debian.Needed("no-such-program", "no-such-package", "usr/lib/nowhere/*/bin")
    monkeypatch.setattr(debian, "NEEDED", {"test-it": (absent,), "test-sh": (debian.Needed("sh", "dash", ""),)})
    monkeypatch.setattr(debian.os, "getuid", lambda: 1000)
    assert debian.main("test-it") == 1
    told = capsys.readouterr().err
    assert "make test-it needs no-such-program, of the Debian packages no-such-package" in told
    assert "only root may install packages" in told
    assert debian.main("test-sh") == 0


def test_the_book_goes_on_without_a_font_and_says_so_in_one_line(monkeypatch, capsys):
    debian = tool("debian")
    assert debian.Font("a", "any").there()
    monkeypatch.setattr(
        "suffice.plots.fonts.families_for", lambda characters: ([], characters)
    )  # as if there were none
    monkeypatch.setattr(debian.os, "getuid", lambda: 1000)
    assert debian.main("docs") == 0
    [told] = capsys.readouterr().err.splitlines()
    assert "Debian packages fonts-noto-cjk" in told
    assert "only root may install packages" in told
    assert "Figures will show boxes in place of Chinese characters" in told


def test_no_page_of_the_book_says_that_a_font_is_missing():
    [quiet] = re.findall(r'^NO_FONT = "(.*?)"', (ROOT / "docs" / "shared" / "settings.py").read_text(), re.MULTILINE)
    draw = """import matplotlib
matplotlib.use("Agg")
from suffice import NaiveBayes, plots
plots.canvas.families_for = lambda characters: ([], characters)
plots.posterior(NaiveBayes().fit({"a": [1.0, 2, 3, 4]}, ["是"] * 2 + ["否"] * 2), {"a": [1.0]})"""
    for option, told in (([], True), (["-W", quiet], False)):
        ran = subprocess.run([sys.executable, *option, "-c", draw], capture_output=True, text=True, check=True)
        assert ("No font on this machine has" in ran.stderr) == told
