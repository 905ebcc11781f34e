"""suffice: Bayesian classification from sufficient statistics that add.

The public names stand in `__init__.pyi`. Each is imported when first asked for, so that `suffice --help` does not wait
for scikit-learn.
"""

import ast
from importlib import import_module
from pathlib import Path
from typing import Any


def _homes() -> dict[str, str]:
    """Name → module that defines it, as the stub says; what stands in the package itself is a module."""
    stub = ast.parse(Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    imports = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    return {alias.name: node.module or "" for node in imports for alias in node.names}


HOMES = _homes()
__all__ = sorted(HOMES)


def __getattr__(name: str) -> Any:
    if name not in HOMES:
        raise AttributeError(f"module 'suffice' has no attribute {name!r}")
    home = HOMES[name]
    found = import_module(f"suffice.{name}") if home == "suffice" else getattr(import_module(home), name)
    globals()[name] = found  # found there next time
    return found


def __dir__() -> list[str]:
    return __all__
