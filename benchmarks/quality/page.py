"""What the page of quality shows, from the store: tables, comparisons, refusals, and how the goal of the study stands.

In:  the store, and the list of tables.
Out: the text of the page. Every number on it is worked out here.
"""

from collections.abc import Iterator, Sequence

from quality.compare import Records
from quality.data import Table
from quality.models import MODELS
from quality.sections import by_table, choices, comparisons, goals, labels, mixtures, overview, refusals, small_samples
from quality.store import Store, of_state, stamp

INTRO = """This page shows {shown} of the {listed} tables.
{current}
"""
TABLES = """## The tables

Nothing of them is kept here: pip fetches the packages into a folder that git ignores. Licences are those that the
packages state of themselves.
"""


def text(store: Store, tables: Sequence[Table]) -> str:
    results = {table.name: store.read(table.name) for table in tables}
    results = {name: records for name, records in results.items() if len(records) > 1}
    return "\n".join(sections(results, tables)) + "\n"


def sections(results: dict[str, Records], tables: Sequence[Table]) -> Iterator[str]:
    yield INTRO.format(shown=len(results), listed=len(tables), current=_current(results))
    for section in (overview, comparisons, choices, by_table, small_samples, labels, mixtures, refusals):
        yield from section(results)
        yield ""
    yield from listed(results, tables)
    yield ""
    yield from goals(results)


def _current(results: dict[str, Records]) -> str:
    """How many of our results are of the library as it is."""
    ours, state = {name for name, model in MODELS.items() if model.ours}, stamp(ours=True)
    every = [
        record for records in results.values() for study, record in records.items() if study.split("/")[-1] in ours
    ]
    made = sum(record["stamp"] == state for record in every)
    confirmed = sum(of_state(record, state) for record in every) - made
    parts = {
        f"{made} were made by the library as it is": made,
        f"{confirmed} by an earlier state, a fold of which was learned anew and came out the same": confirmed,
        f"{len(every) - made - confirmed} by an earlier state, not looked at again": len(every) - made - confirmed,
    }
    said = "; ".join(text for text, number in parts.items() if number)
    return f"Of our {len(every)} results {said}.\nWhat has not been run shows —."


def listed(results: dict[str, Records], tables: Sequence[Table]) -> Iterator[str]:
    yield TABLES
    yield "| table | package and licence | class | rows | columns | classes | left out |"
    yield "|---|---|---|---|---|---|---|"
    for table in tables:
        if table.name in results:
            about = results[table.name]["table"]
            names = ", ".join(f"`{name}`" for name in table.left_out)
            out = ": ".join(filter(None, (names, table.why))) or "—"
            size = [about["rows"], about["kind"], about["classes"]]
            cells = [table.name, about["licence"], f"`{table.target}`", *size, out]
            yield "| " + " | ".join(map(str, cells)) + " |"
