"""What tests of trees share: rows whose columns depend on each other."""

import numpy as np
import pandas as pd


def mixed(rows=120, seed=0, holes=0.0):
    """Categories, numbers and counts that depend on each other and on the class."""
    rng = np.random.default_rng(seed)
    y = rng.choice(["no", "yes"], rows)
    shape = np.where(rng.random(rows) < np.where(y == "yes", 0.7, 0.4), "round", "flat")
    colour = np.where(rng.random(rows) < 0.7, np.where(shape == "flat", "red", "blue"), "green")
    a = rng.normal(size=rows) + 2 * (colour == "red")
    b = a + 0.5 * rng.normal(size=rows) + (y == "yes")
    table = {"a": a, "colour": colour, "b": b, "shape": shape, "c": 0.7 * b + rng.normal(size=rows)}
    table |= {"visits": rng.poisson(2 + 3 * (shape == "flat")) * 1.0, "d": rng.normal(size=rows)}
    there = {name: rng.random(rows) >= holes for name in table}
    return pd.DataFrame({name: pd.Series(cells).where(there[name]) for name, cells in table.items()}), y


KINDS = {"visits": "poisson"}
