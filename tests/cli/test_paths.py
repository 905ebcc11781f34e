"""Every path that the system allows works in every command, for what is read and what is written."""

import json
import os
import sys

import pytest

from cli.every_command import COMMANDS, MODEL, SUMMARY, TABLE, called, options_of, write_inputs

pytestmark = [
    pytest.mark.filterwarnings("ignore::suffice.errors.SufficeWarning"),
    pytest.mark.skipif(sys.platform != "linux", reason="other systems take names in UTF-8 alone"),
]
ODD = [b"r\xff", b"caf\xe9 \xb0", b"new\nline", b"-o", b"*[a]?", "色 泽".encode(), b"'\"$(x)", b"a=b,c"]


@pytest.mark.parametrize("raw", ODD, ids=repr)
def test_every_command_reads_and_writes_there(suffice, folder, monkeypatch, raw):
    name = os.fsdecode(raw)
    write_inputs(folder, suffice)
    (folder / name).mkdir()
    files = {one: f"./{name}/{name}{os.path.splitext(one)[1]}" for one in (TABLE, MODEL, SUMMARY)}
    for one, there in files.items():
        (folder / one).rename(folder / there)
    for command in sorted(set(COMMANDS) - {"demo", "compare", "tune"}):
        words = [files.get(word, word) for word in called(command)]
        endings = {"plot": ".png", "report": ".html", "predict": ".csv", "decide": ".parquet", "cluster": ".jsonl"}
        target = f"./{name}/out-{command}{name}{endings.get(command, '')}"
        writes = any(option.name == "output" for option in options_of(command))
        found = suffice(*words, *(["-o", target] if writes else []))
        assert found.code == 0, (command, found.err)
        assert not writes or (folder / target).stat().st_size
        assert os.listdir(folder / name).count(".part") == 0
    assert suffice("predict", files[MODEL], f"./{name}/out-predict{name}.csv").code == 0
    assert suffice("predict", files[MODEL], f"./{name}/out-decide{name}.parquet").code == 0


@pytest.mark.parametrize("form", ["csv.gz", "csv.zst", "tsv.bz2", "feather", "arrow", "jsonl", "jsonl.gz"])
def test_every_form_of_file_by_a_name_that_is_no_utf8(suffice, folder, form):
    write_inputs(folder, suffice)
    odd = os.fsdecode(b"\xe9t\xe9.") + form
    assert suffice("predict", MODEL, TABLE, "-o", odd).code == 0
    assert suffice("predict", MODEL, TABLE, "-o", f"plain.{form}").code == 0
    again = suffice("predict", MODEL, odd)
    assert (again.code, again.out) == (0, suffice("predict", MODEL, f"plain.{form}").out)


def test_names_in_sql_come_out_as_they_were_typed(suffice, folder):
    write_inputs(folder, suffice)
    for raw in (b"\xff", b"t\xe9\xfe"):
        name = os.fsdecode(raw)
        assert suffice("export", MODEL, "--table", name, "-o", "score.sql").code == 0
        assert b'"' + raw + b'"' in (folder / "score.sql").read_bytes()
        assert f'"{name}"' in json.loads(suffice("export", MODEL, "--table", name, "--json").out)["sql"]


def test_a_report_names_such_files_in_utf8(suffice, folder):
    write_inputs(folder, suffice)
    odd = os.fsdecode(b"m\xfe.suffice")
    (folder / MODEL).rename(folder / odd)
    assert suffice("report", odd, TABLE, "-y", "y", "-o", "page.html").code == 0
    assert "m\\udcfe.suffice" in (folder / "page.html").read_text(encoding="utf-8")


def test_python_reads_and_writes_such_files_too(folder, suffice):
    from suffice import collect, load

    write_inputs(folder, suffice)
    odd = os.fsdecode(b"\x80\x81")
    (folder / f"{odd}.csv").write_bytes((folder / TABLE).read_bytes())
    summary = collect(f"{odd}.csv", "y")
    assert summary == collect(TABLE, "y")
    summary.save(odd)
    assert load(odd) == summary
