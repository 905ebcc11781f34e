"""How a command ends that is told to end, or whose output nobody reads: nothing left behind, and what the code says."""

import errno
import os
import signal
import subprocess
import sys
import time

import pytest

from cli.every_command import COMMANDS, called, write_inputs
from suffice.cli import tables

COMMAND = [sys.executable, "-m", "suffice"]
pytestmark = [
    pytest.mark.filterwarnings("ignore::suffice.errors.SufficeWarning"),
    pytest.mark.skipif(sys.platform == "win32", reason="it has neither these signals nor named pipes"),
]


@pytest.fixture
def inputs(suffice, folder):
    write_inputs(folder, suffice)
    (folder / "temporary").mkdir()


def started(folder, *words, **streams):
    where = os.environ | {"TMPDIR": str(folder / "temporary")}
    return subprocess.Popen(
        [*COMMAND, *words], env=where, stderr=subprocess.PIPE, text=True, preexec_fn=_as_on_a_terminal, **streams
    )


def _as_on_a_terminal():
    """Whoever runs these tests may ignore hangups."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def ended(process, number):
    process.send_signal(number)
    _, told = process.communicate(timeout=60)
    return process.returncode, told.splitlines()[-1]


def until(there, process):
    while not there():
        assert process.poll() is None, "it was over before it could be ended"
        time.sleep(0.01)


SAID = "suffice: ended by a signal; what was there before is unchanged"


@pytest.mark.parametrize(
    "number, target", [(signal.SIGTERM, "out.csv"), (signal.SIGTERM, "out.parquet"), (signal.SIGHUP, "out.jsonl")]
)
def test_a_signal_while_rows_are_written_leaves_the_target_and_nothing_else(inputs, folder, number, target):
    (folder / target).write_text("as it was")
    rows = (folder / "rows.csv").read_text().splitlines()
    for times in (5_000, 40_000, 320_000):  # more rows, if it was done before the signal came
        (folder / "many.csv").write_text("\n".join([rows[0], *(rows[1:] * times)]) + "\n")
        process = started(folder, "predict", "line.suffice", "many.csv", "-o", target)
        while process.poll() is None and not list(folder.glob(".*.part")):
            time.sleep(0.01)
        code, told = ended(process, number)
        if code:
            break
    assert (code, told) == (128 + number, SAID)
    assert (folder / target).read_text() == "as it was"
    assert list(folder.glob(".*.part")) == []


@pytest.mark.parametrize("name", ["fit", "predict"])
def test_a_signal_while_stdin_is_copied_leaves_no_copy(inputs, folder, name):
    words = called(name, {"table": "-"})
    process = started(folder, *words, stdin=subprocess.PIPE)
    process.stdin.write("x,z,y\n" + "1,2,p\n" * 30_000)
    process.stdin.flush()
    until(lambda: os.listdir(folder / "temporary"), process)
    process.send_signal(signal.SIGTERM)
    code = process.wait(timeout=60)
    process.stdin.close()
    told = process.stderr.read().splitlines()[-1]
    process.stderr.close()
    assert (code, told) == (143, SAID)
    assert os.listdir(folder / "temporary") == []


def test_a_signal_while_a_pipe_has_no_writer_ends_the_wait(inputs, folder):
    os.mkfifo(folder / "pipe.csv")
    process = started(folder, "look", "pipe.csv")
    assert process.stderr.readline() == "pipe.csv is a pipe: waiting for whoever writes to it\n"
    assert ended(process, signal.SIGTERM) == (143, SAID)


def test_a_named_pipe_is_read_as_a_file_is(inputs, suffice, folder):
    os.mkfifo(folder / "pipe.csv")
    process = started(folder, "look", "pipe.csv", stdout=subprocess.PIPE)
    (folder / "pipe.csv").write_text((folder / "rows.csv").read_text())
    out, _ = process.communicate(timeout=60)
    assert (process.returncode, out) == (0, suffice("look", "rows.csv").out)
    assert os.listdir(folder / "temporary") == []


def test_whoever_ignores_hangups_is_not_ended_by_them(inputs, folder):
    line = f"trap '' HUP; {sys.executable} -m suffice look - < pipe.csv"
    os.mkfifo(folder / "pipe.csv")
    process = subprocess.Popen(["bash", "-c", line], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open(folder / "pipe.csv", "w") as pipe:
        pipe.write("x,z,y\n1,2,p\n")
        pipe.flush()
        process.send_signal(signal.SIGHUP)
        pipe.write("3,1,q\n2,2,q\n")
    assert process.wait(timeout=60) == 0


@pytest.mark.parametrize("name", ["plot", "report", "export", "predict", "fit", "cluster", "collect"])
@pytest.mark.parametrize("half", [0, 1])
def test_a_full_disk_leaves_what_was_there(suffice, inputs, folder, monkeypatch, name, half):
    suffix = {"plot": ".png", "report": ".html", "predict": ".csv", "cluster": ".csv"}.get(name, ".out")
    target = folder / f"target{suffix}"
    target.write_text("as it was")
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def fsync(_):
        raise full

    if half:
        monkeypatch.setattr("suffice.store.os.replace", lambda *_: fsync(0))
    else:
        monkeypatch.setattr("suffice.store.os.fsync", fsync)
    found = suffice(*called(name, {"output": target.name}))
    assert (found.code, "No space left on device" in found.err) == (4, True)
    assert target.read_text() == "as it was"
    assert list(folder.glob(".*.part")) == []


def test_a_picture_that_fails_half_way_leaves_the_old_one(suffice, inputs, folder, monkeypatch):
    from matplotlib.figure import Figure

    def savefig(_, file, **__):
        with open(file, "wb") as picture:
            picture.write(b"half")
        raise OSError(errno.EDQUOT, os.strerror(errno.EDQUOT))

    (folder / "old.svg").write_text("as it was")
    monkeypatch.setattr(Figure, "savefig", savefig)
    assert suffice(*called("plot", {"output": "old.svg"})).code == 4
    assert (folder / "old.svg").read_text() == "as it was"
    assert list(folder.glob(".*.part")) == []


READS_ALL = [name for name in COMMANDS if name != "demo"]


def test_a_closed_pipe_ends_every_command_with_0(inputs, folder):
    read, write = os.pipe()
    os.close(read)
    code = (
        "import os, sys\nfrom suffice import *\nimport matplotlib.pyplot, pyarrow.csv\n"
        "from suffice.cli import deciding, drawing, looking, tables\nfrom suffice.cli.main import main\n"
        "for words in eval(sys.argv[1]):\n"
        "    child = os.fork()\n"
        "    if not child:\n        main(words)\n"
        "    status = os.waitpid(child, 0)[1]\n"
        "    print(words[0], os.waitstatus_to_exitcode(status), file=sys.stderr)\n"
    )
    calls = [[*called(name), "--json"] for name in READS_ALL]
    found = subprocess.run([sys.executable, "-c", code, repr(calls)], stdout=write, stderr=subprocess.PIPE, text=True)
    os.close(write)
    told = found.stderr.splitlines()
    assert [line for line in told if line.rpartition(" ")[0] in READS_ALL] == [f"{name} 0" for name in READS_ALL], told
    assert not [line for line in told if "Error" in line or "bug" in line]


@pytest.mark.parametrize("words", ["predict", "predict --json", "look --json"])
def test_the_first_line_alone_ends_a_command_with_0(inputs, folder, words):
    name, *more = words.split()
    rows = (folder / "rows.csv").read_text().splitlines()
    (folder / "rows.csv").write_text("\n".join([rows[0], *(rows[1:] * 3000)]) + "\n")
    line = f"{sys.executable} -m suffice {' '.join([*called(name), *more])} | head -n 1"
    found = subprocess.run(["bash", "-o", "pipefail", "-c", line], capture_output=True, text=True, check=False)
    assert (found.returncode, found.stdout.count("\n")) == (0, 1)
    assert "Broken" not in found.stderr


def test_a_closed_stdout_or_stderr_is_no_fault(inputs, folder):
    for closed in (">&-", ">&- 2>&- <&-"):
        line = f"{sys.executable} -m suffice look rows.csv {closed}"
        found = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False)
        assert (found.returncode, found.stderr) == (0, ""), closed


def test_a_copy_of_stdin_is_for_its_owner_alone(inputs, folder, monkeypatch):
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(folder / "temporary"))
    with open("rows.csv", "rb") as rows:
        copy = tables._kept(rows.fileno(), "rows.csv", ".csv")
    assert os.stat(copy).st_mode & 0o777 == 0o600
