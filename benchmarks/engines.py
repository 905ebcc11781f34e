"""Ways to a summary of a folder of Parquet, each in a process of its own: time, processor time and peak memory.

`make bench-engines` says first how much disk it takes and whether there is so much, and deletes its files afterwards.
It writes the tables and the picture of the page "where your data lives"; `make bench-engines ROWS=2e7` does so for as
many rows. Ways are measured in turn, so that a slow minute is slow for all of them.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from engine_ways import COMPONENTS, NUMBERS, TEXTS, WAYS
from report import draw_growth

FILES, BYTES, SLIM_BYTES = 8, 190, 55  # and of a row on disk, with a little room
SLIM = {"numbers": 8, "texts": 2, "type": "float32"}  # rows that growth is measured with
ONCE = ("spark", "mllib", "em", "em sklearn")  # long ones
PICTURE = "engines-growth.svg"
TITLES = {
    "scan": "bare scan of the files",
    "ours": '`collect("*.parquet")`: full scatter, counts of texts',
    "sklearn": "scikit-learn, `GaussianNB.partial_fit` of the numbers: variances only",
    "sklearn codes": "the same, of labels turned into whole numbers first",
    "sklearn all": "scikit-learn, `GaussianNB` of the numbers and `CategoricalNB` of the texts: variances, counts",
    "duckdb": "summed by DuckDB",
    "polars": "summed by Polars",
    "dask files": 'files read by Dask, two workers of one thread, `where="partitions"`',
    "dask": "a frame of Dask, `read_parquet`, two workers of one thread",
    "spark": 'Spark, `where="partitions"`',
    "mllib": "Spark's own NaiveBayes: variances only",
    "em": f"a step of EM over one of the files, {COMPONENTS} components, full covariances",
    "em sklearn": "the same step of scikit-learn, those rows in memory",
}
RATIOS = [  # of the seconds of two ways, and what was aimed at
    ("sklearn", "ours", "at least", 3.0),
    ("sklearn codes", "ours", "at least", 3.0),
    ("sklearn all", "ours", "at least", 3.0),
    ("ours", "scan", "at most", 2.5),
    ("duckdb", "ours", "at most", 1.2),
    ("polars", "ours", "at most", 1.2),
    ("dask files", "ours", "at most", 2.0),
    ("dask", "ours", "at most", 2.0),
    ("spark", "mllib", "at most", 1.3),
    ("em sklearn", "em", "at least", 3.0),
]


def written(rows: int, folder: Path, numbers: int = NUMBERS, texts: int = TEXTS, type: str = "float64") -> None:
    """Numbers, one of them at 1e6 with a standard deviation of 1, texts of eight levels, and a label of three."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    for part in range(FILES):
        rng, n, type_of = np.random.default_rng(part), rows // FILES, np.dtype(type).type
        label = rng.integers(0, 3, n, dtype="int8")
        columns = {f"x{j}": rng.standard_normal(n, dtype=type) + type_of(0.1 * j) * label for j in range(numbers)}
        columns["x0"] = columns["x0"] + type_of(1e6)
        levels = pa.array([f"level {k}" for k in range(8)])
        columns |= {f"t{j}": levels.take(pa.array(rng.integers(0, 8, n))) for j in range(texts)}
        columns["label"] = pa.array(["a", "b", "c"]).take(pa.array(label))
        pq.write_table(pa.table(columns), folder / f"{part}.parquet", row_group_size=1 << 18)


def measured(way: str, folder: Path) -> dict:
    """One way, in this process: what it takes once everything is imported."""
    import resource
    import warnings

    warnings.simplefilter("ignore")
    prepared = WAYS[way](folder)
    begun, worked = time.perf_counter(), time.process_time()
    steps = prepared() or 1
    children, own = (resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_CHILDREN, resource.RUSAGE_SELF))
    return {
        "seconds": (time.perf_counter() - begun) / steps,
        "cpu": (time.process_time() - worked) / steps,
        "memory": (own + children) / 1e6,
    }


def written_apart(rows: int, folder: Path, *how: str) -> None:
    """In a process of its own: what it takes would count as the memory of those that are begun later."""
    folder.mkdir()
    command = [sys.executable, __file__, "--write", str(rows), "--folder", str(folder), *how]
    subprocess.run(command, check=True)


