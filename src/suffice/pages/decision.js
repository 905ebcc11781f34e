/* Decisions by loss, prior and rejection, on rows that were left out. */
"use strict";

/* Two classes: rows are counted by true class and bin of ln P(second)/P(first), so thresholds stand between bins. */

/** Posteriors of the second class between which the first, no answer and the second are best. */
function thresholds({ missSecond, missFirst, reject }) {
  const plain = missFirst / (missFirst + missSecond);
  const low = reject / missSecond, high = 1 - reject / missFirst;
  return reject !== null && low < high ? [Math.max(low, 0), Math.min(high, 1)] : [plain, plain];
}

/** The edge of a bin nearest to log odds. */
function nearest(edges, odds) {
  let best = 0;
  edges.forEach((edge, i) => { if (Math.abs(edge - odds) < Math.abs(edges[best] - odds)) best = i; });
  return best;
}

/** What the rows come to under costs and a prior of the second class. */
function decided(data, { missSecond, missFirst, reject, prior }) {
  const shift = logit(prior) - logit(data.priors[1]);
  const wanted = thresholds({ missSecond, missFirst, reject });
  const cuts = wanted.map((p) => nearest(data.edges, logit(Math.min(Math.max(p, 1e-12), 1 - 1e-12)) - shift));
  const counts = data.counts.map((bins) => {
    const below = sum(bins.slice(0, cuts[0])), above = sum(bins.slice(cuts[1]));
    return [below, sum(bins) - below - above, above];
  });
  const shares = counts.map((row) => row.map((many) => many / (sum(row) || 1)));
  const each = [shares[0][2] * missFirst + shares[0][1] * (reject ?? 0), shares[1][0] * missSecond + shares[1][1] * (reject ?? 0)];
  const posterior = cuts.map((i) => expit(data.edges[i] + shift));
  return {
    cuts, counts, posterior, edges: cuts.map((i) => data.edges[i]),
    cost: (1 - prior) * each[0] + prior * each[1],
    constant: [prior * missSecond, (1 - prior) * missFirst],
    answered: 1 - ((1 - prior) * shares[0][1] + prior * shares[1][1]),
  };
}

function histogram(data, found, words) {
  const shares = data.counts.map((bins) => bins.map((many) => many / (sum(bins) || 1)));
  const top = Math.max(...shares.flat(), 1e-9);
  const { svg, x, y, add, axes } = plane({ x: [data.edges[0], data.edges.at(-1)], y: [0, top * 1.05], label: words.histogram, height: 220 });
  axes(words.logOdds, words.share, { yText: (share) => percent(share, 0) });
  shares.forEach((bins, k) => bins.forEach((share, i) => {
    if (share > 0) add("rect", { x: x(data.edges[i]), width: Math.max(x(data.edges[i + 1]) - x(data.edges[i]) - 0.5, 0.5), y: y(share), height: y(0) - y(share), fill: colour(k), opacity: 0.5 });
  }));
  if (found.cuts[0] !== found.cuts[1]) add("rect", { x: x(found.edges[0]), width: x(found.edges[1]) - x(found.edges[0]), y: y(top * 1.05), height: y(0) - y(top * 1.05), class: "rejected" });
  for (const edge of new Set(found.edges)) add("line", { x1: x(edge), x2: x(edge), y1: y(0), y2: y(top * 1.05), class: "threshold" });
  return svg;
}

