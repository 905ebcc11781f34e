"""Nothing that a command reads is ever written over, and values that mean nothing are refused: for every command."""

import os

import pytest

from cli.every_command import ARGUMENTS, COMMANDS, INPUTS, TABLE, called, options_of, spelled, write_inputs
from suffice.cli.options import KEEPS, READS, WRITES

pytestmark = pytest.mark.filterwarnings("ignore::suffice.errors.SufficeWarning")
READING = sorted(set(COMMANDS) - {"demo"})  # which reads nothing of the user's


def marked(name, *marks):
    """Parameters of a command that are marked as files."""
    hints = COMMANDS[name].callback.__wrapped__.__annotations__
    return [one for one in COMMANDS[name].params if {*marks} & {*getattr(hints[one.name], "__metadata__", ())}]


NUMBERS = {"fail_under", "folds", "seed", "reject", "row", "rows", "suppress_below"}
OUTPUTS = [(name, one.name) for name in READING for one in marked(name, WRITES, KEEPS)]
LINKS = {
    "its own name": lambda folder, file: file,
    "a symbolic link": lambda folder, file: os.symlink(folder / file, folder / "soft") or "soft",
    "a link to a link": lambda folder, file: (os.symlink(file, "one"), os.symlink("one", "two")) and "two",
    "a hard link": lambda folder, file: os.link(file, "hard") or "hard",
    "a path around": lambda folder, file: f"sub/../{file}",
    "a path from the root": lambda folder, file: str(folder / file),
    "a folder that is a link": lambda folder, file: os.symlink(folder, "door") or f"door/{file}",
}


@pytest.fixture
def inputs(suffice, folder):
    write_inputs(folder, suffice)
    (folder / "sub").mkdir()
    return lambda: {name: (folder / name).read_bytes() for name in INPUTS}


def test_every_command_marks_the_files_that_it_reads():
    for name in READING:
        read = {one.name for one in marked(name, READS)}
        assert {one.name for one in COMMANDS[name].params if spelled(one) is None and one.name != "picture"} <= read


def read_by(name):
    """What stands for each file that a command reads without options."""
    arguments = [one for one in COMMANDS[name].params if spelled(one) is None and one.name != "picture"]
    return {one.name: ARGUMENTS[one.metavar] for one in arguments}


@pytest.mark.parametrize("name", READING)
def test_no_option_of_any_command_changes_its_inputs(suffice, inputs, name):
    own = set(read_by(name).values())
    before = {file: inputs()[file] for file in own}
    for option in options_of(name):
        for file in own:
            suffice(*called(name, {option.name: file}))
            assert {file: inputs()[file] for file in own} == before, (option.name, file)


@pytest.mark.parametrize("way", LINKS)
def test_outputs_that_are_inputs_are_refused_by_whatever_name(suffice, inputs, folder, way):
    before = inputs()
    for name, option in OUTPUTS:
        for source, file in read_by(name).items():
            found = suffice(*called(name, {option: LINKS[way](folder, file), source: file}))
            assert (found.code, "would overwrite the input" in found.err) == (2, True), (name, option, source, found)
            for link in ("soft", "one", "two", "hard", "door"):
                (folder / link).unlink(missing_ok=True)
    assert inputs() == before


@pytest.mark.parametrize("given", ["r*.csv", "in", "in/*.csv", "i*/?.csv"])
def test_outputs_among_files_read_by_pattern_or_folder_are_refused(suffice, inputs, folder, given):
    (folder / "in").mkdir()
    for target in (folder / TABLE, folder / "in" / "a.csv"):
        target.write_bytes((folder / TABLE).read_bytes())
    output = "rnew.csv" if given == "r*.csv" else "in/n.csv"
    there = TABLE if given == "r*.csv" else "in/a.csv"
    for target in (there, output):
        found = suffice("predict", "line.suffice", given, "-o", target)
        assert (found.code, found.out) == (2, ""), target
        assert "overwrite" in found.err or "be read with them the next time" in found.err
    assert not (folder / output).exists()
    assert suffice("predict", "line.suffice", given, "-o", "sub/new.jsonl").code == 0


def test_two_outputs_are_two_files(suffice, inputs, folder):
    found = suffice("cluster", TABLE, "--components", "1", "-o", "sub/a.csv", "--save", "sub/../sub/a.csv")
    assert (found.code, "would overwrite each other" in found.err) == (2, True)
    assert os.listdir(folder / "sub") == []


def test_costs_are_an_input_too(suffice, inputs, folder):
    (folder / "costs.csv").write_text("action,p,q\na,0,1\nb,1,0\n")
    for words in (("decide", "line.suffice", TABLE, "--loss"), ("fit", TABLE, "-y", "y", "-m", "lda", "--by")):
        found = suffice(*words, "costs.csv", "-o", "costs.csv")
        assert (found.code, "would overwrite the input" in found.err) == (2, True)


def test_numbers_that_are_none_are_refused_in_every_command(suffice, inputs):
    numbers = [(name, one) for name in COMMANDS for one in options_of(name) if one.name in NUMBERS]
    assert len(numbers) >= 10
    for name, option in numbers:
        whole = option.name not in ("fail_under", "reject", "suppress_below")
        for text in ("nan", "inf", "-inf", "-1", "-0.5", "", "many", "9" * 40, "1e400") + (("1.5",) if whole else ()):
            found = suffice(*called(name, {option.name: text}))
            assert (found.code, "bug" in found.err) == (2, False), (name, option.name, text, found)


def test_every_option_with_a_number_is_known_here():
    for name in COMMANDS:
        for option in options_of(name):
            number = type(option.default) in (int, float) or option.metavar in ("N", "COST", "ACCURACY", "ROWS")
            assert number == (option.name in NUMBERS), (name, option.name)


def test_models_and_summaries_do_not_go_to_stdout(suffice, inputs, folder):
    for name, option in OUTPUTS:
        if option in {one.name for one in marked(name, KEEPS)}:
            found = suffice(*called(name, {option: "-"}))
            assert (found.code, "go to a file" in found.err) == (2, True), name
    assert not (folder / "-").exists()


def test_stdin_is_one_input(suffice, inputs):
    found = suffice("decide", "line.suffice", "-", "--loss", "-")
    assert (found.code, "one input only" in found.err) == (2, True)
