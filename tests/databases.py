"""Tables in databases, for tests: the same few calls whatever the engine.

In:  columns of plain values by name, None where missing.
Out: `put` makes a table of them, `rows` has what a query answers.
"""

import sqlite3

TYPES = {  # duckdb and postgres, sqlite
    bool: ("boolean", "BOOLEAN"),
    int: ("bigint", "INTEGER"),
    float: ("double precision", "REAL"),
    str: ("text", "TEXT"),
}


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def type_of(column, place):
    return TYPES[next((type(value) for value in column if value is not None), float)][place]


class DuckDb:
    dialect = "duckdb"

    def __init__(self):
        import duckdb

        self.connection = duckdb.connect()

    def put(self, name, columns):
        import pyarrow

        types = {"boolean": pyarrow.bool_(), "bigint": pyarrow.int64(), "text": pyarrow.string()}
        arrays = [pyarrow.array(c, types.get(type_of(c, 0), pyarrow.float64())) for c in columns.values()]
        self.connection.register("handed_in", pyarrow.table(arrays, names=list(columns)))
        self.connection.execute(f"CREATE TABLE {quoted(name)} AS SELECT * FROM handed_in")
        self.connection.unregister("handed_in")

    def rows(self, query):
        return self.connection.execute(query).fetchall()

    def names(self, query):
        return [column[0] for column in self.connection.execute(query).description]

    def close(self):
        self.connection.close()


class Sqlite:
    dialect = "sqlite"

    def __init__(self):
        self.connection = sqlite3.connect(":memory:")

    def put(self, name, columns):
        described = ", ".join(f"{quoted(n)} {type_of(c, 1)}" for n, c in columns.items())
        self.connection.execute(f"CREATE TABLE {quoted(name)} ({described})")
        marks = ", ".join("?" * len(columns))
        cells = zip(*columns.values(), strict=True)
        self.connection.executemany(f"INSERT INTO {quoted(name)} VALUES ({marks})", cells)

    rows = DuckDb.rows
    names = DuckDb.names
    close = DuckDb.close
