"""docs/quality.md, from the store: tables, comparisons, refusals, and how the goal of the study stands.

In:  the store, and the list of tables.
Out: the text of the page. Every number on it is worked out here.
"""

from collections.abc import Iterator, Sequence

from quality.compare import Records
from quality.data import FEWEST_OF_A_CLASS, MOST_ROWS, Table
from quality.models import MODELS
from quality.scores import BINS, LEAST
from quality.sections import by_table, choices, comparisons, goals, labels, mixtures, overview, refusals, small_samples
from quality.store import Store, of_state, stamp

INTRO = f"""# How well it predicts, out of the box

Made by `make quality`: real tables that ship inside packages of PyPI, our defaults and automatic settings beside
scikit-learn's models, on the same folds. This page shows {{shown}} of the {{listed}} tables.
{{current}}

- **Folds**: ten, stratified and shuffled with seed 0, the same for every model. Of tables with more than
  {MOST_ROWS} rows, {MOST_ROWS} are drawn; classes of fewer than {FEWEST_OF_A_CLASS} rows and rows without a class are
  left out.
- **Log loss** is −ln of the probability of the true class, a probability below {LEAST:g} counting as that.
  **Better / tie / worse** is by more than two standard errors of the paired difference. **Calibration error** is how
  far the probability of the most probable class is from how often it is right, over {BINS} bins. **Seconds** are those
  of the processor for fitting and predicting all folds.
- **A refusal** is an exception in any fold, and counts as worse than any answer.
- **Our models** have the table as it is. Rows of counts are declared so (`kinds="counts"`); nothing else is.
  Discriminants are asked where there is a column of numbers. `LinearDiscriminant` models numbers only, so there
  categories are one-hot, as for LDA.
- **scikit-learn's models** have what they need to run at all, learned inside each training part: missing numbers filled
  with the mean, numbers standardised, categories one-hot with missing as a level of its own (for boosting: codes, and
  missing numbers as they are). Its naive Bayes is `GaussianNB` of the numbers times `CategoricalNB` of the categories,
  or `MultinomialNB` of rows of counts. All other parameters are defaults, but for those shown and `max_iter=2000` of
  `LogisticRegression`.
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
