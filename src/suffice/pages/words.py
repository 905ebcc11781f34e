"""Stage 8, what scripts of pages say: their names for it, and the words, which the catalogue has in both languages."""

import re

from suffice.printing.language import say

WORDS = {
    "answer": "answer",
    "between": "No answer where P is from {low} to {high}",
    "calibration": "calibration",
    "confusion": "rows by true class and answer",
    "cost": "Mean cost {value}; always the first answer would cost {first}, always the second {second}.",
    "costOf": "cost of answering {called} where it is {truth}",
    "costs": "costs: answers down, true classes across",
    "error": "standard error",
    "from": "{name} from P = {value} on",
    "histogram": "rows by log odds",
    "logOdds": "ln odds",
    "meanCost": "Mean cost {value}",
    "measure": "measure",
    "missing": "cost of missing {name}",
    "never": "never",
    "nomogram": "what each value adds",
    "objective": "objective",
    "observed": "observed share",
    "priors": "prior of each class",
    "points": "ln odds: ← {second}   ·   {first} →",
    "predicted": "predicted probability",
    "priorOf": "prior of {name}",
    "reject": "reject",
    "rejectPrice": "price of no answer",
    "sample": "{some} rows of {of}, drawn at random, stand for all.",
    "share": "share of the class",
    "step": "step",
    "trace": "objective of EM",
    "truth": "true class",
    "value": "value",
}


def words() -> dict[str, str]:
    """In the language in use, with places for what a script knows left open."""
    return {
        name: say(text, **{part: f"{{{part}}}" for part in re.findall(r"{(\w+)}", text)})
        for name, text in WORDS.items()
    }
