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


MORE = 60  # MB: what four times as many rows may take more, whatever their number
RNG = np.random.default_rng(0)
TABLE = pa.table(
    {f"x{i}": RNG.normal(size=100_000).round(2) for i in range(20)} | {"y": RNG.integers(2, size=100_000).astype(str)}
)


def peak(folder, *words):
    """The most memory that a command has taken, in MB."""
    found = subprocess.run([sys.executable, "-c", PEAK, *words], cwd=folder, capture_output=True, text=True, check=True)
    return int(found.stderr.split()[-1])


@pytest.mark.skipif(sys.platform == "win32", reason="it has no resource module to ask for memory")
def test_memory_does_not_grow_with_the_rows(tmp_path):
    sizes = {"few": 8, "many": 32}  # hundred thousand rows, the same again and again; 134 and 538 MB of numbers
    for name, times in sizes.items():
        with pq.ParquetWriter(tmp_path / f"{name}.parquet", TABLE.schema) as writer:
            for _ in range(times):
                writer.write_table(TABLE)
    taken = {name: peak(tmp_path, "collect", f"{name}.parquet", "-y", "y", "-o", f"{name}.stats") for name in sizes}
    assert taken["many"] - taken["few"] < MORE
    pq.write_table(TABLE.slice(0, 10_000), tmp_path / "fit.parquet")
    peak(tmp_path, "fit", "fit.parquet", "-y", "y", "-o", "m.suffice", "-m", "naive-bayes")
    taken = {
        name: peak(tmp_path, "predict", "m.suffice", f"{name}.parquet", "-o", f"out-{name}.parquet") for name in sizes
    }
    assert taken["many"] - taken["few"] < MORE
    assert pq.ParquetFile(tmp_path / "out-many.parquet").metadata.num_rows == sizes["many"] * len(TABLE)
