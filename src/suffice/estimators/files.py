"""Models on disk: the summary and the parameters of the constructor; the rest follows from them, bit for bit."""

import os
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from suffice.errors import FileError, ParameterError
from suffice.families.cells import Dirichlet
from suffice.families.normal_mean import NormalMean
from suffice.families.normal_wishart import NormalInverseWishart
from suffice.families.rates import Gamma
from suffice.model.summary import Summary
from suffice.store import Header, read, write

PRIORS = {prior.__name__: prior for prior in (Dirichlet, Gamma, NormalInverseWishart, NormalMean)}


def save_model(path: str | os.PathLike[str], name: str, parameters: Mapping[str, Any], summary: Summary) -> None:
    header, arrays = summary.packed()
    model = {"name": name, "parameters": {key: plain(value) for key, value in parameters.items()}}
    write(path, {"holds": "model", "model": model, **header}, arrays)


def load_any(path: str | os.PathLike[str], model_of: Callable[[str, dict[str, Any], Summary], Any]) -> Any:
    """The Summary in a file, or the model that `model_of` makes of its name, parameters and summary."""
    header, arrays = read(path)
    try:
        summary = Summary.unpacked(header, arrays)
        if header["holds"] == "summary":
            return summary
        model = header["model"]
        return model_of(model["name"], {key: restored(value) for key, value in model["parameters"].items()}, summary)
    except (KeyError, TypeError, AttributeError, IndexError, ValueError) as error:
        raise FileError(f"{str(path)!r} does not hold what its header says ({error}).") from None


def plain(value: Any) -> Header | Any:
    """A parameter as plain data; what JSON has no form for is tagged."""
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, np.ndarray | np.generic):
        return {"array": value.tolist()}
    if isinstance(value, tuple):
        return {"tuple": [plain(part) for part in value]}
    if isinstance(value, list):
        return [plain(part) for part in value]
    if isinstance(value, Mapping):
        return {"pairs": [[plain(key), plain(part)] for key, part in value.items()]}
    if type(value).__name__ in PRIORS:
        given = {f.name: plain(getattr(value, f.name)) for f in fields(value) if f.name not in ("family", "new")}
        return {"prior": type(value).__name__, "of": given}
    raise ParameterError(f"A parameter of type {type(value).__name__} cannot be saved; use plain numbers and names.")


def restored(data: Any) -> Any:
    """The parameter that was made `plain`."""
    if isinstance(data, list):
        return [restored(part) for part in data]
    if not isinstance(data, dict):
        return data
    if "prior" in data:
        return PRIORS[data["prior"]](**{name: restored(value) for name, value in data["of"].items()})
    if "pairs" in data:
        return {restored(key): restored(part) for key, part in data["pairs"]}
    return np.array(data["array"]) if "array" in data else tuple(restored(part) for part in data["tuple"])
