"""Figures to watch and drag: what a cell has computed is put on the page, and `shared/static/watch-*.js` draws it.

In: the name of a figure, and the numbers of the library that it starts with.
Out: HTML, with the words of the figure in the language of the book.
"""

import json
import os
from typing import Any

from IPython.display import HTML

WORDS = {
    "zh": {
        "mean of": "均值",
        "variance of": "方差",
        "prior": "先验概率",
        "error": "错误率",
        "risk": "平均风险",
        "threshold": "阈值",
        "boundary": "分界点",
        "loss of saying": "损失：判为",
        "where it is": "而实为",
        "price of rejection": "拒识代价",
        "reject": "拒识",
        "bound": "下界",
        "log likelihood": "对数似然",
        "step": "迭代步",
        "next step": "下一步",
        "step back": "上一步",
        "start again": "重新开始",
        "Bhattacharyya bound": "Bhattacharyya 上界",
        "P(heads)": "正面概率",
        "shares of coin A": "硬币 A 的责任度",
    }
}


def watch(figure: str, start: dict[str, Any]) -> HTML:
    """A place for the figure, and its numbers at the start beside it."""
    words = WORDS.get(os.environ.get("SUFFICE_LANGUAGE", "en"), {})
    given = json.dumps({"start": start, "words": words}, ensure_ascii=False).replace("</", "<\\/")
    return HTML(f'<div class="watch" data-figure="{figure}"><script type="application/json">{given}</script></div>')
