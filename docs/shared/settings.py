"""How Sphinx builds the book in each language; `docs/en/conf.py` and `docs/zh/conf.py` ask here.

In: the language.
Out: the settings of Sphinx, and what pages say in short written out (cells, entries of the reference) as they are read.
"""

import os
from pathlib import Path
from typing import Any

import cells
import entries
import examples
import measured
from sphinx.application import Sphinx
from sphinx.search.zh import SearchChinese

import suffice

SHARED = Path(__file__).resolve().parent
ROOT = SHARED.parents[1]
FIGURES = ["figures.js", "watch.js", "watch-bayes.js", "watch-losses.js", "watch-discriminants.js", "watch-em.js"]
NO_FONT = "ignore:No font on this machine has"  # `make docs` has said so once, and no page needs to
SearchChinese.language_name = "English"  # the stemmer of what is not Chinese, which Sphinx 9.0 does not find by itself


def settings(language: str, title: str) -> dict[str, Any]:
    """All settings of one language. The kernels that run the cells print in it."""
    os.environ["SUFFICE_LANGUAGE"] = language
    os.environ["PYTHONPATH"] = str(SHARED)  # where cells find `watching`
    os.environ["JUPYTER_PATH"] = str(SHARED)  # where the kernel of the cells is described, in `kernels/`
    os.environ["PYTHONWARNINGS"] = NO_FONT
    return {
        "project": "suffice",
        "author": "suffice",
        "version": "0.1",
        "language": {"en": "en", "zh": "zh_CN"}[language],
        "extensions": ["myst_nb", "sphinx.ext.mathjax", "sphinx_design"],
        "myst_enable_extensions": ["dollarmath", "colon_fence", "deflist"],
        "myst_heading_anchors": 4,
        "myst_update_mathjax": False,
        "nb_execution_mode": "inline",  # so that the text can say what a cell has found
        "nb_execution_raise_on_error": True,
        "nb_execution_timeout": 120,
        "nb_eval_name_regex": ".+",
        "nb_merge_streams": True,
        "nb_render_markdown_format": "myst",  # with tables
        "nb_code_prompt_show": {"en": "Show the code", "zh": "显示代码"}[language],
        "nb_code_prompt_hide": {"en": "Hide the code", "zh": "隐藏代码"}[language],
        "mathjax_path": "formulas.js",
        "html_theme": "pydata_sphinx_theme",
        "html_title": title,
        "html_static_path": [
            str(SHARED / "static"),
            str(ROOT / "build" / "katex"),
            str(ROOT / "src" / "suffice" / "pages" / "figures.js"),
        ],
        "html_css_files": ["katex/katex.min.css", "book.css"],
        "html_js_files": ["katex/katex.min.js", *FIGURES],
        "html_context": {"default_mode": "auto"},
        "smartquotes": False,  # they would change the names that docstrings quote
        "html_copy_source": False,
        "html_use_index": False,
        "html_show_search_summary": False,  # it would fetch pages, which browsers refuse to do from files
        "html_show_sourcelink": False,
        "html_theme_options": {
            "navbar_center": [],
            "navbar_end": ["theme-switcher"],
            "navbar_persistent": ["search-button"],
            "navigation_with_keys": True,
            "show_toc_level": 2,
            "footer_start": [],
            "footer_end": [],
        },
        "html_sidebars": {"**": ["globaltoc.html"]},
        "suppress_warnings": ["myst.header", "mystnb.unknown_mime_type"],
        "exclude_patterns": ["conf.py"],
    }


def setup(app: Sphinx) -> None:
    app.connect("source-read", write_out)
    app.connect("include-read", say_measured)


def write_out(app: Sphinx, page: str, source: list[str]) -> None:
    """A page as it is read: cells by name, entries of the reference, and examples of the English twin."""
    text = examples.written_out(entries.written_out(source[0], suffice, os.environ["SUFFICE_LANGUAGE"]), page)
    source[0] = cells.written_out(text, os.environ["SUFFICE_LANGUAGE"], app.env.note_dependency)


def say_measured(app: Sphinx, path: Path, page: str, content: list[str]) -> None:
    """A measured file, brought into a page, in its language."""
    content[0] = measured.said(content[0], os.environ["SUFFICE_LANGUAGE"])
