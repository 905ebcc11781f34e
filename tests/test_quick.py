"""What `make test-quick` leaves out, and what it does not."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from families.cases import CASES
from quick import chosen, function_of, parts, slow
from suffice.data.kinds import declarable
from suffice.estimators.registry import MODELS
from suffice.testing import LAWS

ROOT = Path(__file__).resolve().parents[1]
LAW = "tests/families/test_laws.py::test_law"


def crossed(name, *sides):
    cases = [name + "["]
    for side in sides:
        cases = [f"{case}{'' if case.endswith('[') else '-'}{value}" for case in cases for value in side]
    return [f"{case}]" for case in cases]


def test_every_function_that_is_not_slow_takes_part(collected):
    assert {function_of(case) for case in chosen(collected)} == {function_of(case) for case in collected} - slow()


def test_what_is_slow_is_a_test_that_exists():
    """Take out of tests/slow.txt what has another name now, and put in the new one."""
    for name in slow():
        path, function = name.split("::")[:2]
        source = (ROOT / path).read_text(encoding="utf-8")
        last = function.rpartition(".")[2]  # of an example in a docstring; a page is all one example
        assert last == "md" or re.search(rf"^ *((def|class) {last}\b|{last} = )", source, re.MULTILINE), name


def test_few_functions_are_slow():
    assert len(slow()) < 400


def test_few_cases_stay_with_every_part():
    cases = crossed("tests/test_x.py::test_x", "abcdefghij", "klmnopqrst")
    stay = chosen(cases)
    assert len(stay) == 14
    assert set().union(*map(parts, stay)) == set().union(*map(parts, cases))


def test_functions_with_the_same_cases_begin_at_different_places():
    names = [f"tests/test_x.py::test_{number}" for number in range(40)]
    stay = chosen(case for name in names for case in crossed(name, "ab"))
    assert {case[-2] for case in stay} == {*"ab"}
    assert len(stay) == len(names)


@pytest.mark.parametrize("alone", ["tests/test_x.py::test_x", "tests/test_x.py::test_x[a]", "README.md::README.md"])
def test_a_new_test_takes_part_by_itself(alone):
    assert chosen([alone]) == {alone}


def test_slow_ones_stay_out(monkeypatch):
    monkeypatch.setattr("quick.slow", lambda: {"tests/test_x.py::test_slow"})
    assert chosen(["tests/test_x.py::test_slow[a]", "tests/test_x.py::test_slow_no_more"]) == {
        "tests/test_x.py::test_slow_no_more"
    }


def test_the_choice_is_the_same_in_every_process():
    line = f"import quick; print(sorted(quick.chosen({crossed('tests/test_x.py::test_x', 'abcdefgh', 'ijklmnop')})))"
    found = [
        subprocess.run(
            [sys.executable, "-c", line],
            cwd=ROOT / "tests",
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1")
    ]
    assert found[0] == found[1]


@pytest.fixture
def found(collected):
    """What stays of all tests."""
    if not any(case.startswith("src/") for case in collected) or not any(
        function_of(case) == LAW for case in collected
    ):
        pytest.skip("only a part of the tests was asked for; make test and make test-quick look at all of them")
    return chosen(collected)


def test_every_family_and_every_law_of_families_takes_part(found):
    held = [case for case in found if function_of(case) == LAW]
    for thing in [*CASES, *LAWS]:
        assert any(str(thing) in case for case in held), thing


def test_every_kind_takes_part(found):
    for kind in declarable():
        alone = re.compile(rf"\[.*(?<![a-z-]){kind}(?![a-z-])")
        assert any(alone.search(case) for case in found), kind


def test_every_model_takes_part(found):
    for entry in MODELS:
        assert any(re.search(rf"\b{entry.name}\b", case) for case in found if "test_contract.py" in case), entry.name