def run(way: str, folder: Path) -> dict | None:
    """In a process of its own; None where the engine is not there."""
    command = [sys.executable, __file__, "--way", way, "--folder", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode or not lines:
        print(f"{way}: not measured ({done.stderr.strip().splitlines()[-1:]})", file=sys.stderr)
        return None
    print(f"{way}: {lines[-1]}", file=sys.stderr)
    return json.loads(lines[-1])


def in_turn(ways: list[str], folder: Path, repeats: int) -> dict[str, dict]:
    """The best of a few processes for each way."""
    turns = [(way, run(way, folder)) for turn in range(repeats) for way in ways if not (turn and way in ONCE)]
    found = {way: [result for of, result in turns if of == way and result] for way in ways}
    return {way: min(some, key=lambda result: result["seconds"]) for way, some in found.items() if some}


def table(rows: int, found: dict[str, dict], repeats: int) -> list[str]:
    lines = [
        f"{rows:,} rows × ({NUMBERS} numbers, {TEXTS} texts, a label) in {FILES} Parquet files; the best of {repeats}.",
        "",
        "| way | seconds | processor seconds | peak memory, GB |",
        "|---|---|---|---|",
    ]
    for way, result in found.items():
        lines.append(f"| {TITLES[way]} | {result['seconds']:.2f} | {result['cpu']:.2f} | {result['memory']:.2f} |")
    lines += ["", "| seconds of | beside those of | times | aimed at |", "|---|---|---|---|"]
    for one, other, bound, aim in RATIOS:
        if one in found and other in found:
            times = found[one]["seconds"] / found[other]["seconds"]
            lines.append(f"| {TITLES[one]} | {TITLES[other]} | {times:.2f} | {bound} {aim:g} |")
    return lines


def growth(sizes: list[int], base: Path) -> list[tuple[int, dict]]:
    """Whether time is linear in the rows, and memory flat: rows of fewer columns, in single precision."""
    found = []
    for rows in sizes:
        folder = base / f"growth-{rows}"
        written_apart(rows, folder, "--slim")
        found.append((rows, run("ours", folder)))
        shutil.rmtree(folder)
    return [(rows, result) for rows, result in found if result]


def growth_table(found: list[tuple[int, dict]]) -> list[str]:
    about = f"`collect` of rows of {SLIM['numbers']} numbers ({SLIM['type']}), {SLIM['texts']} texts and a label:"
    lines = ["", about, "", "| rows | seconds | microseconds a row | peak memory, GB |", "|---|---|---|---|"]
    for rows, result in found:
        each = 1e6 * result["seconds"] / rows
        lines.append(f"| {rows:,} | {result['seconds']:.2f} | {each:.3f} | {result['memory']:.2f} |")
    return lines


def refuse_a_small_disk(rows: int, largest: int) -> None:
    most, place = rows * BYTES + largest * SLIM_BYTES, tempfile.gettempdir()
    free = shutil.disk_usage(place).free
    print(f"{rows:,} rows take about {most / 1e9:.1f} GB of disk in {place}; {free / 1e9:.1f} GB are free.")
    if free < 1.5 * most:
        raise SystemExit("That is not enough: give fewer rows, or set TMPDIR to a folder on a larger disk.")


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("--rows", type=float, default=2e6)
    ask.add_argument("--repeats", type=int, default=2)
    ask.add_argument("--ways", default=",".join(WAYS))
    ask.add_argument("--growth", default="0.1,1,5", help="sizes beside the rows, as shares of them")
    ask.add_argument("--into", type=Path)
    ask.add_argument("--way", help="one way, in this process")
    ask.add_argument("--write", type=int, help="so many rows, and no more than that")
    ask.add_argument("--slim", action="store_true", help="of few columns")
    ask.add_argument("--folder", type=Path)
    given = ask.parse_args()
    if given.write:
        written(given.write, given.folder, **(SLIM if given.slim else {}))
        return
    if given.way:
        print(json.dumps(measured(given.way, given.folder)))
        return
    rows, sizes = int(given.rows), [int(float(share) * given.rows) for share in given.growth.split(",") if share]
    refuse_a_small_disk(rows, max([0, *sizes]))
    with tempfile.TemporaryDirectory(prefix="suffice-bench-") as name:
        folder = Path(name) / "rows"
        written_apart(rows, folder)
        found = in_turn(given.ways.split(","), folder, given.repeats)
        shutil.rmtree(folder)
        grown = growth(sizes, Path(name))
    lines = table(rows, found, given.repeats) + growth_table(grown)
    print("\n".join(lines))
    if given.into:
        draw_growth(grown, given.into.parent / PICTURE)
        picture = ["", f"![Seconds and memory over rows]({PICTURE})", ""]
        given.into.write_text("\n".join(lines + picture), encoding="utf-8")


if __name__ == "__main__":
    main()
