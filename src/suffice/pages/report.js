/* The report: each section is drawn from the numbers that stand in the page. */
"use strict";

const DATA = JSON.parse(document.getElementById("numbers").textContent);
const WORDS = DATA.words;
const place = (id) => document.getElementById(id);

function section(id, draw) {
  const root = place(id);
  if (!root) return;
  draw(root.querySelector(".body"));
}

function calibration(root, curves) {
  const { svg, x, y, add, axes, line } = plane({ x: [0, 1], y: [0, 1], label: WORDS.calibration, width: 380, height: 340 });
  axes(WORDS.predicted, WORDS.observed, { xText: (p) => percent(p, 0), yText: (p) => percent(p, 0) });
  line([[0, 0], [1, 1]], { class: "guide" });
  curves.forEach(({ points, k }) => {
    for (const { predicted, observed, low, high, rows } of points) {
      add("line", { x1: x(predicted), x2: x(predicted), y1: y(low), y2: y(high), stroke: colour(k), opacity: 0.5 });
      add("circle", { cx: x(predicted), cy: y(observed), r: 3.5, fill: colour(k) }, made("title", {}, `${percent(predicted)} → ${percent(observed)} (${told(rows)})`));
    }
  });
  root.append(legend(curves.map((one) => one.name), curves.map((one) => one.k)), svg);
}

function density(root, { name, x: at, classes, heights, discrete, texts }) {
  const top = Math.max(...heights.flat().filter(Number.isFinite)) * 1.05 || 1;
  const range = texts ? [-0.6, at.length - 0.4] : [at[0], at.at(-1)];
  const { svg, x, y, add, axes, line } = plane({ x: range, y: [0, top], label: name, width: 300, height: 180, margin: [10, 10, texts ? 56 : 40, 10] });
  axes(name, "", { yTicks: [], xTicks: texts ? [] : ticks(...range, 4) });
  if (texts) {
    const wide = 0.8 / classes.length;
    heights.forEach((row, k) => row.forEach((share, i) => add("rect", { x: x(i - 0.4 + wide * k), width: x(wide) - x(0), y: y(share), height: y(0) - y(share), fill: colour(k), opacity: 0.75 }, made("title", {}, `${texts[i]}: ${percent(share)}`))));
    texts.forEach((text, i) => add("text", { x: x(i), y: y(0) + 10, "text-anchor": "end", transform: `rotate(-35 ${x(i)} ${y(0) + 10})` }, text.length > 12 ? `${text.slice(0, 11)}…` : text));
  } else {
    heights.forEach((row, k) => line(row.map((height, i) => [at[i], height]), { stroke: colour(k), "stroke-width": 1.6, ...(discrete ? { "stroke-dasharray": "2 2" } : {}) }));
  }
  root.append(svg);
}

function nomogram(root, { between, scales }) {
  const every = scales.flatMap((scale) => scale.points);
  const [low, high] = [Math.min(0, ...every), Math.max(0, ...every)];
  const height = 40 * scales.length + 56;
  const { svg, x, add } = plane({ x: [low, high], y: [0, 1], label: WORDS.nomogram, width: 680, height, margin: [10, 20, 40, 150] });
  for (const at of ticks(low, high, 6)) {
    add("line", { x1: x(at), x2: x(at), y1: 10, y2: height - 40, class: at === 0 ? "axis" : "grid" });
    add("text", { x: x(at), y: height - 24, "text-anchor": "middle" }, told(at));
  }
  add("text", { x: (x(low) + x(high)) / 2, y: height - 6, "text-anchor": "middle", class: "name" }, WORDS.points.replace("{first}", between[0]).replace("{second}", between[1]));
  scales.forEach(({ name, values, points, ordered }, i) => {
    const at = 34 + 40 * i;
    add("text", { x: 142, y: at + 4, "text-anchor": "end", class: "name" }, name.length > 20 ? `${name.slice(0, 19)}…` : name);
    add("line", { x1: x(Math.min(...points)), x2: x(Math.max(...points)), y1: at, y2: at, class: "axis" });
    let last = -Infinity;
    const order = points.map((_, j) => j).sort((a, b) => points[a] - points[b]);
    for (const j of order) {
      add("circle", { cx: x(points[j]), cy: at, r: ordered ? 1.5 : 3.5, fill: "currentColor" }, made("title", {}, `${name} = ${typeof values[j] === "number" ? told(values[j], 4) : values[j]}: ${told(points[j], 3)}`));
      const text = typeof values[j] === "number" ? told(values[j], 3) : String(values[j]);
      if (x(points[j]) - last > 5 + 6.5 * text.length) {
        add("text", { x: x(points[j]), y: at - 8, "text-anchor": "middle" }, text);
        last = x(points[j]) + 3.25 * text.length;
      }
    }
  });
  root.append(svg);
}

