"""SQL answers what Python answers, row by row."""

import pytest

from databases import DuckDb, Sqlite
from scoring_agreement import agree
from scoring_cases import CASES


@pytest.mark.parametrize("database", [DuckDb, Sqlite], ids=lambda engine: engine.dialect)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_model_says_the_same_in_sql(case, database):
    engine = database()
    assert agree(case, engine) == list(case.outputs)
    engine.close()
