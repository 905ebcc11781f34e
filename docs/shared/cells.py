r"""Cells of pages: both languages show and run the same code, which is written once, in `shared/cells/`.

In: a page with blocks that name a cell, as in "```{cell} bayes/regions", and the files of cells, parted by "# %% name".
Out: the page with the code of each, a notebook of Markdown that is run as the page is built.
"""

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

CELLS = Path(__file__).resolve().parent / "cells"
NAMED = re.compile(r"^```\{cell\} ([\w-]+)/([\w-]+)((?: [\w-]+)*)\n```$", re.MULTILINE)
HEAD = "---\nfile_format: mystnb\nkernelspec:\n  name: python3\n---\n\n"
PACKAGES, CLONE = '`pip install "suffice[all,duckdb]" pandas polars`', '`".[all,duckdb]"`'
FOLLOW = {
    "en": f"*To follow along: {PACKAGES} (in a clone of the repository {CLONE}), then the cells in their order, in a "
    "notebook or at one prompt of Python.*",
    "zh": f"*想跟着做：先 {PACKAGES}（在仓库的克隆里用 {CLONE}），再在笔记本或同一个 Python 提示符下依次运行各段代码。"
    '输出默认是英文；先运行 `import suffice; suffice.language("zh")` 便与本页一样是中文。*',
}


def written_out(page: str, language: str = "en", depends_on: Callable[[str], object] = lambda path: None) -> str:
    """The page with the code of each cell that it names, and how to follow it; its file is said to `depends_on`."""

    def code(found: re.Match[str]) -> str:
        chapter, name, tags = found.groups()
        depends_on(str(CELLS / f"{chapter}.py"))
        return f"```{{code-cell}} python3\n:tags: [{', '.join(tags.split())}]\n{of(chapter)[name]}\n```"

    title, end, rest = page.partition("\n")
    return HEAD + title + f"\n\n{FOLLOW[language]}" + end + NAMED.sub(code, rest) if NAMED.search(page) else page


@cache
def of(chapter: str) -> dict[str, str]:
    """Name → code of each cell of a file."""
    _, *parts = re.split(r"^# %% ([\w-]+)\n", (CELLS / f"{chapter}.py").read_text(encoding="utf-8"), flags=re.MULTILINE)
    return dict(zip(parts[::2], map(str.strip, parts[1::2]), strict=True))
