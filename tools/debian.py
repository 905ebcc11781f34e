"""What targets of the Makefile need of Debian: installs it where that can be done, or says what is missing.

In:  the target: docs, test-engines or test-browser.
Out: exit status 0 once everything that NEEDED lists for it is there, or if the target goes on without it; else 1.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Needed:
    program: str  # or another file
    package: str  # of Debian
    beside: str  # where else than in the path Debian puts it

    def there(self) -> bool:
        return shutil.which(self.program) is not None or any(Path("/").glob(f"{self.beside}/{self.program}"))


@dataclass(frozen=True)
class Font:
    """Any that has this character, whoever put it there."""

    character: str
    package: str

    @property
    def program(self) -> str:
        return f"a font with {self.character}"

    def there(self) -> bool:
        from suffice.plots.fonts import families_for

        return not families_for({self.character})[1]


CHINESE = Font("中", "fonts-noto-cjk")
NEEDED: dict[str, tuple[Needed | Font, ...]] = {
    "docs": (CHINESE,),
    "test-engines": (
        Needed("initdb", "postgresql", "usr/lib/postgresql/*/bin"),
        Needed("java", "openjdk-17-jre-headless", "usr/lib/jvm/*/bin"),
    ),
    "test-browser": (
        Needed("chromium", "chromium", "usr/bin"),
        CHINESE,
    ),
}
WITHOUT = {"docs": "Figures will show boxes in place of Chinese characters"}  # targets that go on, and what is worse


def missing(target: str) -> list[Needed | Font]:
    return [needed for needed in NEEDED[target] if not needed.there()]


def obstacles() -> Iterator[str]:
    """Why Debian's packages cannot be installed here."""
    if os.getuid() != 0:
        yield "only root may install packages"
    if shutil.which("apt-get") is None:
        yield "there is no apt-get"


def install(packages: list[str]) -> str:
    """What went wrong, if anything."""
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True}
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    for command in (["apt-get", "update", "-q"], ["apt-get", "install", "-y", "-q", *packages]):
        done = subprocess.run(command, env=environment, check=False, **quiet)
        if done.returncode:
            return f"{' '.join(command)} failed: {' '.join((done.stderr or '').split())[-500:]}"
    return ""


def main(target: str) -> int:
    lacking = missing(target)
    if not lacking:
        return 0
    packages = sorted({needed.package for needed in lacking})
    why = "; ".join(obstacles()) or install(packages)
    left = [needed.program for needed in missing(target)]
    if not left:
        return 0
    then = f"{WITHOUT[target]} until they are." if target in WITHOUT else "Install them and try again."
    print(
        f"make {target} needs {', '.join(left)}, of the Debian packages {', '.join(packages)}, which could not be "
        f"installed: {why or 'they came without these files'}. {then}",
        file=sys.stderr,
    )
    return 0 if target in WITHOUT else 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1]))
