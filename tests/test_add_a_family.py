"""The page "How to add a family", followed to the letter."""

import re
import sys
from pathlib import Path
from types import ModuleType

PAGE = Path(__file__).parents[1] / "docs" / "add-a-family.md"


def followed():
    """What the page defines; its last lines try all laws."""
    space = {"__name__": "added"}
    sys.modules["added"] = ModuleType("added")  # dataclasses look their module up
    for code in re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL):
        exec(code, space)
    return space


def test_the_families_of_the_page_keep_all_laws():
    space = followed()
    assert space["rayleigh"].family.columns == space["pareto"].family.columns == 2
