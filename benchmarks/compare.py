"""Side by side with peers: `make bench` runs every task, prints the table, writes JSON, plots and a table for the page.

A task joins by one entry in `tasks.py`.
"""

import argparse
import json
from pathlib import Path

import measure
import report
import scaling
from tasks import TASKS

from suffice.kernels import twins as choice

HERE = Path(__file__).parent


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--share", type=float, default=1.0, help="of the full sizes")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--turn", type=float, default=measure.TURN, help="seconds that each side has at least")
    parser.add_argument("--largest", type=float, default=1e7, help="rows of the scaling plots")
    parser.add_argument("--only", default="", help="tasks whose name holds this text")
    parser.add_argument("--into", type=Path, default=HERE, help="where results.json goes")
    parser.add_argument("--docs", type=Path, help="where the table and its plots go")
    options = parser.parse_args(arguments)
    wanted = [name for name in TASKS if options.only in name]
    names = [name for name in wanted if TASKS[name].can_run]
    for name in set(wanted) - set(names):
        print(f"{name}: left out, as {TASKS[name].needs} is not installed; make bench would do that")
    measure.TURN, rows = options.turn, []
    choice.compiled(choice.COMPILED_FROM)  # numba is loaded once, and not by every process below
    for name in names:
        rows.append(measure.measured(name, options.share, options.repeats))
        print("\n".join(report.lines(rows)) if len(rows) == 1 else report.lines(rows)[-1], flush=True)
    limits = measure.limits(max(10_000, int(25_000_000 * options.share)))
    results = {
        "share": options.share,
        "limits": limits,
        "import": {
            "sklearn": measure.importing("sklearn", "sys", options.repeats),
            "suffice": measure.importing("suffice.estimators.naive_bayes", "sklearn", options.repeats),
        },
        "tasks": rows,
        "scaling": scaling.curves(options.largest, max(1, options.repeats // 2)),
    }
    (options.into / "results.json").write_text(json.dumps(results, indent=1, ensure_ascii=False), encoding="utf-8")
    if options.docs:
        (options.docs / "performance.md").write_text(report.page(results), encoding="utf-8")
        report.draw_ratios(rows, options.docs / "performance.svg")
        report.draw_scaling(results["scaling"], options.docs / "scaling.svg")
    return results


if __name__ == "__main__":
    main()
