"""Statistics and models on disk: arrays and a header in one safetensors file. No pickle; loading executes nothing.

In:  arrays by name and a header of plain data.
Out: a file that is written whole or not at all, and read back bit for bit, or refused: truncated, altered, made by a
     newer version, or no file of ours.
"""

import hashlib
import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from suffice.arrays import Array
from suffice.errors import FileError

VERSION = 1
KEY = "suffice"

Header = dict[str, Any]


def write(path: str | os.PathLike[str], header: Header, arrays: Mapping[str, Array]) -> None:
    """Into a file beside the target first: an interrupted write leaves what was there."""
    kept = {name: np.ascontiguousarray(array, dtype=np.float64) for name, array in arrays.items()}
    text = json.dumps({"version": VERSION, **header}, ensure_ascii=False, allow_nan=False)
    content = save(kept, metadata={KEY: text, "digest": _digest(text, kept)})
    target = Path(path)
    if not target.parent.is_dir():
        raise FileNotFoundError(f"There is no folder {str(target.parent)!r} to write {target.name!r} into.")
    handle, beside = tempfile.mkstemp(dir=target.parent, prefix=target.name, suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, target)
    except BaseException:
        Path(beside).unlink(missing_ok=True)
        raise


def read(path: str | os.PathLike[str]) -> tuple[Header, dict[str, Array]]:
    if not Path(path).is_file():
        raise FileNotFoundError(f"There is no file {str(path)!r}.")
    try:
        with safe_open(str(path), framework="numpy") as file:
            metadata = file.metadata() or {}
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 # it is no mapping
        text, digest = metadata[KEY], metadata["digest"]
        header = json.loads(text)
    except (SafetensorError, KeyError, ValueError, TypeError, OverflowError) as error:
        raise FileError(f"{str(path)!r} is no suffice file, or it is damaged ({error}).") from None
    return _checked(path, header, text, digest, arrays), arrays


def _checked(path: Any, header: Any, text: str, digest: str, arrays: Mapping[str, Array]) -> Header:
    version = header.get("version") if isinstance(header, dict) else None
    if not isinstance(version, int):
        raise FileError(f"{str(path)!r} is no suffice file: its header has no version.")
    if version > VERSION:
        raise FileError(
            f"{str(path)!r} was written by a newer suffice (format {version}; this one reads up to {VERSION}). "
            "Upgrade suffice to read it."
        )
    if digest != _digest(text, arrays):
        raise FileError(f"{str(path)!r} has been altered or damaged since it was written: its digest does not match.")
    if any(array.dtype != np.float64 or not np.isfinite(array).all() for array in arrays.values()):
        raise FileError(f"{str(path)!r} holds numbers that are not finite float64.")
    assert isinstance(header, dict)
    return header


def _digest(text: str, arrays: Mapping[str, Array]) -> str:
    digest = hashlib.sha256(text.encode("utf-8"))
    for name in sorted(arrays):
        array = arrays[name]
        digest.update(f"\0{name}\0{array.dtype.str}\0{array.shape}\0".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()
