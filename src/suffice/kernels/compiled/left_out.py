"""Compiled twins of rows left out, several rows side by side."""

from math import lgamma, log, pi

import numpy as np

from suffice.arrays import LOG_2PI
from suffice.kernels.compiled.decorators import exactly, kernel
from suffice.kernels.compiled.lanes import LANES, lanes
from suffice.kernels.left_out import LEAST_KEPT

FACTORS = 8  # variances multiplied before a logarithm is taken, each times a mass


@kernel
def _level_of(seen, spent, tails):
    """Ln of the usual part of a variance in a density, twice and with its sign turned."""
    if not tails:
        return LOG_2PI
    df = seen + spent
    return log(df * pi) + 2 * (lgamma(0.5 * df) - lgamma(0.5 * df + 0.5))


@kernel
def _levels(seen, spent, units, tails, out):
    for j in range(len(seen)):
        out[j] = log(units[j]) + _level_of(seen[j], spent, tails)


@kernel
def _dealt(x, labels, weights, tables, cells, weight, own):
    """Rows lying across, with the statistics of their own components; a missing cell is its mean and weighs nothing."""
    for lane in range(len(x)):
        k, w = labels[lane], weights[lane]
        for j in range(x.shape[1]):
            there = x[lane, j] == x[lane, j]
            cells[j, lane] = x[lane, j] if there else tables[1, k, j]
            weight[j, lane] = w if there else 0.0
            for t in range(3):
                own[t, j, lane] = tables[t, k, j]


@kernel
def _own_levels(labels, weights, seen, spent, units, tails, last, levels, own):
    """Levels of the components without the rows: worked out once for all rows of a component that weigh alike."""
    for lane in range(len(labels)):
        k, w = labels[lane], weights[lane]
        if last[k] != w:
            last[k] = w
            for j in range(len(units)):
                levels[k, j] = log(units[j]) + _level_of(_rest(seen[k, j], w), spent, tails)
        for j in range(len(units)):
            own[j, lane] = levels[k, j]


@exactly
def _rest(seen, weight):
    """What is left without a row, or nothing where that is rounding."""
    return seen - weight if seen - weight > 1e-9 * seen else 0.0


@exactly
def _step_back(x, w, n, m, s, poor):
    """The statistics of a row's own component without it, in place."""
    for lane in range(LANES):
        rest = _rest(n[lane], w[lane])
        growth = w[lane] / (rest if rest > 0 else 1.0)
        growth = growth if rest > 0 else 0.0
        off = x[lane] - m[lane]
        left = s[lane] - off * off * n[lane] * growth
        left = left if rest > 0 else 0.0
        poor[lane] += 1.0 if left < LEAST_KEPT * s[lane] else 0.0
        n[lane], m[lane] = rest, m[lane] - off * growth
        s[lane] = left


@exactly
def _moved(x, w, before, after, mass, middle, within, total, between, floor, pseudo_rows, kappa, at, square, poor):
    """The prior without the row: rows it is worth, its mean and scatter."""
    for lane in range(LANES):
        others = mass - w[lane]
        far = (x[lane] - middle) if w[lane] > 0 else 0.0
        share = w[lane] / others
        all_of_it = total - far * far * mass * share
        part = within - (before[lane] - after[lane])
        part = all_of_it if between > 0 else part
        poor[lane] += 1.0 if all_of_it < LEAST_KEPT * total else 0.0
        poor[lane] += 0.0 if part > floor * others else 1.0
        worth = part / all_of_it
        kappa[lane] = worth if worth < 1.0 else 1.0
        at[lane] = middle - far * share
        square[lane] = pseudo_rows * part / others


@exactly
def _level(values, value):
    for lane in range(LANES):
        values[lane] = value


@exactly
def _divisors(n, spent, unit, per):
    for lane in range(LANES):
        per[lane] = 1.0 / ((n[lane] + spent) * unit)


@exactly
def _added(x, w, n, m, s, level, per, unit, kappa, at, square, total, factor, divisor):
    """One column: distances and levels are added up, variances multiplied, in units of a usual one.

    Both are taken times the mass, so that there is one division, and the masses multiplied too.
    """
    for lane in range(LANES):
        mass, off, there = kappa[lane] + n[lane], m[lane] - at[lane], w[lane] > 0
        variance = ((square[lane] + s[lane]) * mass + kappa[lane] * n[lane] * off * off) * per[lane]
        d = (x[lane] - at[lane]) * mass - n[lane] * off
        total[lane] += (d * d / (mass * variance * unit) + level[lane]) if there else 0.0
        factor[lane] *= variance if there else 1.0
        divisor[lane] *= mass if there else 1.0


@exactly
def _added_tails(x, w, n, m, s, level, per, kappa, at, square, total, factor, divisor, tail):
    """The same where means and variances are integrated out: 1 + distance / df is multiplied too."""
    for lane in range(LANES):
        mass, off, there = kappa[lane] + n[lane], m[lane] - at[lane], w[lane] > 0
        scatter = (square[lane] + s[lane]) * mass + kappa[lane] * n[lane] * off * off
        d = (x[lane] - at[lane]) * mass - n[lane] * off
        total[lane] += level[lane] if there else 0.0
        factor[lane] *= scatter * per[lane] * (mass + 1.0) if there else 1.0
        divisor[lane] *= mass * mass if there else 1.0
        tail[lane] *= 1.0 + d * d / (scatter * (mass + 1.0)) if there else 1.0


@kernel
def _counted(total, factor, divisor):
    """Logarithms of the variances multiplied so far."""
    for lane in range(LANES):
        total[lane] += log(factor[lane] / divisor[lane])
        factor[lane], divisor[lane] = 1.0, 1.0


