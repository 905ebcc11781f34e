"""What goes wrong: bad input of every sort in the words of the command line, exit codes, pipes, interruptions."""

import os
import signal
import subprocess
import sys
import time

import pytest

COMMAND = [sys.executable, "-m", "suffice"]

WRONG = {
    "a column that is not there": (("fit", "penguins.csv", "-y", "specis", "-o", "m"), 2, "did you mean 'species'?"),
    "a table that is not there": (("fit", "nothing.csv", "-y", "a", "-o", "m"), 4, "There is no file 'nothing.csv'"),
    "an option that there is not": (("fit", "penguins.csv", "--labl", "a"), 2, "No such option: --labl"),
    "a command that there is not": (("fitt",), 2, "No such command 'fitt'"),
    "a model that there is not": (
        ("fit", "penguins.csv", "-y", "species", "-o", "m", "-m", "svm"),
        2,
        "there is no model 'svm'",
    ),
    "a kind that there is not": (
        ("fit", "penguins.csv", "-y", "species", "-o", "m", "-m", "naive-bayes", "--kind", "year=poison"),
        2,
        "poison",
    ),
    "a kind without a column": (
        ("fit", "penguins.csv", "-y", "species", "-o", "m", "--kind", "poisson"),
        2,
        "--kind takes COLUMN=KIND",
    ),
    "a kind of another column": (
        ("fit", "penguins.csv", "-y", "species", "-o", "m", "-m", "naive-bayes", "--kind", "yeer=poisson"),
        2,
        "yeer",
    ),
    "an ignored column that there is not": (
        ("fit", "penguins.csv", "-y", "species", "-o", "m", "--ignore", "yaer"),
        2,
        "did you mean 'year'?",
    ),
    "no column of classes": (("evaluate", "p.suffice", "penguins.csv"), 2, "Missing option '-y'"),
    "a dialect that there is not": (("export", "w.suffice", "--sql", "oracle"), 2, "--sql oracle is not known"),
    "no two classes": (("explain", "p3.suffice", "penguins.csv"), 2, "--between A,B"),
    "a prior that is no number": (
        ("fit", "penguins.csv", "-y", "species", "-o", "m", "--prior", "Adelie=much"),
        2,
        "--prior takes numbers",
    ),
    "a setting that a model lacks": (
        ("fit", "penguins.csv", "-y", "species", "-o", "m", "-m", "logistic", "--estimate", "map"),
        2,
        "logistic does not take --estimate",
    ),
    "an empty file": (("fit", "empty.csv", "-y", "a", "-o", "m"), 4, "empty.csv"),
    "a header alone": (("fit", "header.csv", "-y", "a", "-o", "m"), 2, "no rows"),
    "ragged lines": (("fit", "ragged.csv", "-y", "b", "-o", "m"), 4, "Line 3 of 'ragged.csv' has 1 cell"),
    "another encoding": (("fit", "latin.csv", "-y", "b", "-o", "m"), 4, "in neither UTF-8 nor GB18030"),
    "a table as a model": (("predict", "penguins.csv", "penguins.csv"), 4, "is not a suffice file"),
    "a file that is something else": (("fit", "picture.parquet", "-y", "a", "-o", "m"), 4, "picture.parquet"),
    "a folder that is not there": (
        ("fit", "penguins.csv", "-y", "species", "-m", "naive-bayes", "-o", "nowhere/m"),
        4,
        "There is no folder",
    ),
}


@pytest.mark.filterwarnings("ignore::suffice.errors.SufficeWarning")
@pytest.mark.parametrize("what", WRONG)
def test_bad_input_is_told_and_nothing_is_written(suffice, folder, what):
    (folder / "empty.csv").write_text("")
    (folder / "header.csv").write_text("a,b\n")
    (folder / "ragged.csv").write_text("a,b\n1,2\n3\n4,5,6\n7,8\n")
    (folder / "latin.csv").write_bytes("a,b\né,1\nü,2\n".encode("latin-1") + b"\x81\xff\n")
    (folder / "picture.parquet").write_bytes(b"\x89PNG\r\n")
    words, code, said = WRONG[what]
    for model in ("w.suffice", "p3.suffice"):
        if model in words:
            suffice("fit", "penguins.csv", "-y", "species", "-o", model, "-m", "naive-bayes")
    found = suffice(*words)
    assert (found.code, found.out) == (code, "")
    *_, last = [line for line in found.err.splitlines() if line.startswith("suffice: ")]
    assert said in last
    assert not (folder / "m").exists()


