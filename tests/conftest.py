"""What tests share: reference values with the data they were made from."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from twins import served_by

REFERENCE = Path(__file__).parent / "reference"
ON_BOTH_PATHS = (  # modules whose tests also run on the compiled kernels, on all cores, in blocks of a few rows
    "test_laws",
    "test_pitfalls",
    "test_peers",
    "test_peers_discriminants",
    "test_missing_cells",
    "test_reference_naive_bayes",
    "test_reference_discriminants",
    "test_discriminant_numbers",
    "test_kinds",
)


def pytest_generate_tests(metafunc):
    if metafunc.module.__name__.split(".")[-1] in ON_BOTH_PATHS:
        metafunc.parametrize("path", ["numpy", "compiled"], indirect=True, scope="module")


def pytest_collection_modifyitems(items):
    """Workers must agree on the names of tests, so none may hold an address."""
    unsteady = [item.nodeid for item in items if " at 0x" in item.nodeid]
    if unsteady:
        raise pytest.UsageError(f"Give ids to the parameters of {unsteady[0]}: an address differs from run to run.")


@pytest.fixture(scope="module", autouse=True)
def path(request):
    """The twin that serves: NumPy in whole blocks, as small tables have it, or whatever the parameter says."""
    with served_by(getattr(request, "param", "numpy")):
        yield


@pytest.fixture
def reference():
    """`reference("nb_iris")` is the "outputs" of that file, with Infinity and NaN as numbers and matrices as arrays."""
    return lambda name: _read(json.loads((REFERENCE / f"{name}.json").read_text(encoding="utf-8"))["outputs"])


@pytest.fixture
def data():
    """`data("iris_R")` is that table as a dict of columns: numbers where all cells are, None where a cell is empty."""
    return _table


def _read(value):
    if isinstance(value, dict) and set(value) == {"rows", "cols", "values"}:
        return np.array([[np.nan if cell is None else float(cell) for cell in row] for row in value["values"]])
    if isinstance(value, dict):
        return {key: _read(part) for key, part in value.items()}
    return value


def _table(name):
    with (REFERENCE / "data" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {column: _column([row[column] for row in rows]) for column in rows[0]}


def _column(cells):
    try:
        return np.array([float(cell) if cell else np.nan for cell in cells])
    except ValueError:
        return [cell or None for cell in cells]
