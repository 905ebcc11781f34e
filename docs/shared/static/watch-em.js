// Chapter 8: EM for two coins, step by step: shares of coin A in each row, the bound and the log likelihood.
// The states are the library's own, computed in the cell; nothing is learned here.
"use strict";

WATCH.em = (place, start, say) => {
  let step = 0;
  const picture = made("div"), numbers = made("p", { class: "numbers", "aria-live": "polite" });
  const button = (word, to) => {
    const one = made("button", { type: "button" }, say(word));
    one.addEventListener("click", () => { step = Math.max(0, Math.min(start.steps.length, to())); draw(); });
    return one;
  };
  const share = ([a, b], heads) => expit(heads * (Math.log(a) - Math.log(b)) + (start.tosses - heads) * (Math.log1p(-a) - Math.log1p(-b)));
  function draw() {
    const coins = step ? start.steps[step - 1].success : start.guess;
    const values = start.steps.flatMap((one) => [one.bound, one.log_likelihood]);
    const drawn = plane({ x: [1, start.steps.length], y: [Math.min(...values) - 0.05, Math.max(...values) + 0.05], label: `${say("bound")}, ${say("log likelihood")}` });
    drawn.axes(say("step"), "", { xTicks: start.steps.map((_, i) => i + 1) });
    ["log_likelihood", "bound"].forEach((name, k) => {
      const seen = start.steps.slice(0, step).map((one, i) => [i + 1, one[name]]);
      drawn.line(seen, { stroke: colour(k), "stroke-width": 2 });
      for (const [x, y] of seen) drawn.add("circle", { cx: drawn.x(x), cy: drawn.y(y), r: 3.5, fill: colour(k) });
    });
    const shares = table(say("shares of coin A"), start.heads.map((n) => `${n}/${start.tosses}`), ["q"], [start.heads.map((n) => share(coins, n).toFixed(3))]);
    picture.replaceChildren(legend([say("log likelihood"), say("bound")]), drawn.svg, shares);
    const state = step ? start.steps[step - 1] : null;
    const told_ = [[say("step"), step], [`${say("P(heads)")} A`, coins[0].toFixed(4)], [`${say("P(heads)")} B`, coins[1].toFixed(4)]];
    if (state) told_.push([say("bound"), state.bound.toFixed(4)], [say("log likelihood"), state.log_likelihood.toFixed(4)]);
    numbers.replaceChildren(...told_.map(([name, value]) => made("span", {}, `${name} `, made("b", {}, value))));
  }
  place.append(picture, numbers, made("p", {}, button("next step", () => step + 1), " ", button("step back", () => step - 1), " ", button("start again", () => 0)));
  draw();
};
