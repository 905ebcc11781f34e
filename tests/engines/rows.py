"""Rows that tests of engines share: every kind of column, missing cells, a column far from 0, and weights."""

import numpy as np
import pandas as pd

KINDS = {
    "visits": "poisson",
    "smoker": "binary",
    "wins": ("binomial", 6),
    "wait": "exponential",
    "income": "log-gaussian",
    "id": "ignore",
}


def table(rows: int = 600, seed: int = 0, missing: bool = True) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    label = rng.choice(["坏", "good", "it's"], rows, p=[0.3, 0.5, 0.2])
    shift = (label == "good") * 1.0
    height = rng.normal(1e6 + shift, 1.0)
    frame = pd.DataFrame(
        {
            "id": np.arange(rows),
            "height": height,
            "身高 2": 0.6 * (height - 1e6) + rng.normal(size=rows),
            "few": rng.integers(0, 4, rows),
            "town": rng.choice(["Ulm", "Köln", "北京"], rows),
            "open": rng.random(rows) < 0.4 + 0.2 * shift,
            "visits": rng.poisson(2 + shift),
            "smoker": (rng.random(rows) < 0.3).astype(int),
            "wins": rng.binomial(6, 0.4 + 0.1 * shift),
            "wait": rng.exponential(3.0, rows),
            "income": np.exp(rng.normal(8 + shift, 1.0)),
            "label": label,
            "weight": rng.integers(0, 4, rows) / 2,
        }
    )
    if missing:
        for name in ("height", "身高 2", "few", "visits", "smoker", "wins", "wait", "income"):
            frame[name] = frame[name].astype(float).mask(rng.random(rows) < 0.07)
        frame["town"] = frame["town"].astype(object).mask(rng.random(rows) < 0.07, None)
        frame["open"] = frame["open"].astype("boolean").mask(rng.random(rows) < 0.07)
    return frame


def mixed(rows: int = 900, missing: bool = True) -> pd.DataFrame:
    """Rows of three components that are well apart, with whole weights."""
    rng = np.random.default_rng(5)
    component = rng.choice(3, rows, p=[0.5, 0.3, 0.2])
    shift = np.array([-4.0, 0.0, 4.0])[component]
    frame = pd.DataFrame(
        {
            "x": 1e6 + shift + rng.normal(size=rows),
            "y": shift + rng.normal(size=rows),
            "t": np.where(rng.random(rows) < 0.8, np.array(["a", "b", "c"])[component], "d"),
            "w": rng.integers(0, 3, rows),
        }
    )
    return frame.mask(rng.random(frame.shape) < [0.1, 0, 0.1, 0]) if missing else frame
