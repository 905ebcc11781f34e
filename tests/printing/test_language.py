"""Words in English and Chinese: who decides which, and that none is missing or left over."""

import ast
import asyncio
import re
import string
import threading
from pathlib import Path

import pytest

import suffice
from suffice.data.kinds import KINDS
from suffice.decisions.explain import OTHERS
from suffice.errors import ParameterError
from suffice.printing import language as speech
from suffice.printing.catalogue import CHINESE
from suffice.printing.language import Word, as_of_terminal, language, say, spoken, word, worded

SOURCE = Path(suffice.__file__).parent


@pytest.fixture(autouse=True)
def nobody_has_spoken(monkeypatch):
    """As in a new process, without settings in the environment."""
    monkeypatch.setattr(speech, "_defaults", type(speech._defaults)(maxlen=64))
    for name in ("SUFFICE_LANGUAGE", *speech.LOCALE):
        monkeypatch.delenv(name, raising=False)


def test_english_is_the_default_and_zh_is_set_for_the_process():
    assert say("prior") == "prior"
    suffice.language("zh")
    assert say("prior") == "先验概率"
    found = []
    thread = threading.Thread(target=lambda: found.append(say("prior")))
    thread.start()
    thread.join()
    assert found == ["先验概率"]
    suffice.language("en")
    assert say("prior") == "prior"


def test_within_a_with_it_is_local_to_the_thread():
    inside, found = threading.Event(), {}

    def elsewhere():
        inside.wait()
        found["elsewhere"] = spoken()

    thread = threading.Thread(target=elsewhere)
    thread.start()
    with suffice.language("zh"):
        inside.set()
        thread.join()
        found["here"] = spoken()
        with suffice.language("en"):
            found["within"] = spoken()
        found["again"] = spoken()
    assert found == {"elsewhere": "en", "here": "zh", "within": "en", "again": "zh"}
    assert spoken() == "en"


def test_within_a_with_it_is_local_to_the_task():
    async def ask(name, others):
        with language(name):
            others.append(name)
            while len(others) < 2:
                await asyncio.sleep(0)
            return spoken()

    async def both():
        others = []
        return await asyncio.gather(ask("zh", others), ask("en", others))

    assert asyncio.run(both()) == ["zh", "en"]


def test_a_with_leaves_a_default_alone_even_after_an_error():
    suffice.language("zh")
    with pytest.raises(ZeroDivisionError), language("en"):
        raise ZeroDivisionError
    assert spoken() == "zh"


@pytest.mark.parametrize(
    "ours, locale, library, terminal",
    [
        ("zh", "", "zh", "zh"),
        ("zh_TW", "en_US.UTF-8", "zh", "zh"),
        ("en", "zh_CN.UTF-8", "en", "en"),
        ("", "zh_CN.UTF-8", "en", "zh"),
        ("", "de_DE.UTF-8", "en", "en"),
        ("fr", "zh_CN.UTF-8", "en", "en"),
    ],
)
def test_the_environment_says_it_where_nobody_does(monkeypatch, ours, locale, library, terminal):
    monkeypatch.setenv("SUFFICE_LANGUAGE", ours)
    monkeypatch.setenv("LANG", locale)
    assert (spoken(), as_of_terminal()) == (library, terminal)
    language("en" if library == "zh" else "zh")  # stronger than any variable
    assert spoken() == as_of_terminal() != library


@pytest.mark.parametrize("odd", ["fr", "ZH", "", None, 1])
def test_other_languages_are_refused(odd):
    with pytest.raises(ParameterError, match="language must be one of en, zh; found"):
        language(odd)


def test_amounts_names_and_words_within_words():
    told = {1: "1 row", 2: "2 rows", 12345.0: "12,345 rows", 2.5: "2.5 rows", 1234567.5: "1,234,568 rows"}
    assert [say("{n} row|{n} rows", n=n) for n in told] == list(told.values())
    with language("zh"):
        assert say("{n} row|{n} rows", n=1) == "1 个样本"
        assert say("… and {n} more; {where} has them all", n=3, where=word("column")) == "…… 另有 3 项，全部见 属性"
        assert word("prior").english == "prior"
        assert str(worded("prior")) == "先验概率"
        assert worded("a kind of my own") == "a kind of my own"


def test_both_languages_have_the_same_places():
    def places(text):
        return {name for _, name, _, _ in string.Formatter().parse(text) if name}

    assert [english for english, chinese in CHINESE.items() if places(english) != places(chinese)] == []


def test_chinese_is_chinese_where_there_are_words():
    """Not so where there are only names and signs around them."""
    words = {english: re.sub(r"\{\w+\}", "", english) for english in CHINESE}
    told = [english for english, rest in words.items() if re.search("[A-Za-z]", rest)]
    assert [english for english in told if not re.search("[\u4e00-\u9fff]", CHINESE[english])] == []


def spoken_in(tree):
    """Texts given to our say and word as they stand; others may have functions of these names."""
    imports = (node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom))
    ours = {alias.name for node in imports if node.module == "suffice.printing.language" for alias in node.names}
    for call in ast.walk(tree):
        named = isinstance(call, ast.Call) and getattr(call.func, "id", "") in ours & {"say", "word", "Word"}
        if named and call.args and isinstance(call.args[0], ast.Constant):
            yield call.args[0].value


def test_words_are_found_where_they_are_said():
    code = "from suffice.printing.language import say, word\nsay('a', n=1); word('b'); print('c'); say(x)"
    assert list(spoken_in(ast.parse(code))) == ["a", "b"]
    assert list(spoken_in(ast.parse("from elsewhere import say\nsay('a')"))) == []


TREES = {path: ast.parse(path.read_text(encoding="utf-8")) for path in SOURCE.rglob("*.py")}
# names of ours with a number in them, as they are made where they are used
NUMBERED = [
    *(kind.text(tuple(number.example + 1 for number in kind.numbers)) for kind in KINDS.values()),
    OTHERS.format(30),
    "1,000 draws",
    "10-fold cross-validation",
    "10-fold cross-validation (refitted)",
    "leave-one-out (refitted)",
]


def test_no_word_is_missing():
    missing = {str(path): text for path, tree in TREES.items() for text in spoken_in(tree) if text not in CHINESE}
    assert missing == {}
    assert [name for name in NUMBERED if str(worded(name)) == name and not isinstance(worded(name), Word)] == []


def test_no_word_is_left_over():
    """A word is in use where its text stands in the code, whoever says it there."""
    code = (node for path, tree in TREES.items() if path.name != "catalogue.py" for node in ast.walk(tree))
    texts = {node.value for node in code if isinstance(node, ast.Constant)}
    numbered = {found.text for name in NUMBERED if isinstance(found := worded(name), Word)}
    assert [text for text in CHINESE if text not in texts | numbered] == []


def test_every_word_stands_there_once():
    (words,) = (node for node in ast.walk(TREES[SOURCE / "printing" / "catalogue.py"]) if isinstance(node, ast.Dict))
    texts = [key.value for key in words.keys]
    assert len(texts) == len(set(texts))
