"""The command `suffice`: everything a person with a file needs, without Python.

In:  words of the command line. Out: data on stdout, everything else on stderr, and an exit code: 0 fine, 1 a fault of
     ours, 2 usage or bad input, 3 a score below --fail-under, 4 a file that cannot be read or written, 130 Ctrl-C,
     143 ended by kill, systemd or timeout, 129 by a terminal that was closed.
     Nothing heavy is imported before a command runs.
"""

import io
import os
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import wraps
from inspect import cleandoc
from typing import Annotated, NoReturn, ParamSpec

import typer

from suffice.cli import answers, learning, presenting, summaries, tables
from suffice.cli.doors import refuse_misuse
from suffice.cli.output import Refused, as_options, say

FINE, OUR_FAULT, BAD_INPUT, BELOW, UNREADABLE, INTERRUPTED = 0, 1, 2, 3, 4, 130

ENDINGS = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
STREAMS = ("stdin", "stdout", "stderr")
LANGUAGES = ("en", "zh")
P = ParamSpec("P")


def spoken(command: Callable[P, None]) -> Callable[P, None]:
    """The command in the language of whoever is at the terminal; asked for only when it runs, not for its help."""

    @wraps(command)
    def run(*given: P.args, **named: P.kwargs) -> None:
        from suffice.printing.language import as_of_terminal, language

        language(as_of_terminal())
        refuse_misuse(command, named)
        command(*given, **named)

    return run


def told(text: str) -> str:
    """The help of a command, its examples on lines of their own: a backspace keeps those from being filled."""
    said = cleandoc(text)
    return said.replace("\n\nExample:", "\n\n\b\nExample:")


app = typer.Typer(
    name="suffice",
    help="Bayesian classification of tables: learn, predict, decide, explain.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="suffice COMMAND --help tells more about a command, with examples.",
)
for room in (learning, answers, summaries, presenting):
    for command in room.COMMANDS:
        app.command(command.__name__.removesuffix("_file"), help=told(command.__doc__ or ""))(spoken(command))


def _told_version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        print(version("suffice"))
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_told_version, is_eager=True, help="Print the version and exit.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show where an error came from.")] = False,
    language: Annotated[
        str | None, typer.Option("--language", help="en or zh; by default as SUFFICE_LANGUAGE or the locale says.")
    ] = None,
    encoding: Annotated[
        str | None,
        typer.Option("--encoding", help="Of tables that are not in UTF-8, such as cp1252; also behind the command."),
    ] = None,
) -> None:
    tables.asked["encoding"] = encoding
    if language not in (None, *LANGUAGES):
        raise Refused(f"--language must be one of {', '.join(LANGUAGES)}; found {language!r}")
    os.environ |= {"SUFFICE_LANGUAGE": language} if language else {}


class Ended(BaseException):
    """A signal asks the command to end: files that are half written are removed on the way out."""


def _ended(number: int, _: object) -> NoReturn:
    for one in ENDINGS:
        signal.signal(one, signal.SIG_IGN)  # once is enough: what cleans up is not to be interrupted
    raise Ended(number)


def _prepare() -> None:
    """End by exceptions where others end at once; write as an escape what a terminal has no sign for."""
    for name in STREAMS:
        if getattr(sys, name) is None:  # closed by whoever called
            setattr(
                sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), "r" if name == "stdin" else "w", closefd=False)
            )
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    if threading.current_thread() is threading.main_thread():
        for one in ENDINGS:
            if signal.getsignal(one) == signal.SIG_DFL:  # nohup ignores some of them
                signal.signal(one, _ended)


def main(words: Sequence[str] | None = None) -> NoReturn:
    """Run the command that these words are, and leave with its exit code."""
    given = _with_encoding_first(list(sys.argv[1:] if words is None else words))
    try:
        _prepare()
        code = typer.main.get_command(app).main(given, prog_name="suffice", standalone_mode=False)
        if code == INTERRUPTED:  # typer has caught it and says nothing
            raise KeyboardInterrupt
        sys.stdout.flush()
    except BaseException as error:
        code = _excused(error, "--debug" in given)
    _leave(code or FINE)


def _leave(code: int) -> NoReturn:
    try:
        sys.stdout.flush()
    except OSError:  # what can be said of it has been
        _quiet()
    sys.exit(code)


def _with_encoding_first(words: list[str]) -> list[str]:
    """The option --encoding is one of all commands, wherever it stands."""
    if "--encoding" not in words[:-1]:
        return words
    at = words.index("--encoding")
    return [*words[at : at + 2], *words[:at], *words[at + 2 :]]


def _excused(error: BaseException, debug: bool) -> int:
    """What is said of an error, and the exit code that stands for it."""
    if _unread(error):
        _quiet()
        return FINE
    if debug and not isinstance(error, typer.Exit):
        raise error
    match error:
        case typer.Exit():
            return error.exit_code
        case typer.TyperException():
            said = _said(error.format_message(), BAD_INPUT)
            say("Try suffice --help, or suffice COMMAND --help.")
            return said
        case Refused():
            return _said(str(error), BAD_INPUT)
        case typer.Abort() | KeyboardInterrupt():
            return _said("interrupted; what was there before is unchanged", INTERRUPTED)
        case Ended(args=(number,)):
            return _said("ended by a signal; what was there before is unchanged", 128 + number)
        case SystemExit():
            return error.code if isinstance(error.code, int) else FINE
    return _failed(error)


def _unread(error: BaseException) -> bool:
    """Whether nobody reads stdout any more; typer makes an exit of that, and keeps the error as its context."""
    return isinstance(error.__context__ if isinstance(error, SystemExit) else error, BrokenPipeError)


def _failed(error: BaseException) -> int:
    from suffice.errors import FileError, SufficeError  # only now: they bring scikit-learn

    match error:
        case FileError():
            return _said(as_options(str(error)), UNREADABLE)
        case SufficeError():
            return _said(as_options(str(error)), BAD_INPUT)
        case OSError():
            name = f"{error.filename}: " if error.filename else ""
            return _said(f"{name}{error.strerror or error}", UNREADABLE)
        case ModuleNotFoundError():
            return _said(str(error), BAD_INPUT)
    return _said(
        f"this is a bug in suffice, not a mistake of yours ({type(error).__name__}: {error}). Run it again with "
        "suffice --debug … and report what it prints.",
        OUR_FAULT,
    )


def _said(message: str, code: int) -> int:
    with suppress(BrokenPipeError):
        say(f"suffice: {message}")
    return code


def _quiet() -> None:
    """Nobody reads stdout any more, or it is full: let nothing complain about it at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