@kernel
def _counted_tails(n, spent, total, tail):
    for lane in range(LANES):
        total[lane] += (n[lane] + spent + 1.0) * log(tail[lane])
        tail[lane] = 1.0


@kernel
def _alike(n, others):
    differing = 0.0
    for lane in range(LANES):
        differing += 1.0 if n[lane] != others[lane] else 0.0
    return differing == 0.0


@kernel
def _score(cells, weight, n, m, s, level, spent, tails, units, prior, per, total, factor, divisor, tail):
    """Twice the log density of a component, with its sign turned; its statistics are (D, lanes)."""
    _level(total, 0.0)
    _level(factor, 1.0)
    _level(divisor, 1.0)
    _level(tail, 1.0)
    for j in range(len(units)):
        _divisors(n[j], spent, units[j], per)
        x, w, kappa, at, square = cells[j], weight[j], prior[0, j], prior[1, j], prior[2, j]
        if tails:
            _added_tails(x, w, n[j], m[j], s[j], level[j], per, kappa, at, square, total, factor, divisor, tail)
        else:
            _added(x, w, n[j], m[j], s[j], level[j], per, units[j], kappa, at, square, total, factor, divisor)
        full = j % FACTORS == FACTORS - 1 or j == len(units) - 1
        if full:
            _counted(total, factor, divisor)
        if tails and (full or not _alike(n[j], n[j + 1])):
            _counted_tails(n[j], spent, total, tail)


@kernel
def _in_lanes(tables):
    """Statistics of the components, (4, K, D), each in every lane."""
    out = np.zeros((tables.shape[1], 4, tables.shape[2], LANES))
    for k in range(tables.shape[1]):
        for t in range(4):
            for j in range(tables.shape[2]):
                _level(out[k, t, j], tables[t, k, j])
    return out


@kernel
def _taken_out(cells, weight, own, prior, before, mass, middle, within, total, between, floor, pseudo_rows, poor):
    """Rows out of the statistics of their own component, and out of the prior, column by column."""
    _level(poor, 0.0)
    for j in range(len(cells)):
        x, w, left = cells[j], weight[j], own[2, j]
        for lane in range(LANES):
            before[lane] = left[lane]
        _step_back(x, w, own[0, j], own[1, j], left, poor)
        kappa, at, square, of_all = prior[0, j], prior[1, j], prior[2, j], total[j]
        _moved(
            x, w, before, left, mass[j], middle[j], within[j], of_all, between[j], floor[j], pseudo_rows,
            kappa, at, square, poor,
        )  # fmt: skip


@kernel
def gaussian_left_out(
    x, labels, weights, seen, mean, scatter, mass, middle, within, total, between, floor, pseudo_rows, spent, tails,
    out, lost,
):  # fmt: skip
    components, columns = seen.shape
    units = within / mass
    levels, last, without = np.empty(seen.shape), np.full(components, -1.0), np.empty(seen.shape)
    for k in range(components):
        _levels(seen[k], spent, units, tails, levels[k])
    tables = np.stack((seen, mean, scatter, levels))
    usual, own, prior = _in_lanes(tables), np.zeros((4, columns, LANES)), np.zeros((3, columns, LANES))
    cells, weight, before = lanes(columns, LANES), lanes(columns, LANES), lanes(1, LANES)[0]
    per, sums, factor = lanes(1, LANES)[0], lanes(1, LANES)[0], lanes(1, LANES)[0]
    divisor, poor, tail = lanes(1, LANES)[0], lanes(1, LANES)[0], lanes(1, LANES)[0]
    for start in range(0, len(x), LANES):
        rows = min(LANES, len(x) - start)
        whose, times, found = labels[start : start + rows], weights[start : start + rows], out[start : start + rows]
        _dealt(x[start : start + rows], whose, times, tables, cells, weight, own)
        _own_levels(whose, times, seen, spent, units, tails, last, without, own[3])
        _taken_out(cells, weight, own, prior, before, mass, middle, within, total, between, floor, pseudo_rows, poor)
        for k in range(components):
            n, m, s, level = usual[k, 0], usual[k, 1], usual[k, 2], usual[k, 3]
            _score(cells, weight, n, m, s, level, spent, tails, units, prior, per, sums, factor, divisor, tail)
            for lane in range(rows):
                found[lane, k] = -0.5 * sums[lane]
        n, m, s, level = own[0], own[1], own[2], own[3]
        _score(cells, weight, n, m, s, level, spent, tails, units, prior, per, sums, factor, divisor, tail)
        for lane in range(rows):
            found[lane, whose[lane]] = -0.5 * sums[lane]
            lost[start + lane] = poor[lane] > 0
            for k in range(components):
                lost[start + lane] |= not np.isfinite(found[lane, k])


@kernel
def own_shares(codes, bounds, labels, weights, amounts, whole, out, lost):
    """Shares are multiplied while the product is not too small, so that few logarithms are taken."""
    for i in range(codes.shape[0]):
        k, w = labels[i], weights[i]
        total, product = 0.0, 1.0
        for j in range(codes.shape[1]):
            code = codes[i, j]
            if code >= 0:
                here = amounts[k, np.uint64(bounds[j] + code)]
                left = max(here - w, 0.0)
                rest = whole[k, j] - (here - left)
                lost[i] |= left > 0 and left < LEAST_KEPT * here
                if rest > 1e-12 * whole[k, j]:
                    product *= left / rest
                else:
                    product /= bounds[j + 1] - bounds[j]
                if product < 1e-200:
                    total += log(product) if product > 0 else -np.inf
                    product = 1.0
        out[i] = total + log(product)
