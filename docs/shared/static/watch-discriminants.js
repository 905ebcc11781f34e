// Chapter 3: two Gaussians over two columns; regions as the means, variances and the prior move.
"use strict";

WATCH.discriminants = (place, start, say) => {
  const variance = { least: 0.2, most: 4, step: 0.1 };
  const sliders = {
    x: [`${say("mean of")} ω2, x1`, { least: -3, most: 3, step: 0.1, value: start.means[1][0] }],
    y: [`${say("mean of")} ω2, x2`, { least: -3, most: 3, step: 0.1, value: start.means[1][1] }],
    across: [`${say("variance of")} ω2, x1`, { ...variance, value: start.variances[1][0] }],
    up: [`${say("variance of")} ω2, x2`, { ...variance, value: start.variances[1][1] }],
    prior: [`${say("prior")} P(ω1)`, { least: 0.01, most: 0.99, step: 0.01, value: start.prior }],
  };
  board(place, sliders, (at) => {
    const [a, b] = [{ mean: start.means[0], spread: start.variances[0] }, { mean: [at.x, at.y], spread: [at.across, at.up] }];
    const g = ({ mean, spread }, prior, x) => Math.log(prior) - 0.5 * sum(x.map((v, j) => (v - mean[j]) ** 2 / spread[j] + Math.log(spread[j])));
    const first = (x, y) => g(a, at.prior, [x, y]) >= g(b, 1 - at.prior, [x, y]);
    const drawn = plane({ width: 420, height: 380, x: [-5, 5], y: [-5, 5], label: "g1(x) = g2(x)" });
    for (const y of steps(-5, 4.9, 99)) {
      for (const { chosen, from, to } of stretches(steps(-5, 5, 100), (x) => first(x, y + 0.05))) {
        drawn.add("rect", { x: drawn.x(from), width: drawn.x(to) - drawn.x(from), y: drawn.y(y + 0.1), height: drawn.y(y) - drawn.y(y + 0.1) + 0.3, fill: colour(chosen ? 0 : 1), opacity: 0.2 });
      }
    }
    [a, b].forEach(({ mean, spread }, k) => {
      const ring = steps(0, 2 * Math.PI, 72).map((t) => [mean[0] + Math.sqrt(spread[0]) * Math.cos(t), mean[1] + Math.sqrt(spread[1]) * Math.sin(t)]);
      drawn.line(ring, { stroke: colour(k), "stroke-width": 2 });
      drawn.add("circle", { cx: drawn.x(mean[0]), cy: drawn.y(mean[1]), r: 4, fill: colour(k) });
    });
    drawn.axes("x1", "x2");
    const apart = sum([0, 1].map((j) => {
      const middle = (a.spread[j] + b.spread[j]) / 2;
      return (a.mean[j] - b.mean[j]) ** 2 / (8 * middle) + 0.5 * Math.log(middle / Math.sqrt(a.spread[j] * b.spread[j]));
    }));
    const bound = Math.sqrt(at.prior * (1 - at.prior)) * Math.exp(-apart);
    return { svg: drawn.svg, numbers: [[say("Bhattacharyya bound"), bound.toFixed(4)]] };
  });
};
