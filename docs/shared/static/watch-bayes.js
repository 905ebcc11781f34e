// Chapter 1: two Gaussians over one column; regions, boundaries and the area of error.
"use strict";

WATCH.bayes = (place, start, say) => {
  const [low, high] = [-8, 10];
  const sliders = {
    first: [`${say("mean of")} ω1`, { least: -4, most: 6, step: 0.1, value: start.means[0] }],
    second: [`${say("mean of")} ω2`, { least: -4, most: 6, step: 0.1, value: start.means[1] }],
    narrow: [`${say("variance of")} ω1`, { least: 0.2, most: 6, step: 0.1, value: start.variances[0] }],
    wide: [`${say("variance of")} ω2`, { least: 0.2, most: 6, step: 0.1, value: start.variances[1] }],
    prior: [`${say("prior")} P(ω1)`, { least: 0.01, most: 0.99, step: 0.01, value: start.prior }],
  };
  board(place, sliders, (at) => {
    const joint = [(x) => at.prior * gauss(x, at.first, at.narrow), (x) => (1 - at.prior) * gauss(x, at.second, at.wide)];
    const places = steps(low, high, 900);
    const top = 1.1 * Math.max(...places.map((x) => Math.max(joint[0](x), joint[1](x))));
    const drawn = plane({ x: [low, high], y: [0, top], label: "p(x | ω) P(ω)" });
    const regions = stretches(places, (x) => (joint[0](x) >= joint[1](x) ? 0 : 1));
    for (const { chosen, from, to } of regions) {
      drawn.add("rect", { x: drawn.x(from), width: drawn.x(to) - drawn.x(from), y: drawn.y(top), height: drawn.y(0) - drawn.y(top), fill: colour(chosen), opacity: 0.12 });
    }
    const least = (x) => Math.min(joint[0](x), joint[1](x));
    drawn.add("polygon", { points: [[low, 0], ...places.map((x) => [x, least(x)]), [high, 0]].map(([a, b]) => `${drawn.x(a)},${drawn.y(b)}`).join(" "), fill: "#888", opacity: 0.55 });
    joint.forEach((density, k) => drawn.line(places.map((x) => [x, density(x)]), { stroke: colour(k), "stroke-width": 2 }));
    drawn.axes("x", "p(x | ω) P(ω)");
    const ends = regions.slice(1).map((region) => root((x) => joint[0](x) - joint[1](x), region.from - 0.05, region.from + 0.05));
    return {
      svg: drawn.svg,
      numbers: [[say("error"), area(least, -40, 40, 8000).toFixed(4)], [say("boundary"), ends.map((x) => x.toFixed(4)).join(", ") || "—"]],
    };
  });
};

/** Where f changes its sign between two places, by halving. */
function root(f, low, high) {
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (f(low) * f(middle) <= 0) high = middle;
    else low = middle;
  }
  return (low + high) / 2;
}