function twoClasses(root, data, words) {
  const [first, second] = data.classes;
  const cost = { least: 0, most: 3, step: 0.05, value: 0, shown: (power) => told(10 ** power, 3) };
  const update = () => draw();
  const missSecond = slider(words.missing.replace("{name}", second), cost, update);
  const missFirst = slider(words.missing.replace("{name}", first), cost, update);
  const before = Math.min(Math.max(data.priors[1], 0.001), 0.999).toFixed(3);
  const prior = slider(words.priorOf.replace("{name}", second), { least: 0.001, most: 0.999, step: 0.001, value: before, shown: (p) => percent(p) }, update);
  const reject = slider(words.rejectPrice, { least: 0, most: 1.001, step: 0.01, value: 1.001, shown: (r) => (r > 1 ? words.never : told(r, 2)) }, update);
  const shown = made("div", { "aria-live": "polite" });
  const picture = made("div");
  root.append(made("div", { class: "controls" }, missSecond.whole, missFirst.whole, prior.whole, reject.whole), legend(data.classes), picture, shown);
  function settings() {
    const [a, b] = [10 ** missSecond.value, 10 ** missFirst.value];
    const moved = prior.value !== Number(before); // until then the prior is the model's, to all its digits
    return { missSecond: a, missFirst: b, prior: moved ? prior.value : data.priors[1], reject: reject.value > 1 ? null : reject.value * Math.min(a, b) };
  }
  function draw() {
    const asked = settings(), found = decided(data, asked);
    picture.replaceChildren(histogram(data, found, words));
    const rejecting = found.cuts[0] !== found.cuts[1];
    const across = [first, ...(rejecting ? [words.reject] : []), second];
    const cells = found.counts.map((row) => (rejecting ? row : [row[0], row[2]]).map((many) => told(many, 6)));
    const at = rejecting ? words.between.replace("{low}", percent(found.posterior[0])).replace("{high}", percent(found.posterior[1])) : words.from.replace("{name}", second).replace("{value}", percent(found.posterior[1]));
    const costs = words.cost.replace("{value}", told(found.cost)).replace("{first}", told(found.constant[0])).replace("{second}", told(found.constant[1]));
    shown.replaceChildren(made("p", { class: "verdict" }, at), made("p", {}, costs), table(words.truth, across, data.classes, cells, words.confusion));
    Object.assign(root.dataset, { cost: found.cost, counts: JSON.stringify(found.counts), edges: JSON.stringify(found.edges), settings: JSON.stringify(asked) });
  }
  draw();
}

/* More classes: a sample of posteriors, each decided by itself. */

/** What the rows come to under costs (answers down), a price of no answer, and a prior of each class. */
function decidedBySample(data, { loss, reject, priors }) {
  const many = data.classes.length, all = sum(priors) || 1;
  const times = priors.map((p, k) => (data.priors[k] > 0 ? p / all / data.priors[k] : 0));
  const counts = data.classes.map(() => Array(many + 1).fill(0));
  let total = 0, mass = 0;
  for (const [truth, weight, ...posterior] of data.rows) {
    const joint = posterior.map((p, k) => p * times[k]), one = sum(joint) || 1;
    const risks = loss.map((row) => sum(row.map((cost, k) => (cost * joint[k]) / one)));
    const least = Math.min(...risks), best = reject !== null && reject < least ? many : risks.indexOf(least);
    counts[truth][best] += weight;
    total += weight * times[truth] * (best === many ? reject : loss[best][truth]);
    mass += weight * times[truth];
  }
  return { counts, cost: total / (mass || 1) };
}

function severalClasses(root, data, words) {
  const update = () => draw();
  const costs = data.classes.map((called, i) => data.classes.map((truth, j) => entry(words.costOf.replace("{called}", called).replace("{truth}", truth), i === j ? 0 : 1, update)));
  const priors = data.classes.map((name, k) => entry(words.priorOf.replace("{name}", name), Number(data.priors[k].toPrecision(4)), update));
  const shown = priors.map((input) => input.value);
  const reject = slider(words.rejectPrice, { least: 0, most: 1.01, step: 0.01, value: 1.01, shown: (r) => (r > 1 ? words.never : told(r, 2)) }, update);
  const found = made("div", { "aria-live": "polite" });
  const sampled = data.rows.length < data.of ? made("p", { class: "note" }, words.sample.replace("{some}", data.rows.length).replace("{of}", data.of)) : null;
  const asking = table(words.answer, data.classes, [...data.classes, words.priors], [...costs, priors], words.costs);
  root.append(asking, made("div", { class: "controls" }, reject.whole), ...(sampled ? [sampled] : []), found);
  const number = (input) => Math.max(Number(input.value) || 0, 0);
  function draw() {
    const untouched = priors.every((input, k) => input.value === shown[k]);
    const asked = { loss: costs.map((row) => row.map(number)), reject: reject.value > 1 ? null : reject.value, priors: untouched ? data.priors : priors.map(number) };
    const { counts, cost } = decidedBySample(data, asked);
    const across = [...data.classes, ...(asked.reject === null ? [] : [words.reject])];
    const cells = counts.map((row) => row.slice(0, across.length).map((one) => told(one, 6)));
    found.replaceChildren(made("p", { class: "verdict" }, words.meanCost.replace("{value}", told(cost))), table(words.truth, across, data.classes, cells, words.confusion));
    Object.assign(root.dataset, { cost, counts: JSON.stringify(counts), settings: JSON.stringify(asked) });
  }
  draw();
}
