"""DuckDB and SQLite, which run within Python: they answer what Python answers, and stand what is odd."""

import pytest

from databases import DuckDb, Sqlite
from scoring_agreement import agree
from scoring_cases import CASES
from scoring_checks import CHECKS


@pytest.fixture(params=[DuckDb, Sqlite], ids=lambda engine: engine.dialect)
def engine(request):
    database = request.param()
    yield database
    database.close()


@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_model_says_the_same_in_sql(case, engine):
    assert agree(case, engine) == list(case.outputs)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_sql(check, engine):
    check(engine)
