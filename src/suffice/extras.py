"""Packages that only some work needs: imported when that work begins, and if they are not there, said how to get."""

from importlib import import_module
from types import ModuleType

from suffice.errors import MissingExtraError


def needed(module: str, extra: str, work: str) -> ModuleType:
    """A module that comes with an extra of ours, for some work."""
    try:
        return import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise MissingExtraError(
            f"{work} needs {package}, which cannot be imported ({error}). Install it: pip install 'suffice[{extra}]'."
        ) from None
