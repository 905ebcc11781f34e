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
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from suffice.arrays import Array
from suffice.errors import FileError, NoFileError, ParameterError

VERSION = 2  # 1 had no numbers of rows, no course of learning, and cells in other units under "inner"
KEY = "suffice"
LONGEST = 1 << 30  # bytes of a header
SPARE = 10_000_000  # numbers that any file may have, such as those of each step of EM

Header = dict[str, Any]
AnyFile = str | os.PathLike[str] | int


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


def refuse_impossible(path: str | os.PathLike[str]) -> None:
    """What no file can be called: too long, with a NUL, or below something that is no folder."""
    try:
        os.lstat(path)
    except (FileNotFoundError, PermissionError):
        return  # which is said where it is opened
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise FileError(f"{_short(str(path))} cannot be the path of a file: {why}. Give another one.") from None


def _short(path: str) -> str:
    return repr(path) if len(path) <= 100 else f"{path[:100]!r}… ({len(path):,} characters)"


def _target(path: str | os.PathLike[str]) -> Path:
    """Where to write: a symbolic link stays, and what it leads to is written."""
    refuse_impossible(path)
    target = Path(os.path.realpath(path))
    if not target.parent.is_dir():
        raise NoFileError(f"There is no folder {str(target.parent)!r} to write {target.name!r} to. Make it first.")
    if target.is_symlink() or (target.exists() and not target.is_file()):
        raise FileError(
            f"{str(path)!r} is not an ordinary file and cannot be replaced by one. Give the name of a file."
        )
    return target


def refuse_overwriting(targets: Iterable[AnyFile], sources: Iterable[AnyFile]) -> None:
    """What is written must be no file that is read, by whichever name, link or spelling; nor twice the same file.

    Files may be given by their descriptors: 0 is stdin, 1 is stdout.
    """
    read, written = {_identity(source): source for source in sources}, dict[object, AnyFile]()
    for target in targets:
        one = _identity(target)
        if one in read:
            same = f", which is the same file as {_named(read[one])}" * (_named(read[one]) != _named(target))
            raise ParameterError(f"Writing {_named(target)} would overwrite the input{same}. Give another name.")
        if one in written:
            raise ParameterError(
                f"{_named(written[one])} and {_named(target)} would overwrite each other. Give another name."
            )
        written[one] = target


def _identity(file: AnyFile) -> object:
    """The file itself where there is one, so that links and other spellings are the same; else where it would be."""
    try:
        found = os.stat(file)
    except (OSError, ValueError):  # whoever opens it says what is wrong with it
        return object() if isinstance(file, int) or "\0" in os.fspath(file) else os.path.realpath(file)
    shared = isinstance(file, int) and not stat.S_ISREG(found.st_mode)  # a terminal, a pipe
    return object() if shared else (found.st_dev, found.st_ino)


def _named(file: AnyFile) -> str:
    return ("stdin", "stdout")[file] if isinstance(file, int) else repr(os.fspath(file))


@contextmanager
def openable(path: Path, mode: str = "rb") -> Iterator[str]:
    """A path as libraries outside Python take it, who know UTF-8 alone: of any other name, that of the open file."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        with open(path, mode) as file:
            yield f"/dev/fd/{file.fileno()}"
    else:
        yield str(path)


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


def read(
    path: str | os.PathLike[str], room: Callable[[Header], float] = lambda header: np.inf
) -> tuple[Header, dict[str, Array]]:
    """What was written. `room` says how many numbers an array can have by its header, before any is read."""
    if not isinstance(path, str | os.PathLike):
        raise ParameterError(f"A file must be given by its path, as text; found {type(path).__name__}.")
    refuse_impossible(path)
    if not Path(path).is_file():
        raise NoFileError(f"There is no file {str(path)!r}.")
    try:
        header = _declared(Path(path), room)
        with openable(Path(path)) as name, safe_open(name, framework="numpy") as file:
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 # it is no mapping
        intact = header.pop("digest") == _digest(header, arrays)
    except (
        SafetensorError,
        LookupError,
        ValueError,
        TypeError,
        AttributeError,
        OverflowError,
        RecursionError,
        MemoryError,
    ) as error:
        raise FileError(f"{str(path)!r} is not a suffice file, or it is damaged ({error}).") from None
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # of Rust, which derives from what nobody catches
            raise
        raise FileError(f"{str(path)!r} cannot be read: there is not enough memory, or it is damaged.") from None
    _check(path, header.get("version"), intact, arrays)
    return header, arrays


def _declared(path: Path, room: Callable[[Header], float]) -> Header:
    """What a file says of itself, from its first bytes; sizes that cannot be are refused before any array is read."""
    with open(path, "rb") as file:
        size, length = os.fstat(file.fileno()).st_size, int.from_bytes(file.read(8), "little")
        if not 0 < length <= min(size - 8, LONGEST):
            raise ValueError("its header is longer than the file")
        said = json.loads(file.read(length))
    header: Header = json.loads(said.pop("__metadata__")[KEY])
    numbers = sum(prod(tensor["shape"]) for tensor in said.values())
    if any(tensor["dtype"] != "F64" for tensor in said.values()) or 8 + length + 8 * numbers != size:
        raise ValueError("its arrays are not as long as it says, or not of numbers of eight bytes")
    newer = type(header["version"]) is int and header["version"] > VERSION  # refused for that
    if not newer and numbers > SPARE + len(said) * room(header):
        raise ValueError(f"it has {numbers:,} numbers, more than its columns and classes can have")
    return header


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
