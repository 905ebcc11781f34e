"""What is left of work in a database that is stopped in the middle."""

import threading

import pytest

from postgres_server import Postgres
from scoring_cases import NUMBERS, only, table
from suffice import NaiveBayes


def test_a_server_that_stops_leaves_nothing_half_written(server):
    import psycopg

    columns, labels = table(rows=200)
    model = NaiveBayes().fit(only(columns, NUMBERS), labels)
    query = model.to_sql("postgres", "people", "id")
    database = Postgres(server)
    database.put("people", {**only(columns, NUMBERS), "id": list(range(200))})
    stopping = threading.Timer(0.5, server.stop)
    stopping.start()
    with pytest.raises(psycopg.OperationalError, match=r"terminat|closed|crash|lost"):
        database.rows(f"CREATE TABLE scored AS SELECT *, pg_sleep(0.1)::text FROM ({query}) AS answers")
    stopping.join()
    with pytest.raises(psycopg.OperationalError):
        Postgres(server)
    server.start()
    again = Postgres(server)
    assert again.rows("SELECT to_regclass('scored')") == [(None,)]
    assert len(again.rows(query)) == 200
    again.rows("DROP TABLE people")
    again.close()
