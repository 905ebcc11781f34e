"""Results, written as they come: one file for each table.

In:  a record of plain numbers for each study and model.
Out: the same, in this run or a later one. A record keeps the state of the library that made it; one of another state
     is kept where a part of it, learned anew, comes out the same (`confirmed`), and is made anew where not.
"""

import ast
import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sklearn

import suffice

Record = dict[str, Any]
ELSEWHERE = {  # what no prediction depends on
    "__main__.py", "cli", "engines", "examples", "formulas.py", "pages", "plots", "printing", "progress.py",
    "reporting", "testing",
}  # fmt: skip


def stamp(ours: bool) -> str:
    """What a record depends on: what our code does where it predicts, or the version of scikit-learn."""
    if not ours:
        return f"scikit-learn {sklearn.__version__}"
    home = Path(suffice.__file__).parent
    sources = [path for path in sorted(home.rglob("*.py")) if path.relative_to(home).parts[0] not in ELSEWHERE]
    return hashlib.sha256("\n".join(map(_done, sources)).encode()).hexdigest()[:16]


def _done(path: Path) -> str:
    """What a file does: without comments, docstrings, layout, and what its errors and warnings say."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("Error", "Warning", "warn")):
            node.args = [argument for argument in node.args if not isinstance(argument, ast.Constant | ast.JoinedStr)]
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None:
            node.body = node.body[1:]
    return ast.dump(tree)


def of_state(record: Record, state: str) -> bool:
    """Whether a record is of that state of the library, made by it or confirmed."""
    return state in (record.get("stamp"), record.get("confirmed"))


@dataclass(frozen=True)
class Store:
    folder: Path

    def read(self, table: str) -> dict[str, Record]:
        path = self._path(table)
        return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}

    def write(self, table: str, records: dict[str, Record]) -> None:
        """Whole or not at all."""
        self.folder.mkdir(parents=True, exist_ok=True)
        unfinished = self._path(table).with_suffix(".part")
        unfinished.write_text(json.dumps(records), encoding="utf-8")
        unfinished.replace(self._path(table))

    def _path(self, table: str) -> Path:
        return self.folder / f"{table}.json"
