r"""Examples with their answers: the English page has them, which tests run, and its Chinese twin shows the same.

In: a page with blocks "```{example}", and its English twin.
Out: the page with the blocks of code of the twin, one after the other; an empty line where doctest says <BLANKLINE>.
"""

import re
from pathlib import Path

ENGLISH = Path(__file__).resolve().parents[1] / "en"
NAMED = re.compile(r"^```\{example\}\n```$", re.MULTILINE)
BLOCK = re.compile(r"^```(.*?)\n.*?^```$", re.MULTILINE | re.DOTALL)


def written_out(page: str, name: str) -> str:
    """The page of this name, such as "pages/sql", with its examples."""
    blocks = iter(of(name) if NAMED.search(page) else [])
    return NAMED.sub(lambda found: next(blocks), page).replace("\n<BLANKLINE>\n", "\n\n")


def of(name: str) -> list[str]:
    """The blocks of code of an English page."""
    return code((ENGLISH / f"{name}.md").read_text(encoding="utf-8"))


def code(page: str) -> list[str]:
    return [found[0] for found in BLOCK.finditer(page) if found[1] in ("", "python")]
