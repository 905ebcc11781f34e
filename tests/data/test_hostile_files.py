"""Files of rows that are damaged, or made to do harm: rows, or an error of ours; no process ever dies.

Each mutant is read in a process of its own, forked from this one, so that a process that dies is counted, not fatal.
`MUTANTS=1000 pytest tests/data/test_hostile_files.py` tries a thousand of each form.
"""

import json
import os
import random
import signal

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

import suffice
from suffice import NaiveBayes, batches, collect
from suffice.data import files
from suffice.data.shallow import DEEPEST, depth
from suffice.data.sizes import parts_of
from suffice.errors import FileError, SufficeError

pytestmark = pytest.mark.filterwarnings("ignore")
MUTANTS = int(os.environ.get("MUTANTS", "25"))
LONGEST = 60  # seconds that a mutant may take
RNG = np.random.default_rng(0)
ROWS = 200
TABLE = pa.table(
    {
        "x": RNG.normal(size=ROWS),
        "k": RNG.integers(0, 5, ROWS),
        "c": pa.array(RNG.choice(["u", "vv", "größer"], ROWS)),
        "d": pa.array(RNG.choice(["a", "b"], ROWS)).dictionary_encode(),
        "t": RNG.random(ROWS) < 0.5,
        "h": pa.array([None if i % 7 == 0 else i + 0.5 for i in range(ROWS)]),
        "y": RNG.choice(["p", "q"], ROWS),
    }
)
MODEL = NaiveBayes(kinds={"k": "poisson"}).fit(TABLE, "y")


def stream(path):
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_stream(sink, TABLE.schema) as writer:
        writer.write_table(TABLE, max_chunksize=50)


WRITERS = {
    "packed.feather": lambda path: pa.feather.write_feather(TABLE, path, chunksize=80),
    "plain.feather": lambda path: pa.feather.write_feather(TABLE, path, chunksize=80, compression="uncompressed"),
    "stream.arrow": stream,
    "it.parquet": lambda path: pq.write_table(TABLE, path, row_group_size=70),
    "it.csv": lambda path: pa.csv.write_csv(TABLE, path),
    "it.jsonl": lambda path: path.write_text("".join(f"{json.dumps(row)}\n" for row in TABLE.to_pylist())),
    "it.suffice": MODEL.save,
    "it.stats": MODEL.summary_.save,
}


def read(path):
    if path.suffix in (".suffice", ".stats"):
        str(suffice.load(path))
    else:
        NaiveBayes().fit(path, "y")


def mutated(whole, rng):
    """Some bytes changed, a piece cut out or doubled, or the end lost."""
    content, kind = bytearray(whole), rng.randrange(6)
    first, last = sorted((rng.randrange(len(whole)), rng.randrange(len(whole))))
    if kind < 3:
        for _ in range(rng.randint(1, 8)):
            content[rng.randrange(len(whole))] = rng.choice([0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)])
    elif kind == 3:
        del content[first : first + rng.randint(1, 50)]
    elif kind == 4:
        content[first:first] = content[last : last + 20]
    else:
        del content[last:]
    return bytes(content)