def test_lines_that_do_not_fit_are_skipped_on_request_and_named(suffice, folder):
    (folder / "ragged.csv").write_text("a,b\n1,x\n3\n4,5,6\n7,y\n8,x\n9,y\n")
    found = suffice("collect", "ragged.csv", "-y", "b", "-o", "r.stats", "--skip-bad-rows")
    assert found.code == 0
    assert "ragged.csv: line 3 has 1 cells, not 2; it is left out" in found.err
    assert "ragged.csv: line 4 has 3 cells, not 2; it is left out" in found.err
    assert "4 rows" in found.err


def test_a_summary_is_no_model(suffice):
    suffice("collect", "penguins.csv", "-y", "species", "-o", "all.stats")
    found = suffice("predict", "all.stats", "penguins.csv")
    assert (found.code, found.err) == (2, "suffice: all.stats does not hold a model; suffice fit writes one\n")


def test_a_fault_of_ours_says_so(suffice, monkeypatch):
    monkeypatch.setitem(sys.modules["suffice"].__dict__, "collect", lambda *_, **__: 1 / 0)
    found = suffice("collect", "penguins.csv", "-y", "species", "-o", "x")
    assert found.code == 1
    assert "this is a bug in suffice, not a mistake of yours (ZeroDivisionError" in found.err


def test_stdin_and_stdout_in_a_pipe(penguins, folder):
    with open("penguins.csv", "rb") as table:
        found = subprocess.run([*COMMAND, "predict", penguins], stdin=table, capture_output=True, check=True)
    assert found.stdout.decode().count("\n") == 345
    assert b"fault" not in found.stderr


def test_a_closed_pipe_is_quiet(penguins, folder):
    line = f"{sys.executable} -m suffice predict {penguins} penguins.csv | head -n 1"
    found = subprocess.run(["bash", "-o", "pipefail", "-c", line], capture_output=True, check=False)
    assert found.stderr == b""
    assert found.stdout.count(b"\n") == 1


def test_help_needs_neither_numpy_nor_scikit_learn():
    code = (
        "import sys\nfrom suffice.cli.main import main\n"
        "try:\n    main(['fit', '--help'])\nexcept SystemExit:\n    pass\n"
        "print({'numpy', 'sklearn', 'pyarrow'} & {*sys.modules}, file=sys.stderr)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stderr.strip() == "set()"
    assert "Example: suffice fit" in found.stdout


def test_a_killed_command_leaves_old_files_whole(penguins, folder):
    target = folder / "out.csv"
    target.write_text("as it was")
    rows = (folder / "penguins.csv").read_text().splitlines()
    (folder / "many.csv").write_text("\n".join([rows[0], *(rows[1:] * 3000)]) + "\n")
    process = subprocess.Popen([*COMMAND, "predict", penguins, "many.csv", "-o", str(target)])
    while process.poll() is None and not list(folder.glob(".*.part")):
        time.sleep(0.02)
    assert process.poll() is None, "it was over before it could be killed"
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert target.read_text() == "as it was"


def interrupted(command, folder):
    """How the command ends, and what it says, when Ctrl-C comes once it has begun to write."""
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    while process.poll() is None and not list(folder.glob(".*.part")):
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate()
    return process.returncode, told


def test_ctrl_c_leaves_with_130_and_old_files_whole(penguins, folder):
    target = folder / "out.csv"
    rows = (folder / "penguins.csv").read_text().splitlines()
    for times in (3000, 9000, 27000):  # more rows, if on a busy machine it was done before Ctrl-C
        target.write_text("as it was")
        (folder / "many.csv").write_text("\n".join([rows[0], *(rows[1:] * times)]) + "\n")
        code, told = interrupted([*COMMAND, "predict", penguins, "many.csv", "-o", str(target)], folder)
        if code:
            break
    assert code == 130
    assert told == "suffice: interrupted; what was there before is unchanged\n"
    assert target.read_text() == "as it was"
    assert list(folder.glob(".*.part")) == []
