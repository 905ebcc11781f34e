"""Odd values for every option and argument of every command: no fault of ours, no input changed, codes as documented.

`SUFFICE_ODD=2000 python -m pytest tests/cli/test_odd_values.py` tries more of them.
"""

import json
import os
import random

import pytest

from cli.every_command import COMMANDS, INPUTS, TABLE, called, spelled, write_inputs

pytestmark = pytest.mark.filterwarnings("ignore::suffice.errors.SufficeWarning")
TRIES = int(os.environ.get("SUFFICE_ODD", "70"))
CODES = {0, 2, 3, 4}
TEXTS = [
    "",
    " ",
    "-",
    "--",
    ".",
    "..",
    "/",
    "~",
    "x" * 300,
    "x" * 5000,
    "*" * 300,
    "**/*",
    "[",
    "a\0b",
    "\0",
    "\x1b[31m",
    "p\nq",
    "\udcff",
    "色泽",
    "👩‍🚀",
    "\u202e",
    "=",
    "a=",
    "=a",
    "a=b",
    "x=poisson",
    "x=binomial:-1",
    "x=binomial:99999999999999999999999",
    "x=categorical:",
    "x=categorical:1,2",
    "x=gaussian:3",
    "p=.5",
    "p=nan",
    "p=-1",
    "p=1e999",
    ",",
    "p,q",
    "q,q",
    "p,q,r",
    "x,z",
    "x,x",
    "x,y",
    '"',
    "nan",
    "inf",
    "-inf",
    "1e999",
    "-1",
    "0",
    "1",
    "2",
    "1.5",
    "9" * 30,
    "1-",
    "3-1",
    "0-0",
    "1-999999999",
    "٣",
    "true",
    "None",
    "auto",
    "x",
    "y",
    "z",
    "lda",
    "margin",
    "ml",
    "class",
    "sqlite",
    "nowhere/file",
    "nowhere/file.csv",
    "folder",
    "folder/",
    "folder/../rows.csv",
    "locked/new.csv",
    "rows.csv/inside",
    "empty.csv",
    "header.csv",
    "torn.csv",
    "odd.parquet",
    "text.suffice",
    "dangling.csv",
    "loop.csv",
    "/dev/null",
    "/dev/full",
    "new",
    "new.csv",
    "new.parquet",
    "new.jsonl.gz",
    "new.png",
    "new.xyz",
    *INPUTS,
]


@pytest.fixture
def odd_folder(suffice, folder):
    """Files and folders that are there, that are not what they seem, and that cannot be written."""
    write_inputs(folder, suffice)
    (folder / "folder").mkdir()
    (folder / "locked").mkdir(mode=0o555)
    (folder / "empty.csv").write_text("")
    (folder / "header.csv").write_text("x,z,y\n")
    (folder / "torn.csv").write_text('x,z,y\n1,2\n"3')
    (folder / "odd.parquet").write_bytes(b"PAR1no")
    (folder / "text.suffice").write_text("no model")
    (folder / "dangling.csv").symlink_to("nothing.csv")
    (folder / "loop.csv").symlink_to("loop.csv")
    return folder


def drawn(rng):
    """A command, with a few of its values odd."""
    name = rng.choice([one for one in sorted(COMMANDS) if one != "demo"])
    parameters = [one for one in COMMANDS[name].params if spelled(one) is None or not one.is_flag]
    changed = {
        one.name: rng.choice(TEXTS) for one in rng.sample(parameters, min(len(parameters), rng.choice([1, 1, 2, 3])))
    }
    flags = [spelled(one) for one in COMMANDS[name].params if spelled(one) and one.is_flag]
    return [*called(name, changed), *[flag for flag in flags if rng.random() < 0.3]]


def tried(suffice, folder, words):
    """What is wrong with how a command took these words, in a sentence; nothing if nothing is."""
    before = {path: path.read_bytes() for path in folder.iterdir() if path.is_file() and path.name in INPUTS}
    own = [word for word in words if word in INPUTS]
    found = suffice(*words)
    changed = [path.name for path, held in before.items() if path.name in own[:1] and path.read_bytes() != held]
    if found.code not in CODES or "bug" in found.err or "Traceback" in found.err:
        return f"{words}: code {found.code}, {found.err}"
    if changed or list(folder.glob(".*.part")):
        return f"{words}: changed {changed}, or left something behind"
    if found.code in (2, 4) and not found.err.rstrip().splitlines()[-1:]:
        return f"{words}: nothing said"
    if "--json" in words and found.code == 0 and found.out:
        one = found.out.startswith("{\n")
        [json.loads(row) for row in ([found.out] if one else found.out.splitlines())]
    return ""


@pytest.mark.parametrize("seed", range(5))
def test_odd_values_are_told_and_never_a_fault(suffice, odd_folder, seed):
    rng = random.Random(seed)
    faults, whole = [], {name: (odd_folder / name).read_bytes() for name in INPUTS}
    for _ in range(TRIES // 5):
        for name, content in whole.items():  # as some are the outputs of others
            (odd_folder / name).write_bytes(content)
        faults.append(tried(suffice, odd_folder, drawn(rng)))
    assert [fault for fault in faults if fault] == []


def test_a_value_is_odd_in_every_option(suffice, odd_folder):
    """Each option once with what is most often forgotten."""
    calls = [
        called(name, {parameter.name: text})
        for name in sorted(set(COMMANDS) - {"demo"})
        for parameter in COMMANDS[name].params
        if spelled(parameter) is None or not parameter.is_flag
        for text in ("", "a\0b", "\udcff")
    ]
    faults = [tried(suffice, odd_folder, words) for words in calls]
    assert [fault for fault in faults if fault] == []
    assert (odd_folder / TABLE).read_text().startswith("x,z,y\n")
