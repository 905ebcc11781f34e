"""How long it takes to open files of many columns: 40 000 of them within a second.

python benchmarks/wide_files.py
"""

import sys
import tempfile
from pathlib import Path
from time import perf_counter

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

from suffice import batches

COLUMNS, ROWS, LIMIT = 40_000, 3, 1.0  # the limit in seconds, of CSV


def opened(path: Path) -> float:
    begun = perf_counter()
    next(batches(path))
    return perf_counter() - begun


def main() -> int:
    table = pa.table({f"x{i}": [i / 7] * ROWS for i in range(COLUMNS)})
    with tempfile.TemporaryDirectory() as folder:
        csv, parquet = Path(folder) / "wide.csv", Path(folder) / "wide.parquet"
        pa.csv.write_csv(table, csv)
        pq.write_table(table, parquet)
        batches(csv)  # imports what is needed
        seconds = {path.suffix: min(opened(path) for _ in range(3)) for path in (csv, parquet)}
    for suffix, taken in seconds.items():
        print(f"{COLUMNS} columns of {suffix}: open after {taken:.2f} s")
    return int(seconds[".csv"] > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
