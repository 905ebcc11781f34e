"""Tables that are larger than memory: predict and collect read and write them piece by piece."""

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

PEAK = (
    "import resource, sys\nfrom suffice.cli.main import main\n"
    "try:\n    main(sys.argv[1:])\nfinally:\n"
    "    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024, file=sys.stderr)"
)


def peak(folder, *words):
    """The most memory that a command has taken, in MB."""
    found = subprocess.run([sys.executable, "-c", PEAK, *words], cwd=folder, capture_output=True, text=True, check=True)
    return int(found.stderr.split()[-1])


@pytest.mark.skipif(sys.platform == "win32", reason="it has no resource module to ask for memory")
def test_memory_does_not_grow_with_the_rows(tmp_path):
    rng = np.random.default_rng(0)
    sizes = {"few": 20_000, "many": 320_000}
    for name, rows in sizes.items():
        cells = {f"x{i}": rng.normal(size=rows) for i in range(12)} | {"y": rng.integers(2, size=rows).astype(str)}
        pq.write_table(pa.table(cells), tmp_path / f"{name}.parquet", row_group_size=20_000)
    taken = {name: peak(tmp_path, "collect", f"{name}.parquet", "-y", "y", "-o", f"{name}.stats") for name in sizes}
    assert taken["many"] - taken["few"] < 40  # MB; the table itself has 33
    peak(tmp_path, "fit", "few.parquet", "-y", "y", "-o", "m.suffice", "-m", "naive-bayes")
    taken = {name: peak(tmp_path, "predict", "m.suffice", f"{name}.parquet", "-o", f"{name}.csv") for name in sizes}
    assert taken["many"] - taken["few"] < 60
    assert (tmp_path / "many.csv").read_bytes().count(b"\n") == sizes["many"] + 1
