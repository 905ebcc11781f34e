"""Models on disk: the summary and the parameters of the constructor; the rest follows from them, bit for bit."""

import os
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import numpy as np

from suffice.arrays import Array
from suffice.beliefs.belief import Belief
from suffice.beliefs.constructors import CONSTRUCTORS
from suffice.data.schema import Schema
from suffice.errors import FileError, ParameterError
from suffice.learn.em import EM
from suffice.learn.model import Packed, Settings
from suffice.model.joint import Joint
from suffice.model.summary import Summary
from suffice.store import Header, read

WIDTHS = {"int": (8, 16, 32, 64), "uint": (8, 16, 32, 64), "float": (16, 32, 64)}  # in bits
NUMBERS = {f"{kind}{bits}": np.dtype(f"{kind}{bits}") for kind, widths in WIDTHS.items() for bits in widths}
M = TypeVar("M")
ModelOf = Callable[[str, Settings, Summary | None, Joint | None, Packed], M]
NOTHING: Packed = ({}, {})
AROUND, INNER = "model around another", "inner/"
JOINT, COURSE = "joint/", "course/"  # what arrays of a model begin with that are no statistics
WITHOUT_SUMMARY = "linear model"  # what files of models say that are no sums over rows
TYPES: dict[str, Any] = NUMBERS | {"bool": bool, "str": str, "object": object}


def packed_model(
    name: str, parameters: Settings, summary: Summary | None, joint: Joint | None, course: Packed = NOTHING
) -> Packed:
    """Pack a model for a file: a header and arrays.

    A joint is given where it does not follow from the summary: it was found by EM, or by whoever gave it. The course is
    how it was learned.
    """
    header, arrays = ({}, {}) if summary is None else summary.packed()
    if joint is not None:
        header |= {"schema": joint.schema.plain()} if summary is None else {}
        found, parts = joint.packed()
        header, arrays = header | {"joint": found}, arrays | _under(JOINT, parts)
    if course[0]:
        header, arrays = header | {"course": course[0]}, arrays | _under(COURSE, course[1])
    model = {"name": name, "parameters": {key: plain(value) for key, value in parameters.items()}}
    _records(header, arrays)  # what load would refuse is refused now
    return {"holds": "model", "model": model, **header}, arrays


def packed_around(name: str, parameters: Settings, inner: Packed, arrays: Mapping[str, Array]) -> Packed:
    """The same of a model that has another one in it."""
    model = {"name": name, "parameters": {key: plain(value) for key, value in parameters.items()}}
    return {"holds": AROUND, "model": model, "inner": inner[0]}, {**arrays, **_under(INNER, inner[1])}


def _under(where: str, arrays: Mapping[str, Array]) -> dict[str, Array]:
    return {where + name: array for name, array in arrays.items()}


def _of(where: str, arrays: Mapping[str, Array]) -> dict[str, Array]:
    return {name.removeprefix(where): array for name, array in arrays.items() if name.startswith(where)}


def load_any(
    path: str | os.PathLike[str],
    model_of: ModelOf[M],
    others: Mapping[str, Callable[..., M]],
) -> Summary | M:
    """The Summary in a file, or the model that `model_of` makes of its name, parameters, summary, joint and course.

    `others` have neither summary nor joint, or another model in them; they read what is in the file themselves.
    """
    header, arrays = read(path, _room)
    try:
        return _held(header, arrays, model_of, others)
    except (LookupError, TypeError, AttributeError, ValueError, ArithmeticError, RecursionError) as error:
        raise FileError(f"{str(path)!r} does not hold what its header says ({error}).") from None


def _room(header: Header) -> float:
    """The largest size of an array that a file may have: for each class, a number for every two cells."""
    if "inner" in header:
        return _room(header["inner"])
    if "schema" not in header:
        raise ValueError("its header has no schema")
    columns = [column for block in header["schema"]["blocks"] for column in block["columns"]]
    cells, classes = sum(2 + len(column["levels"]) for column in columns), header.get("classes", [])
    return (1 + len(classes)) * (1 + cells) ** 2


def _held(
    header: Header,
    arrays: Mapping[str, Array],
    model_of: ModelOf[M],
    others: Mapping[str, Callable[..., M]],
) -> Summary | M:
    if header["holds"] == WITHOUT_SUMMARY:
        return others[header["model"]["name"]](header, arrays)
    if header["holds"] == AROUND:
        own = {name: array for name, array in arrays.items() if not name.startswith(INNER)}
        inner = _held(header["inner"], _of(INNER, arrays), model_of, others)
        return others[header["model"]["name"]](header, own, inner)
    summary, joint = _records(header, arrays)
    if header["holds"] == "summary" and summary is not None:
        return summary
    model = header["model"]
    parameters = parameters_in(header)
    course = header.get("course", {}), _of(COURSE, arrays)
    return model_of(model["name"], parameters, summary, joint, course)


def _records(header: Header, arrays: Mapping[str, Array]) -> tuple[Summary | None, Joint | None]:
    """The summary, unless parameters were given without one, and the joint where there is one."""
    own, learned = _of(JOINT, arrays), {name: a for name, a in arrays.items() if not name.startswith(COURSE)}
    if "classes" not in header and len(own) == len(learned):
        return None, Joint.unpacked(header["joint"], own, Schema.from_plain(header["schema"]))
    summary = Summary.unpacked(header, {name: a for name, a in learned.items() if not name.startswith(JOINT)})
    joint = Joint.unpacked(header["joint"], own, summary.schema) if "joint" in header else None
    if own if joint is None else joint.components != summary.classes:
        raise FileError("The parameters in the file are not those of its classes or components.")
    return summary, joint


def parameters_in(header: Header) -> Settings:
    """The parameters of the model that a file holds."""
    return {key: restored(value) for key, value in header["model"]["parameters"].items()}


def plain(value: Any) -> Header | Any:
    """A parameter as plain data; what JSON has no form for is tagged."""
    if isinstance(value, float) and not np.isfinite(value):
        return {"number": str(float(value))}
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, np.ndarray | np.generic):
        name = value.dtype.name if value.dtype.kind != "U" else "str"  # whatever their length
        if name in TYPES:
            return {"array": plain(value.tolist()), "type": name}
    if isinstance(value, tuple):
        return {"tuple": [plain(part) for part in value]}
    if isinstance(value, list):
        return [plain(part) for part in value]
    if isinstance(value, Mapping):
        return {"pairs": [[plain(key), plain(part)] for key, part in value.items()]}
    if isinstance(value, EM):
        return {"em": {name: plain(given) for name, given in value.get_params(deep=False).items()}}
    if isinstance(value, Belief):
        return {"belief": value.name, "of": {name: plain(given) for name, given in value.arguments.items()}}
    raise ParameterError(f"A parameter of type {type(value).__name__} cannot be saved; use plain numbers and names.")


def restored(data: Any) -> Any:
    """The parameter that was made `plain`."""
    if isinstance(data, list):
        return [restored(part) for part in data]
    if not isinstance(data, dict):
        return data
    if "em" in data:
        return EM(**{name: restored(value) for name, value in data["em"].items()})
    if "belief" in data:
        return CONSTRUCTORS[data["belief"]](**{name: restored(value) for name, value in data["of"].items()})
    if "pairs" in data:
        return {restored(key): restored(part) for key, part in data["pairs"]}
    if "number" in data:
        return float(data["number"])
    if "array" in data:
        return np.array(restored(data["array"]), dtype=TYPES[data["type"]])[()]  # a number by itself is no array
    return tuple(restored(part) for part in data["tuple"])
