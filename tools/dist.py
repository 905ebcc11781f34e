"""`make dist`: sdist and wheel, and a trial of the wheel where nothing of the repository is.

In:  the repository.
Out: dist/ with both; exit status 0 once the wheel, alone in a new environment, has run its demo and has learned,
     predicted and reported by the command line.
"""

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from collections.abc import Iterator
from email.parser import Parser
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "suffice"
DIST = ROOT / "dist"
STATED = ("Name", "Version", "Summary", "License-Expression", "Requires-Python", "Keywords", "Classifier", "Author")
STEPS = (
    ("demo", "--folder", "demo"),
    ("fit", "demo.csv", "-y", "kind", "-o", "m.suffice", "-m", "naive-bayes"),
    ("predict", "m.suffice", "demo.csv", "-o", "out.csv"),
    ("report", "m.suffice", "demo.csv", "-y", "kind", "-o", "report.html"),
)


def resources() -> Iterator[str]:
    """Every file of the package, as a wheel names it."""
    for path in sorted(PACKAGE.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            yield str(path.relative_to(PACKAGE.parent))


def lacking(wheel: Path) -> list[str]:
    """What the wheel should hold and does not: files, and what its metadata should state."""
    with zipfile.ZipFile(wheel) as file:
        names = set(file.namelist())
        (metadata,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        stated = Parser().parsestr(file.read(metadata).decode())
    return [name for name in resources() if name not in names] + [name for name in STATED if not stated[name]]


def built() -> tuple[Path, Path]:
    shutil.rmtree(DIST, ignore_errors=True)
    subprocess.run(
        [sys.executable, "-m", "build", "--outdir", str(DIST), str(ROOT)], check=True, stdout=subprocess.DEVNULL
    )
    (wheel,), (source,) = DIST.glob("*.whl"), DIST.glob("*.tar.gz")
    return wheel, source


def tried(wheel: Path) -> None:
    """In an environment and a folder of its own; what fails says so and ends everything."""
    with tempfile.TemporaryDirectory() as place:
        folder, python = Path(place), Path(place) / "venv" / "bin" / "python"
        venv.create(folder / "venv", with_pip=True)
        quiet = ("--quiet", "--disable-pip-version-check")
        subprocess.run([python, "-m", "pip", "install", *quiet, f"{wheel}[all]"], check=True)
        (folder / "demo.csv").write_text("x,colour,kind\n" + "1.5,red,a\n2.5,blue,b\n1.0,red,a\n3.5,,b\n" * 5)
        alone = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        for words in STEPS:
            command = [python, "-m", "suffice", *words]
            subprocess.run(command, check=True, cwd=folder, env=alone, stdout=subprocess.DEVNULL)
        subprocess.run([python.with_name("suffice"), "--version"], check=True, cwd=folder, env=alone)
        missing = [name for name in ("demo/penguins.html", "out.csv", "report.html") if not (folder / name).is_file()]
        if missing:
            raise SystemExit(f"The wheel ran, but did not write {', '.join(missing)}.")


def main() -> None:
    wheel, source = built()
    if missing := lacking(wheel):
        raise SystemExit(f"{wheel.name} lacks {', '.join(missing)}.")
    with tarfile.open(source) as file:
        if not any(name.endswith("/tests/conftest.py") for name in file.getnames()):
            raise SystemExit(f"{source.name} has no tests.")
    tried(wheel)
    print(f"{wheel.name} and {source.name} are in {DIST.name}; the wheel ran by itself.")


if __name__ == "__main__":
    main()
