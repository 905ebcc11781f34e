"""Statistics and models on disk: arrays and a header in one safetensors file. No pickle; loading executes nothing.

In:  arrays by name and a header of plain data.
Out: a file that is written whole or not at all, the same bytes for the same content, and read back bit for bit, or
     refused: truncated, altered, made by a newer version, or no file of ours. Its digest is no signature: whoever can
     write the file can write the digest.
"""

import hashlib
import json
import os
import secrets
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from suffice.arrays import Array
from suffice.errors import FileError, NoFileError, ParameterError

VERSION = 2  # 1 had no numbers of rows
KEY = "suffice"

Header = dict[str, Any]


def write(path: str | os.PathLike[str], header: Header, arrays: Mapping[str, Array]) -> None:
    """Into a file beside the target first: an interrupted write leaves what was there."""
    _refuse_half_characters(header)
    kept = {name: np.ascontiguousarray(array, dtype=np.float64) for name, array in arrays.items()}
    whole = {"version": VERSION, **header}
    content = save(kept, metadata={KEY: _text({"digest": _digest(whole, kept), **whole})})
    with replacing(path) as beside, open(beside, "xb") as file:
        file.write(content)


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A file to write beside another, in whose place it is put once it is whole; what fails leaves what was there."""
    target = _target(path)
    beside = target.with_name(f".{secrets.token_hex(8)}.part")  # short, whatever the length of the target's name
    try:
        yield beside
        with open(beside, "rb+") as file:  # it has the mode that any new file has
            os.fsync(file.fileno())
        if target.exists():
            os.chmod(beside, stat.S_IMODE(target.stat().st_mode))
        os.replace(beside, target)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def _target(path: str | os.PathLike[str]) -> Path:
    """Where to write: a symbolic link stays, and what it leads to is written."""
    target = Path(os.path.realpath(path))
    if not target.parent.is_dir():
        raise NoFileError(f"There is no folder {str(target.parent)!r} to write {target.name!r} to. Make it first.")
    if target.is_symlink() or (target.exists() and not target.is_file()):
        raise FileError(
            f"{str(path)!r} is not an ordinary file and cannot be replaced by one. Give the name of a file."
        )
    return target


def _refuse_half_characters(header: Header) -> None:
    """Half of a pair of UTF-16 has no form in UTF-8, and two halves would come back as one character."""
    for text in _texts(header):
        if any("\ud800" <= char <= "\udfff" for char in text):
            raise FileError(
                f"Nothing was written: {text!r}, a class, category, name or parameter, holds half a character (a lone "
                "surrogate), which text files cannot hold. Decode its source correctly, or rename it."
            )


def _texts(data: Any) -> Iterator[str]:
    if isinstance(data, str):
        yield data
    elif isinstance(data, dict | list | tuple):
        for part in (*data, *data.values()) if isinstance(data, dict) else data:
            yield from _texts(part)


def read(path: str | os.PathLike[str]) -> tuple[Header, dict[str, Array]]:
    if not isinstance(path, str | os.PathLike):
        raise ParameterError(f"A file must be given by its path, as text; found {type(path).__name__}.")
    if not Path(path).is_file():
        raise NoFileError(f"There is no file {str(path)!r}.")
    try:
        with safe_open(str(path), framework="numpy") as file:
            metadata = file.metadata() or {}
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 # it is no mapping
        header = json.loads(metadata[KEY])
        intact = header.pop("digest") == _digest(header, arrays)
    except (
        SafetensorError,
        LookupError,
        ValueError,
        TypeError,
        AttributeError,
        OverflowError,
        RecursionError,
    ) as error:
        raise FileError(f"{str(path)!r} is not a suffice file, or it is damaged ({error}).") from None
    _check(path, header.get("version"), intact, arrays)
    return header, arrays


def _check(path: str | os.PathLike[str], version: Any, intact: bool, arrays: Mapping[str, Array]) -> None:
    if type(version) is not int or version < 1:
        raise FileError(f"{str(path)!r} is not a suffice file: its header has no version.")
    if version > VERSION:
        raise FileError(
            f"{str(path)!r} was written by a newer suffice (format {version}; this one reads up to {VERSION}). "
            "Upgrade suffice to read it."
        )
    if not intact:
        raise FileError(f"{str(path)!r} has been altered or damaged since it was written: its digest does not match.")
    if any(array.dtype != np.float64 for array in arrays.values()):
        raise FileError(f"{str(path)!r} holds numbers that are not float64.")


def _text(header: Header) -> str:
    return json.dumps(header, ensure_ascii=False, allow_nan=False)


def _digest(header: Header, arrays: Mapping[str, Array]) -> str:
    digest = hashlib.sha256(_text(header).encode("utf-8"))
    for name in sorted(arrays):
        array = arrays[name]
        digest.update(f"\0{name}\0{array.dtype.str}\0{array.shape}\0".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()
