"""Every command of the app with words that it takes, read from the app itself, so that a new one is tried too."""

import random

import typer

from suffice.cli.main import app

COMMANDS = typer.main.get_command(app).commands
TABLE, MODEL, SUMMARY = "rows.csv", "line.suffice", "rows.stats"
INPUTS = (TABLE, MODEL, SUMMARY)
ARGUMENTS = {"TABLE": TABLE, "MODEL": MODEL, "FILE": MODEL, "PICTURE": "confusion"}
ARGUMENTS |= dict.fromkeys(("SUMMARY", "ROWS", "OTHER"), SUMMARY)
OPTIONS = {  # what is given where nothing else is tried: what is needed, and what makes a command quick
    "label": "y",
    "between": "p,q",
    "components": "1",
    "folder": "shown",
    "output": {"plot": "new.png", "report": "new.html"},
    "model": {"fit": "naive-bayes", "compare": "naive-bayes"},
}
STDOUT = ("predict", "decide", "cluster", "export")  # which write there unless told otherwise


def write_inputs(folder, suffice):
    """A small table, a model of it and a summary."""
    rng = random.Random(1)
    rows = [f"{rng.gauss(i % 2, 1):.3f},{rng.gauss(0, 1):.3f},{'pq'[i % 2]}\n" for i in range(24)]
    (folder / TABLE).write_text("x,z,y\n" + "".join(rows))
    assert suffice("fit", TABLE, "-y", "y", "-o", MODEL, "-m", "lda").code == 0
    assert suffice("collect", TABLE, "-y", "y", "-o", SUMMARY).code == 0


def spelled(parameter):
    """An option as it is typed; None for an argument."""
    return parameter.opts[0] if parameter.opts[0].startswith("-") else None


def options_of(name, wanted=lambda parameter: not parameter.is_flag):
    return [parameter for parameter in COMMANDS[name].params if spelled(parameter) and wanted(parameter)]


def called(name, changed=None):
    """A command with files that are there, and some of its parameters changed."""
    words = [name]
    for parameter in COMMANDS[name].params:
        value = (changed or {}).get(parameter.name, _usual(name, parameter))
        words += [] if value is None else _typed(spelled(parameter), value)
    return words


def _typed(option, value):
    if option is None:
        return [value]
    return [f"{option}={value}"] if option.startswith("--") else [option, value]


def _usual(name, parameter):
    if spelled(parameter) is None:
        return ARGUMENTS[parameter.metavar]
    found = OPTIONS.get(parameter.name)
    found = found.get(name) if isinstance(found, dict) else found
    return f"new.{name}" if found is None and parameter.name == "output" and name not in STDOUT else found
