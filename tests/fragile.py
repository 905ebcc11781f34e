"""A partition whose worker dies, in a file that imports no other of the tests: other processes have to find it.

In a run of all tests `engines` is also the name of a benchmark on their path. A worker that looked there for what a
test of Dask had sent it found no rows, and the test waited for ever.
"""

import os
from pathlib import Path

import pandas as pd


class Fragile:
    """Partitions, of which the worker of one dies when it is first asked for."""

    def __init__(self, parts: list[pd.DataFrame], marker: Path) -> None:
        self.parts, self.marker = parts, marker

    def __call__(self, number: int) -> pd.DataFrame:
        if number == 2 and not self.marker.exists():
            self.marker.touch()
            os._exit(1)
        return self.parts[number]
