"""The page of the command line: what every command says of itself; `make commands` writes docs/commands.md.

In:  the commands. Out: a page, the same on every terminal.
"""

import io
import os
from contextlib import redirect_stdout, suppress
from pathlib import Path
from unittest.mock import patch

from suffice.cli import answers, learning, presenting, summaries
from suffice.cli.main import main as run

PAGE = Path(__file__).resolve().parents[1] / "docs" / "commands.md"
ROOMS = {
    "Learning": learning,
    "Answers for rows": answers,
    "Summaries as files": summaries,
    "Showing": presenting,
}
HEAD = """
# The command line

Written by `make commands`. `pip install "suffice[cli]"` brings the command; `python -m suffice` is the same. Tables are
CSV, Parquet, Feather, Arrow or JSON lines, compressed or not, several of them by a pattern in quotes, or stdin. Data
goes to stdout, everything else to stderr. Exit codes: 0 fine, 1 a fault of suffice, 2 usage or bad input, 3 a score
below `--fail-under`, 4 a file that cannot be read or written, 130 interrupted. `suffice --install-completion` teaches
your shell the commands.
""".strip()


def page() -> str:
    parts = [HEAD, _block()]
    for title, room in ROOMS.items():
        parts += [f"## {title}", *(_command(command.__name__.removesuffix("_file")) for command in room.COMMANDS)]
    return "\n\n".join(parts) + "\n"


def _command(name: str) -> str:
    return f"### {name}\n\n{_block(name)}"


def _block(*words: str) -> str:
    told = io.StringIO()
    with patch.dict(os.environ, {"COLUMNS": "100"}), redirect_stdout(told), suppress(SystemExit):
        run([*words, "--help"])
    return "```\n" + "\n".join(line.rstrip() for line in told.getvalue().strip().splitlines()) + "\n```"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
