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


def test_an_action_or_class_named_twice_is_refused_with_its_lines(suffice, penguins, folder):
    costs = {
        "ring,0,1,2\nring,9,9,9\nwait,5,0,1": "has the action 'ring' twice, in lines 2 and 3",
        "keep,0,1,2\n\nfree,1,0,2\n keep ,5,0,1": "has the action ' keep ' twice, in lines 2 and 5",
        '"two\nlines",0,1,2\nfree,1,0,2\nfree\t,5,0,1': "has the action 'free\\t' twice, in lines 4 and 5",
        "1,0,1,2\n2,1,0,2\n1,5,0,1": "has the action 1 twice, in lines 2 and 4",
    }
    for rows, said in costs.items():
        (folder / "costs.csv").write_text(f"action,Adelie,Chinstrap,Gentoo\n{rows}\n")
        for words in (
            ("decide", penguins, "penguins.csv", "--loss", "costs.csv"),
            ("fit", "penguins.csv", "-y", "species", "-o", "m", "-m", "auto", "--by", "costs.csv"),
        ):
            found = suffice(*words)
            assert (found.code, found.out) == (2, "")
            assert said in found.err, found.err
    (folder / "costs.csv").write_text("action,Adelie,Chinstrap,Gentoo, Gentoo\na,0,1,2,3\n")
    found = suffice("decide", penguins, "penguins.csv", "--loss", "costs.csv")
    assert (found.code, "has the class ' Gentoo' twice, in columns 4 and 5" in found.err) == (2, True)
    (folder / "costs.csv").write_text("action,Adelie,Chinstrap,Gentoo\na,0,1,2\n,1,0,2\n")
    assert suffice("decide", penguins, "penguins.csv", "--loss", "costs.csv").code == 2


@pytest.mark.parametrize("output", ["ooo", "o.svg", "o.PNG", "sub.d/pic", ".hidden"])
def test_a_picture_is_written_to_the_very_file_that_is_said(suffice, penguins, folder, output):
    (folder / "sub.d").mkdir()
    before = {*folder.rglob("*")}
    found = suffice("plot", "missing", penguins, "penguins.csv", "-y", "species", "-o", output)
    assert (found.code, f"written to {output}\n" in found.err) == (0, True)
    assert {*folder.rglob("*")} - before == {folder / output}


@pytest.mark.parametrize("output", ["o.xyz", "v.csv", "m.suffice", "a.b.c", "o.docx", ""])
def test_a_picture_of_no_known_form_is_refused_before_any_work(suffice, penguins, folder, output):
    found = suffice("plot", "missing", penguins, "penguins.csv", "-o", output)
    assert (found.code, "bug" in found.err) == (2, False)
    assert not output or ".svg, .png, .pdf" in found.err
    assert not list(folder.glob(f"{output}*.png"))


def test_pictures_and_pages_go_to_stdout_on_request(suffice, penguins, folder):
    before = {*folder.iterdir()}
    assert "<svg" in suffice("plot", "missing", penguins, "penguins.csv", "-o", "-").out
    assert suffice("report", penguins, "penguins.csv", "-y", "species", "-o", "-").out.startswith("<!doctype html>")
    assert suffice("plot", "missing", penguins, "penguins.csv", "-o", "-", "--json").code == 2
    assert {*folder.iterdir()} == before


def test_rows_of_pictures_are_counted_from_1(suffice, penguins):
    for row, code, said in (
        ("0", 2, "greater than or equal to 1"),
        ("345", 2, "has 344 rows, so there is no row 345"),
        ("344", 0, "written"),
    ):
        found = suffice("plot", "posterior", penguins, "penguins.csv", "-y", "species", "--row", row, "-o", "p.svg")
        assert (found.code, said in found.err) == (code, True), found.err
        assert "-1" not in found.err


