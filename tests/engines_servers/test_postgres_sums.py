"""Sums that PostgreSQL makes, through ibis: the same summary as of rows in memory."""

import ibis
import pandas as pd
import pytest

from engines import capabilities
from engines.rows import KINDS, table
from postgres_server import USER
from suffice import collect

pytestmark = [
    pytest.mark.filterwarnings("ignore::suffice.errors.KindHint"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]


@pytest.fixture
def there(server):
    """A table of PostgreSQL, as ibis has it; gone afterwards."""
    connection = ibis.postgres.connect(host=str(server.folder), user=USER, database="postgres")
    made = []

    def put(frame: pd.DataFrame) -> ibis.Table:
        made.append(f"rows{len(made)}")
        return connection.create_table(made[-1], ibis.memtable(frame), temp=True)

    yield put
    connection.disconnect()


@pytest.mark.parametrize("where", ["engine", "here"])
@pytest.mark.parametrize("weight", [None, "weight"])
@pytest.mark.parametrize("missing", [False, True], ids=["whole", "holes"])
def test_postgres_says_what_memory_says(missing, weight, where, there):
    frame = table(missing=missing)
    kinds = KINDS if weight else KINDS | {"weight": "ignore"}
    here = collect(frame, "label", sample_weight=weight, kinds=kinds)
    assert collect(there(frame), "label", sample_weight=weight, kinds=kinds, where=where) == here


def test_the_page_says_what_postgres_can(there, tmp_path):
    rows = there(capabilities.frame())
    assert capabilities.row("PostgreSQL, by ibis", lambda: rows, tmp_path) in capabilities.lines_of_the_page()
