"""Scoring in the database, against fetching the rows and asking Python: both in one run, over the same table of DuckDB.

Answers of both are compared. With --into docs/shared/generated/sql-scoring.md it writes the table of the page.
"""

import argparse
import os
from pathlib import Path

import numpy as np
import pyarrow
from measure import best_in_turn

from suffice import LinearDiscriminant, LogisticClassifier, NaiveBayes, QuadraticDiscriminant

MODELS = {
    "naive Bayes, predictive": NaiveBayes(),
    "naive Bayes, plug-in": NaiveBayes(estimate="map"),
    "linear discriminant": LinearDiscriminant(estimate="map"),
    "quadratic discriminant": QuadraticDiscriminant(estimate="map"),
    "logistic": LogisticClassifier(),
}
LEARNED_FROM = 20_000  # rows


def rows(n, columns=20, classes=4, seed=0):
    """Numbers, and for naive Bayes two texts."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, classes, n)
    numbers = rng.normal(size=(n, columns)) @ rng.normal(size=(columns, columns)) + 0.2 * labels[:, None]
    table = {f"x{j}": numbers[:, j] for j in range(columns)}
    texts = {name: np.array(["red", "green", "blue"])[(labels + rng.integers(0, 2, n)) % 3] for name in ("a", "b")}
    return pyarrow.table(table | texts), labels


def taken(name, table):
    """Discriminants take numbers alone."""
    return table if name.startswith("naive") else table.drop_columns(["a", "b"])


def compared(name, model, database, table, labels, repeats):
    """A line of a Markdown table."""
    own = taken(name, table)
    model.fit(own.slice(0, LEARNED_FROM), labels[:LEARNED_FROM])
    query = model.to_sql("duckdb", "t", "id")
    wanted = ", ".join(f'"{column}"' for column in own.column_names)

    def there():
        return database.execute(f"CREATE OR REPLACE TABLE answers AS {query}")

    def here():
        return model.predict_proba(database.sql(f"SELECT {wanted} FROM t").to_arrow_table())  # in order, too

    (in_sql, _), (in_python, shares) = best_in_turn([there, here], repeats)
    found = np.array(list(database.execute("SELECT * FROM answers ORDER BY id").fetchnumpy().values())[1:]).T
    off = np.abs(found - shares).max()
    return f"| {name} | {in_sql:.2f} s | {in_python:.2f} s | {in_sql / in_python:.1f} | {off:.0e} |"


def table_of(n, repeats=3):
    """Lines of a Markdown table."""
    import duckdb

    table, labels = rows(n)
    database = duckdb.connect()
    database.register("given", table.append_column("id", pyarrow.array(np.arange(n))))
    database.execute("CREATE TABLE t AS SELECT * FROM given")
    lines = [
        f"{n:,} rows of 20 numbers and, for naive Bayes, 2 texts, in 4 classes; DuckDB {duckdb.__version__}, "
        f"{os.cpu_count()} cores:",
        "",
        "| model | SQL, into a table | fetch and `predict_proba` | ratio | largest difference |",
        "|---|---|---|---|---|",
    ]
    lines += [compared(name, model, database, table, labels, repeats) for name, model in MODELS.items()]
    database.close()
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--into", type=Path, help="a Markdown file")
    options = parser.parse_args()
    lines = "\n".join(table_of(options.rows, options.repeats))
    print(lines)
    if options.into:
        options.into.write_text(lines + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