function waterfall(root, { title, terms, total }) {
  let reached = 0;
  const steps = terms.map(([name, term]) => { const from = reached; reached += term; return { name, term, from, to: reached }; });
  const ends = steps.flatMap(({ from, to }) => [from, to]);
  const [low, high] = [Math.min(0, ...ends), Math.max(0, ...ends)];
  const height = 24 * steps.length + 70;
  const { svg, x, add } = plane({ x: [low, high], y: [0, 1], label: title, width: 640, height, margin: [10, 60, 40, 220] });
  for (const at of ticks(low, high, 5)) {
    add("line", { x1: x(at), x2: x(at), y1: 8, y2: height - 40, class: at === 0 ? "axis" : "grid" });
    add("text", { x: x(at), y: height - 24, "text-anchor": "middle" }, told(at, 3));
  }
  steps.forEach(({ name, term, from, to }, i) => {
    const at = 14 + 24 * i;
    add("text", { x: 212, y: at + 10, "text-anchor": "end" }, name.length > 32 ? `${name.slice(0, 31)}…` : name);
    add("rect", { x: Math.min(x(from), x(to)), width: Math.max(Math.abs(x(to) - x(from)), 1), y: at, height: 14, fill: term >= 0 ? colour(0) : colour(1) });
    add("text", { x: Math.max(x(from), x(to)) + 4, y: at + 11 }, `${term >= 0 ? "+" : "−"}${told(Math.abs(term), 3)}`);
  });
  root.append(made("figure", {}, made("figcaption", {}, `${title}: ${told(total, 4)}`), svg));
}

section("scores", (root) => {
  root.append(table(WORDS.measure, [WORDS.value, WORDS.error], DATA.scores.map((one) => one.name), DATA.scores.map((one) => [decimals(one.value), decimals(one.se)]), DATA.how));
  const { classes, counts } = DATA.confusion;
  root.append(table(WORDS.truth, classes, classes, counts.map((row) => row.map((many) => told(many, 6))), WORDS.confusion));
});
section("decision", (root) => (DATA.decision.edges ? twoClasses : severalClasses)(root, DATA.decision, WORDS));
section("calibration", (root) => calibration(root, DATA.calibration));
section("densities", (root) => {
  root.append(legend(DATA.densities[0].classes));
  const grid = made("div", { class: "grid-of-figures" });
  DATA.densities.forEach((one) => density(grid, one));
  root.append(grid);
});
section("nomogram", (root) => nomogram(root, DATA.nomogram));
section("trace", (root) => {
  const values = DATA.trace, low = Math.min(...values), high = Math.max(...values);
  const { svg, axes, line } = plane({ x: [0, Math.max(values.length - 1, 1)], y: [low, high || 1], label: WORDS.trace, height: 220, margin: [10, 12, 40, 80] });
  axes(WORDS.step, WORDS.objective);
  line(values.map((value, i) => [i, value]), { stroke: colour(0), "stroke-width": 1.6 });
  root.append(svg);
});
section("rows", (root) => DATA.rows.forEach((one) => waterfall(root, one)));
