"""The Chinese book; what both languages share stands in `docs/shared/settings.py`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
from settings import settings, setup  # noqa: F401

globals().update(settings("zh", "suffice 之书"))
