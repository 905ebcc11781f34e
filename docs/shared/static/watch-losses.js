// Chapter 2: losses of two errors and the price of rejection; regions, the threshold of the ratio, the average risk.
"use strict";

WATCH.losses = (place, start, say) => {
  const [low, high] = [start.means[0] - 5, start.means[1] + 5];
  const cost = (answer, truth) => `${say("loss of saying")} ${answer} ${say("where it is")} ${truth}`;
  const sliders = {
    miss: [cost("b", "a"), { least: 0.1, most: 5, step: 0.1, value: start.loss[0] }],
    alarm: [cost("a", "b"), { least: 0.1, most: 5, step: 0.1, value: start.loss[1] }],
    reject: [say("price of rejection"), { least: 0.01, most: 3, step: 0.01, value: start.reject }],
    prior: [`${say("prior")} P(a)`, { least: 0.01, most: 0.99, step: 0.01, value: start.prior }],
  };
  board(place, sliders, (at) => {
    const joint = [(x) => at.prior * gauss(x, start.means[0], start.sd ** 2), (x) => (1 - at.prior) * gauss(x, start.means[1], start.sd ** 2)];
    const risks = (x) => [at.alarm * joint[1](x), at.miss * joint[0](x), at.reject * (joint[0](x) + joint[1](x))]; // a, b, reject
    const best = (x) => risks(x).indexOf(Math.min(...risks(x)));
    const places = steps(low, high, 900);
    const top = 1.1 * Math.max(...places.map((x) => Math.max(joint[0](x), joint[1](x))));
    const drawn = plane({ x: [low, high], y: [0, top], label: "p(x | ω) P(ω)" });
    for (const { chosen, from, to } of stretches(places, best)) {
      const fill = chosen === 2 ? "#888" : colour(chosen);
      drawn.add("rect", { x: drawn.x(from), width: drawn.x(to) - drawn.x(from), y: drawn.y(top), height: drawn.y(0) - drawn.y(top), fill, opacity: 0.2 });
      drawn.add("text", { x: drawn.x((from + to) / 2), y: drawn.y(top) + 14, "text-anchor": "middle" }, ["a", "b", say("reject")][chosen]);
    }
    joint.forEach((density, k) => drawn.line(places.map((x) => [x, density(x)]), { stroke: colour(k), "stroke-width": 2 }));
    drawn.axes("x", "p(x | ω) P(ω)");
    const ratio = (at.alarm * (1 - at.prior)) / (at.miss * at.prior);
    const risk = area((x) => Math.min(...risks(x)), low - 5, high + 5, 20000);
    return { svg: drawn.svg, numbers: [[say("risk"), risk.toFixed(4)], [`${say("threshold")} p(x|a)/p(x|b)`, told(ratio)]] };
  });
};
