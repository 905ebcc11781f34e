"""The page of SQL shows what there is."""

import warnings
from pathlib import Path

from scoring_cases import CASES
from suffice.engines.scoring.answers import OUTPUTS
from suffice.engines.scoring.dialects import DIALECTS
from suffice.errors import SufficeError

PAGE = Path(__file__).parents[2] / "docs" / "shared" / "generated" / "sql-models.md"
CALLED = {"proba": "proba", "log_joint": "log joint", "class": "class", "action": "action"}


def written(model, dialect, output):
    try:
        return bool(model.to_sql(dialect, "t", "id", output))
    except SufficeError:
        return False


def table():
    """Models down, engines across: what each can answer."""
    lines = [f"| model | {' | '.join(DIALECTS)} |", "|---" * (1 + len(DIALECTS)) + "|"]
    for case in CASES:
        cells = []
        for dialect in DIALECTS:
            found = [CALLED[output] for output in OUTPUTS if written(case.fitted(), dialect, output)]
            cells.append("all four" if len(found) == len(OUTPUTS) else ", ".join(found) or "–")
        lines.append(f"| {case} | {' | '.join(cells)} |")
    return "\n".join(lines)


def test_the_page_has_every_model_and_engine():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted = table() + "\n"
    assert PAGE.read_text(encoding="utf-8") == wanted, f"write it into {PAGE.name}:\n{wanted}"