def outcome(path):
    """What becomes of a process that reads the file: "fine", "refused", or what went wrong."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        signal.alarm(LONGEST)
        os.write(writing, told(path).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as answer:
        said = answer.read().decode()
    _, status = os.waitpid(child, 0)
    return f"signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else said


def told(path):
    try:
        read(path)
    except SufficeError:
        return "refused"
    except BaseException as error:
        return f"{type(error).__name__}: {error}"
    return "fine"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a process that dies is watched from the one it was forked from")
@pytest.mark.parametrize("name", WRITERS)
def test_no_process_dies_of_a_mutant_and_none_gives_a_raw_error(name, tmp_path):
    WRITERS[name](tmp_path / name)
    whole, rng = (tmp_path / name).read_bytes(), random.Random(0)
    found = []
    for _ in range(MUTANTS):
        (tmp_path / name).write_bytes(mutated(whole, rng))
        found.append(outcome(tmp_path / name))
    assert set(found) <= {"fine", "refused"}
    assert "refused" in found


def write_damaged(path, array):
    """A file whose one column of texts was damaged after it was made."""
    table = pa.table({"x": pa.array([1.0, 2.0, 5.0, 6.0]), "c": array, "y": ["p", "q", "p", "q"]})
    if path.suffix == ".parquet":
        pq.write_table(table, path)
    else:
        pa.feather.write_feather(table, path, compression="uncompressed")


NOT_UTF_8 = pa.Array.from_buffers(
    pa.string(), 4, [None, pa.py_buffer(np.arange(5, dtype=np.int32)), pa.py_buffer(b"a\xffc\xfe")]
)
BEYOND = pa.DictionaryArray.from_arrays(pa.array([0, 1, 7, 1], pa.int32()), pa.array(["u", "v"]), safe=False)


@pytest.mark.parametrize("ending", ["feather", "arrow", "parquet"])
def test_texts_that_are_not_utf_8_are_an_error_with_the_name_of_the_file(ending, tmp_path):
    path = tmp_path / f"rows.{ending}"
    write_damaged(path, NOT_UTF_8)
    with pytest.raises(FileError, match=rf"rows\.{ending}' cannot be read.*UTF8"):
        collect(path, "y")


@pytest.mark.parametrize("ending", ["feather", "arrow"])
def test_codes_of_no_level_are_an_error_with_the_name_of_the_file(ending, tmp_path):
    path = tmp_path / f"rows.{ending}"
    write_damaged(path, BEYOND)
    with pytest.raises(FileError, match=rf"rows\.{ending}' cannot be read"):
        NaiveBayes().fit(path, "y")


# JSON


def nested(opening, closing, deep):
    return opening * deep + "1" + closing * deep


@pytest.mark.parametrize("ignored", [True, False], ids=["in a column nobody reads", "in a column that is read"])
@pytest.mark.parametrize("deep", [DEEPEST, 3_000, 200_000])
@pytest.mark.parametrize("brackets", [("[", "]"), ('{"a":', "}")], ids=["arrays", "objects"])
def test_json_that_is_nested_too_deeply_is_an_error_with_its_line(brackets, deep, ignored, tmp_path):
    path, plain = tmp_path / "rows.jsonl", '{"x": 1, "y": "p"}\n'
    path.write_text(plain * 3 + f'{{"{"z" if ignored else "x"}": {nested(*brackets, deep)}, "y": "p"}}\n' + plain)
    with pytest.raises(FileError, match=rf"Line 4 of .*rows.jsonl' has {deep + 1:,} brackets within each other"):
        collect(path, "y", kinds={"z": "ignore"} if ignored else None)


def test_brackets_in_texts_and_beside_each_other_are_not_nested(tmp_path):
    path = tmp_path / "rows.jsonl"
    line = {"x": 1.0, "note": '[{"' * 1_000, "many": [[1]] * 1_000, "y": "p"}
    path.write_text("".join(f"{json.dumps(line | {'x': float(x)})}\n" for x in range(4)))
    assert collect(path, "y", kinds={"note": "ignore", "many": "ignore"}).n == 4


@pytest.mark.parametrize(
    ("line", "found"), [(b"[[1],[2]]", 2), (b'{"a":"[[[["}', 1), (b'["\\"[[",[{}]]', 3), (b'["\\\\",[]]', 2), (b"", 0)]
)
def test_depth_counts_brackets_that_are_open_at_once(line, found):
    assert depth(line) == found


# sizes


def test_a_code_of_a_long_text_counts_as_the_text():
    texts = pa.DictionaryArray.from_arrays(np.zeros(1_000, dtype=np.int32), pa.array(["x" * 80_000]))
    batch = pa.record_batch({"t": texts, "i": np.arange(1_000)})
    parts = list(parts_of(batch, 1 << 17))  # of a megabyte each
    assert max(len(part) for part, _ in parts) <= 13
    assert pa.Table.from_batches([part for part, _ in parts]) == pa.Table.from_batches([batch])


@pytest.mark.parametrize("coded", [True, False])
def test_rows_of_long_texts_come_in_batches_of_few_rows_and_are_written_right(coded, monkeypatch, tmp_path):
    monkeypatch.setattr(files, "BATCH_CELLS", 1 << 16)  # half a megabyte
    texts = [f"{'ab'[i % 2]}" * 20_000 for i in range(400)]
    rows = {"x": np.arange(400.0), "t": texts, "y": ["pq"[i // 2 % 2] for i in range(400)]}
    pq.write_table(pa.table(rows), tmp_path / "long.parquet", use_dictionary=coded)
    sizes = [table.num_rows for table in batches(tmp_path / "long.parquet")]
    assert max(sizes) <= 26
    assert sum(sizes) == 400
    model = NaiveBayes(kinds={"t": "ignore"}).fit(pa.table(rows), "y")
    model.predict_file(tmp_path / "long.parquet", tmp_path / "out.parquet")
    assert pq.read_table(tmp_path / "out.parquet").column("t").to_pylist() == texts


# paths


@pytest.mark.parametrize("name", ["a\0b.csv", "n" * 256 + ".csv", "*" * 5_000 + ".csv"], ids=["NUL", "long", "stars"])
def test_what_no_file_can_be_called_is_an_error_of_ours(name, tmp_path):
    path = str(tmp_path / name)
    pa.csv.write_csv(TABLE, tmp_path / "rows.csv")
    calls = [
        lambda: collect(path, "y"),
        lambda: MODEL.save(path),
        lambda: suffice.load(path),
        lambda: MODEL.predict_file(tmp_path / "rows.csv", path),
        lambda: MODEL.predict_file(path, tmp_path / "out.csv"),
    ]
    for call in calls:
        with pytest.raises(FileError, match="cannot be the path of a file"):
            call()
    assert [each.name for each in tmp_path.iterdir()] == ["rows.csv"]
