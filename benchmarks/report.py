"""What was measured, for people: a table for the terminal, two plots, and a part of the page."""

PAGE = """On {machine}, which reads {read:.0f} GB/s from memory and multiplies matrices at {dgemm:.0f} GFLOP/s:

{table}

![How many times as fast as the peer, and the target](performance.svg)

![Seconds over rows, columns and classes](scaling.svg)

`from suffice import NaiveBayes` takes {suffice:.2f} s once scikit-learn is there, which takes {sklearn:.2f} s.
"""


def lines(rows):
    """A Markdown table."""
    head = ["task", "peer", "peer's time", "ours", "ratio", "target", "peer's MB", "our MB", "largest difference"]
    return ["| " + " | ".join(head) + " |", "|" + "---|" * len(head), *map(_line, rows)]


def _line(row):
    cells = [row["task"], row["peer"], seconds(row["theirs"]), seconds(row["ours"])]
    cells += [f"{row['ratio']:.2g}×", f"{row['target']:.2g}×"]
    cells += [f"{row['memory'][side]:.0f}" for side in ("theirs", "ours")]
    cells.append("—" if row["difference"] is None else f"{row['difference']:.0e}")
    return "| " + " | ".join(cells) + " |"


def seconds(amount):
    return f"{amount:.3f} s" if amount > 0.01 else f"{1e6 * amount:.0f} µs"


def page(results):
    limits = results["limits"]
    return PAGE.format(
        machine=limits["machine"],
        read=limits["read GB/s"],
        dgemm=limits["dgemm GFLOP/s"],
        **results["import"],
        table="\n".join(lines(results["tasks"])),
    )


def draw_ratios(rows, path):
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 0.45 * len(rows) + 1.2), layout="constrained")
    axes = figure.subplots()
    names = [row["task"] for row in rows][::-1]
    ratios, targets = ([row[key] for row in rows][::-1] for key in ("ratio", "target"))
    bars = axes.barh(
        names, ratios, color=["#2a6f97" if r >= t else "#c1666b" for r, t in zip(ratios, targets, strict=True)]
    )
    axes.bar_label(bars, [f"{ratio:.1f}×" for ratio in ratios], padding=3)
    axes.plot(targets, names, "k|", markersize=14, markeredgewidth=2, label="target")
    axes.axvline(1, color="grey", linewidth=0.8)
    axes.set(xscale="log", xlabel="times as fast as the peer", xlim=(0.2, 4 * max(ratios + targets)))
    axes.legend(loc="lower right", frameon=False)
    figure.savefig(path)


def draw_scaling(points, path):
    from matplotlib.figure import Figure

    works, axes_names = ("fit", "predict_proba"), ("rows", "columns", "classes")
    figure = Figure(figsize=(11, 6), layout="constrained")
    grid = figure.subplots(2, 3, sharey="row")
    colours = {"naive Bayes": "#2a6f97", "linear discriminant": "#c1666b"}
    for row, work in zip(grid, works, strict=True):
        for axes, axis in zip(row, axes_names, strict=True):
            for model, colour in colours.items():
                for side, style in (("ours", "-o"), ("theirs", "--x")):
                    some = [
                        p for p in points if (p["model"], p["side"], p["axis"], p["work"]) == (model, side, axis, work)
                    ]
                    label = f"{model}, {'suffice' if side == 'ours' else 'scikit-learn'}"
                    axes.plot([p["size"] for p in some], [p["seconds"] for p in some], style, color=colour, label=label)
            axes.set(xscale="log", yscale="log", xlabel=axis, title=work)
        row[0].set_ylabel("seconds")
    grid[0, 2].legend(frameon=False, fontsize="small", loc="upper left")
    figure.savefig(path)


def draw_growth(points, path):
    """Seconds beside the straight line through the largest, and peak memory; points are (rows, what was measured)."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 3.4), layout="constrained")
    time, memory = figure.subplots(1, 2)
    rows = [size for size, _ in points]
    time.plot(rows, [found["seconds"] for _, found in points], "-o", color="#2a6f97", label="collect")
    straight = [points[-1][1]["seconds"] * size / rows[-1] for size in rows]
    time.plot(rows, straight, ":", color="grey", label="in proportion to the rows")
    time.set(xscale="log", yscale="log", xlabel="rows", ylabel="seconds")
    time.legend(frameon=False)
    memory.plot(rows, [found["memory"] for _, found in points], "-o", color="#c1666b")
    memory.set(xscale="log", xlabel="rows", ylabel="peak memory, GB", ylim=(0, None))
    figure.savefig(path)
