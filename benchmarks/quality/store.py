"""Results, written as they come: one file for each table.

In:  a record of plain numbers for each study and model.
Out: the same, in this run or a later one. Records of another version of the library are made anew.
"""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sklearn

import suffice


def stamp(ours: bool) -> str:
    """What a record depends on: our source, or the version of scikit-learn."""
    if not ours:
        return f"scikit-learn {sklearn.__version__}"
    sources = sorted(Path(suffice.__file__).parent.rglob("*.py"))
    return hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:16]


@dataclass(frozen=True)
class Store:
    folder: Path

    def read(self, table: str) -> dict[str, Any]:
        path = self._path(table)
        return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}

    def write(self, table: str, records: dict[str, Any]) -> None:
        """Whole or not at all."""
        self.folder.mkdir(parents=True, exist_ok=True)
        unfinished = self._path(table).with_suffix(".part")
        unfinished.write_text(json.dumps(records), encoding="utf-8")
        unfinished.replace(self._path(table))

    def _path(self, table: str) -> Path:
        return self.folder / f"{table}.json"
