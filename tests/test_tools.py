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


FIGURES = [name for name, ratio in tool("figures").RATIOS.items() if ratio.most is not None]


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_of_the_house_only_falls(name):
    """Lower the limit in tools/figures.py of what has fallen; `make figures WHERE=` lists the places of one."""
    ratio = tool("figures").RATIOS[name]
    assert ratio.found <= ratio.most, f"{ratio.what}: {ratio.found}, at most {ratio.most}"


@pytest.fixture
def a_package(monkeypatch):
    """Some files in place of those of the package, as tools/contract.py reads them."""
    contract = tool("contract")
    families = {
        "families/protocol.py": "class Family: ...\nclass Density: ...\nclass Statistics: ...\nclass Prior: ...",
        "families/capabilities.py": "class Divergent(Density): ...",
        "families/bell.py": "class Bell(Divergent): ...\nclass Sums(Statistics): ...\nBoth = Bell | Sums",
    }
    kinds = {"data/kinds.py": 'BELL, FLAG = "bell", "flag"\nBINARY = "binary"\nBOTH = (BELL, FLAG)\nFEW = 3'}

    def read(**files):
        sources = families | kinds | {path.replace("__", "/") + ".py": text for path, text in files.items()}
        trees = {path: ast.parse(text) for path, text in sources.items()}
        monkeypatch.setattr(contract, "parsed", lambda: trees)
        return contract

    return read


@pytest.mark.parametrize(
    "asked, places",
    [
        ("isinstance(x, Bell)", 1),
        ("isinstance(x, bell.Sums | int)", 1),
        ("isinstance(x, Both)", 1),
        ("isinstance(x, Divergent)", 0),
        ("isinstance(x, (Family, Density))", 0),
        ("isinstance(x, dict)", 0),
    ],
)
def test_a_concrete_class_asked_for_outside_families_is_found(a_package, asked, places):
    assert len(a_package(model__fit=asked).type_tests()) == places


def test_a_case_of_a_concrete_class_is_found_too_and_families_may_ask(a_package):
    found = a_package(
        model__fit="match x:\n    case Bell():\n        y = 1", families__b="isinstance(x, Bell)"
    ).type_tests()
    assert found == ["model/fit.py:2 Bell()"]


@pytest.mark.parametrize(
    "asked, places",
    [
        ("x == BELL", 1),
        ("x in (BELL, FLAG)", 1),
        ("x not in BOTH", 1),
        ("x == BINARY", 0),
        ("x.flag", 0),
        ("x > FEW", 0),
    ],
)
def test_a_kind_compared_by_name_is_found(a_package, asked, places):
    assert len(a_package(model__fit=asked).kind_tests()) == places


def test_a_kind_is_found_by_another_name_that_a_file_gives_it(a_package):
    assert a_package(model__fit="NUMBERS = (BELL, 'x')\nx.kind in NUMBERS").kind_tests() == [
        "model/fit.py:2 x.kind in NUMBERS"
    ]


def test_only_names_of_other_objects_are_reached_into(a_package):
    own = "class A:\n    def f(self):\n        return self._a, super()._b, cls._c, self.__dict__"
    contract = a_package(estimators__a=own, estimators__b="model._a", model__b="model._a", learn__b="x.y._b")
    assert contract.reached_into() == ["estimators/b.py:1 model._a", "learn/b.py:1 x.y._b"]


def test_cycles_count_what_only_type_checkers_load(a_package):
    later = "if TYPE_CHECKING:\n    from suffice.model.a import A"
    contract = a_package(model__a="from suffice.model.b import B", model__b=later)
    assert contract.cycles() == [{"model/a.py", "model/b.py"}]
    assert contract.cycles(typing=False) == []
    assert contract.longest_chain() == 2


@pytest.mark.parametrize(
    "text, leans",
    [
        ("Of every row.", 1),
        ("What it is.", 1),
        ("Whether so.", 1),
        ("The rows.", 0),
        ("Offers rows.", 0),
        ("Format.", 0),
    ],
)
def test_a_docstring_that_leans_on_its_signature_is_found(a_package, text, leans):
    assert len(a_package(model__a=f'def f():\n    """{text}"""').leaning()) == leans


def test_a_name_with_two_homes_is_found_once(a_package):
    contract = a_package(model__a="class Rows: ...\nCells = dict[str, int]", model__b="Rows = A | B\nclass Cells: ...")
    assert sorted(contract.homes()) == ["Cells", "Rows"]


def test_any_has_no_other_name():
    assert tool("figures").aliases() == set()


def test_figures_follow_calls_through_the_files_of_the_package(capsys):
    figures = tool("figures")
    figures.main()
    printed = capsys.readouterr().out
    assert "suffice/families/gaussian" in printed
    assert "NaiveBayes().fit" in printed
    assert figures.walk(lambda: None).visited == 0
    assert "may only fall" in printed


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
