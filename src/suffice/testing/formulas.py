"""The law of formulas: a density says the same as an expression of its cells, worked out by a database."""

import sqlite3
from contextlib import closing

import numpy as np

from suffice.arrays import Array
from suffice.engines.scoring.dialects import SQLITE
from suffice.engines.scoring.layers import Layers
from suffice.errors import NoFormulaError
from suffice.families.protocol import Block, Density
from suffice.formulas import Cell
from suffice.testing.case import Case
from suffice.testing.law import close, law


def in_numbers(case: Case) -> bool:
    """Codes of categories are not what stands in a table."""
    return bool(case.truth.sample(np.zeros(1, dtype=np.intp), np.random.default_rng(0)).dtype.kind == "f")


@law(in_numbers)
def formulas_are_log_densities(case: Case, rng: np.random.Generator) -> None:
    """A formula of the cells, where there is one, gives the log densities."""
    block, _ = case.rows(rng)
    for density in (case.truth, case.belief(rng).predictive()):
        try:
            found = worked_out(density, block)
        except NoFormulaError:
            continue
        close(found, density.log_density(block))


def worked_out(density: Density, block: Block) -> Array:
    """Log densities (N, K), by a database that Python brings along."""
    names, layers = [f"c{j}" for j in range(block.shape[1])], Layers(SQLITE)
    patterns = {tuple(np.flatnonzero(there).tolist()) for there in ~np.isnan(block)}
    formula = density.formula([Cell(name) for name in names], sorted(patterns))
    layers.add({f"s{k}": own + formula.common for k, own in enumerate(formula.own)})
    answers = {f"s{k}": Cell(f"s{k}") for k in range(len(formula.own))}
    source = {name: name for name in (*names, "n")}
    query = layers.query("cells", source, {"n": Cell("n"), **answers})
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute(f"CREATE TABLE cells (n INTEGER, {', '.join(f'{name} REAL' for name in names)})")
        marks = ", ".join("?" * (len(names) + 1))
        cells = [(n, *row) for n, row in enumerate(np.asarray(block, dtype=float).tolist())]
        database.executemany(f"INSERT INTO cells VALUES ({marks})", cells)
        found = np.array(database.execute(query).fetchall(), dtype=float)
    return np.asarray(found[np.argsort(found[:, 0]), 1:])
