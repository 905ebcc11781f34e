"""The body of the page of the command line: what every command says of itself; `make commands` writes it.

In:  the commands.
Out: blocks with a mark before each group, the same on every terminal; the pages have the words between.
"""

import io
import os
from contextlib import redirect_stdout, suppress
from pathlib import Path
from unittest.mock import patch

from suffice.cli import answers, learning, presenting, summaries
from suffice.cli.main import main as run

PAGE = Path(__file__).resolve().parents[1] / "docs" / "shared" / "generated" / "commands.md"
ROOMS = {"learning": learning, "answers": answers, "summaries": summaries, "showing": presenting}


def page() -> str:
    parts = ["<!-- all -->", _block()]
    for mark, room in ROOMS.items():
        parts += [f"<!-- {mark} -->", *(_command(command.__name__.removesuffix("_file")) for command in room.COMMANDS)]
    return "\n\n".join([*parts, "<!-- end -->"]) + "\n"


def _command(name: str) -> str:
    return f"### {name}\n\n{_block(name)}"


def _block(*words: str) -> str:
    told = io.StringIO()
    with patch.dict(os.environ, {"COLUMNS": "100"}), redirect_stdout(told), suppress(SystemExit):
        run([*words, "--help"])
    return "```\n" + "\n".join(line.rstrip() for line in told.getvalue().strip().splitlines()) + "\n```"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
