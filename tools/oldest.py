"""The lowest versions that pyproject.toml allows, as constraints for pip: one place says them, and tests hold them."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

PYPROJECT = Path(__file__).resolve().parents[1] / "pyproject.toml"


def lowest(project: dict[str, object]) -> Iterator[str]:
    """name==version for each requirement name>=version, of the package and of its extras."""
    extras: dict[str, list[str]] = project["optional-dependencies"]  # type: ignore[assignment]
    for requirement in (*project["dependencies"], *(one for some in extras.values() for one in some)):  # type: ignore[misc]
        if requirement.startswith(f"{project['name']}["):  # the package itself, with an extra
            continue
        found = re.fullmatch(r"([\w.-]+)>=([\d.]+)", requirement)
        if found is None:
            raise SystemExit(
                f"pyproject.toml asks for {requirement!r}: give every requirement a lowest version, name>=1.2."
            )
        yield f"{found[1]}=={found[2]}"


if __name__ == "__main__":
    print("\n".join(lowest(tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"])))