@pytest.mark.parametrize("command", ["collect", "fit", "predict"])
def test_a_line_that_is_left_out_is_told_once(suffice, folder, command):
    rows = "".join(f"{i},{'xy'[i % 2]}\n" for i in range(12))
    (folder / "a.csv").write_text(f"a,b\n{rows}3\n")
    (folder / "b.csv").write_text(f"a,b\n4,5,6\n{rows}4,5,6\n")
    options = ("-m", "lda") if command == "fit" else ()
    if command == "predict":
        assert suffice("fit", "?.csv", "-y", "b", "-o", "m", "-m", "lda", "--skip-bad-rows").code == 0
        found = suffice("predict", "m", "?.csv", "--skip-bad-rows")
    else:
        found = suffice(command, "?.csv", "-y", "b", "-o", "m", "--skip-bad-rows", *options)
    assert found.code == 0
    told = [line for line in found.err.splitlines() if "is left out" in line]
    assert told == [
        "a.csv: line 14 has 1 cells, not 2; it is left out",
        "b.csv: line 2 has 3 cells, not 2; it is left out",
        "b.csv: line 15 has 3 cells, not 2; it is left out",
    ]


def test_classes_with_commas_can_be_named(suffice, folder):
    rows = "".join(f'{i % 7},{i % 5}.5,"{("a,b", "c", "a", "b,c")[i % 4]}"\n' for i in range(40))
    (folder / "t.csv").write_text("x,z,y\n" + rows)
    assert suffice("fit", "t.csv", "-y", "y", "-o", "m", "-m", "lda").code == 0
    for between, pair in (
        ("a,b,a", ("a,b", "a")),
        ('"a,b",c', ("a,b", "c")),
        ('c,"b,c"', ("c", "b,c")),
        ("c,a", ("c", "a")),
    ):
        found = suffice("explain", "m", "t.csv", "--between", between)
        assert found.code == 0, found.err
        assert found.out.index(pair[0]) < found.out.rindex(pair[1])
        assert suffice("boundary", "m", "--between", between).code == 0
    for between in ("a,b,c", "", ",", "a", "a,c,x", '"a,b"', '"a'):
        found = suffice("explain", "m", "t.csv", "--between", between)
        assert (found.code, "bug" in found.err) == (2, False), between
    assert "can be read in 2 ways" in suffice("boundary", "m", "--between", "a,b,c").err


def test_columns_with_commas_can_be_grouped(suffice, folder):
    rows = "".join(f"{i % 7},{i % 5}.5,{'pq'[i % 2]}\n" for i in range(40))
    (folder / "t.csv").write_text('"x,1",z,y\n' + rows)
    fit = ("fit", "t.csv", "-y", "y", "-o", "m", "-m", "naive-bayes")
    assert suffice(*fit, "--joint", '"x,1",z').code == 0
    assert suffice(*fit, "--joint", '"x,1').code == 2
    assert suffice(*fit, "--joint", "x,1,z").code == 2


def test_a_column_without_a_name_can_be_named(suffice, folder):
    rows = "".join(f"{i},{i % 5}.5,{'pq'[i % 2]}\n" for i in range(12))
    (folder / "t.csv").write_text(",x,y\n" + rows)  # as pandas writes its index
    assert suffice("fit", "t.csv", "-y", "y", "-o", "m", "-m", "lda", "--ignore", "").code == 0
    (folder / "t.csv").write_text("i,x,y\n" + rows)
    for option in ("-y", "-w", "--ignore", "--label", "--weight"):
        found = suffice("fit", "t.csv", "-y", "y", "-o", "z", "-m", "lda", option, "")
        assert (found.code, "t.csv has no column ''" in found.err) == (2, True)
    for option in ("-o", "-m", "--by", "--kind", "--joint", "--counts", "--prior", "--estimate", "--smoothing"):
        found = suffice("fit", "t.csv", "-y", "y", "-o", "z", "-m", "naive-bayes", option, "")
        assert (found.code, "bug" in found.err) == (2, False), option
