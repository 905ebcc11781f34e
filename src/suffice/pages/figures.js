/* Figures in plain SVG, shared by the report and the book. Nothing is fetched, nothing is kept. */
"use strict";

const COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "currentColor"]; // as in pictures; the last is the ink of the page
const colour = (k) => COLOURS[k % COLOURS.length];

/** An element of a page or of a drawing, with its attributes and what is inside. */
function made(name, attributes = {}, ...inside) {
  const drawn = ["svg", "g", "path", "line", "rect", "circle", "text", "title", "polyline", "polygon"].includes(name);
  const element = drawn ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) element.setAttribute(key, value);
  }
  element.append(...inside.filter((one) => one !== null && one !== undefined).map((one) => (one instanceof Node ? one : String(one))));
  return element;
}

const logit = (p) => Math.log(p) - Math.log1p(-p);
const expit = (x) => 1 / (1 + Math.exp(-x));
const sum = (numbers) => numbers.reduce((total, one) => total + one, 0);

/** A number as a person reads it. */
function told(value, digits = 4) {
  if (value === null || value === undefined || Number.isNaN(value)) return "—";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  return String(Number(value.toPrecision(digits))).replace("-", "−");
}
const percent = (share, digits = 1) => `${(100 * share).toFixed(digits)} %`;
const decimals = (value, digits = 4) => (value === null ? told(value) : value.toFixed(digits).replace("-", "−"));  // of numbers below each other

/** Round numbers between two ends, about as many as asked for. */
function ticks(low, high, many = 5) {
  const rough = (high - low) / many || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((one) => one * power).find((one) => one >= rough);
  const found = [];
  for (let at = Math.ceil(low / step - 1e-9) * step; at <= high + 1e-9 * step; at += step) found.push(Number(at.toPrecision(12)));
  return found;
}

/** A plane to draw on: `x` and `y` turn numbers into places, `add` draws, `axes` gives both axes with their names. */
function plane({ width = 560, height = 240, x: [left, right], y: [bottom, top], label, margin = [10, 24, 40, 52] }) {
  const [above, beside, below, before] = margin;
  const x = (value) => before + ((value - left) / (right - left || 1)) * (width - before - beside);
  const y = (value) => height - below - ((value - bottom) / (top - bottom || 1)) * (height - above - below);
  const svg = made("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label, class: "figure", style: `max-width: ${width}px; ${width > 480 ? "min-width: 480px" : ""}` }); // below that its words are too small, and the page scrolls it
  svg.append(made("title", {}, label));
  const add = (name, attributes, ...inside) => svg.appendChild(made(name, attributes, ...inside));
  const line = (points, attributes) =>
    add("polyline", { points: points.map(([a, b]) => `${x(a).toFixed(2)},${y(b).toFixed(2)}`).join(" "), fill: "none", ...attributes });
  function axes(across, up, { xTicks = ticks(left, right), yTicks = ticks(bottom, top, 4), xText = told, yText = told } = {}) {
    for (const at of xTicks) {
      add("line", { x1: x(at), x2: x(at), y1: y(bottom), y2: y(bottom) + 4, class: "axis" });
      add("text", { x: x(at), y: y(bottom) + 16, "text-anchor": "middle" }, xText(at));
    }
    for (const at of yTicks) {
      add("line", { x1: x(left), x2: x(right), y1: y(at), y2: y(at), class: "grid" });
      add("text", { x: x(left) - 6, y: y(at) + 4, "text-anchor": "end" }, yText(at));
    }
    add("line", { x1: x(left), x2: x(right), y1: y(bottom), y2: y(bottom), class: "axis" });
    add("text", { x: (x(left) + x(right)) / 2, y: height - 6, "text-anchor": "middle", class: "name" }, across);
    if (up) add("text", { x: 12, y: (y(bottom) + y(top)) / 2, "text-anchor": "middle", class: "name", transform: `rotate(-90 12 ${(y(bottom) + y(top)) / 2})` }, up);
  }
  return { svg, x, y, add, line, axes };
}

/** Names of classes with their colours. */
function legend(names, places = names.map((_, k) => k)) {
  return made("p", { class: "legend" }, ...names.map((name, i) =>
    made("span", {}, made("span", { class: "dot", style: `background:${colour(places[i])}`, "aria-hidden": "true" }), String(name))));
}

/** A table with headings above and before. */
function table(corner, across, down, cells, caption) {
  const head = made("tr", {}, made("th", { scope: "col" }, corner), ...across.map((name) => made("th", { scope: "col" }, String(name))));
  const body = down.map((name, i) => made("tr", {}, made("th", { scope: "row" }, String(name)), ...cells[i].map((cell) => made("td", {}, cell))));
  return made("div", { class: "scroll" }, made("table", {}, caption ? made("caption", {}, caption) : null, made("thead", {}, head), made("tbody", {}, ...body)));
}

/** A slider with its name and value, which says when it is moved. `shown` is how its value reads. */
function slider(name, { least, most, step, value, shown = told }, moved) {
  const id = `s${slider.made = (slider.made || 0) + 1}`;
  const out = made("output", { for: id }, shown(value));
  const input = made("input", { type: "range", id, min: least, max: most, step, value });
  input.addEventListener("input", () => { out.textContent = shown(Number(input.value)); moved(); });
  const whole = made("div", { class: "slider" }, made("label", { for: id }, name), input, out);
  return { whole, input, get value() { return Number(input.value); } };
}

/** A box to type a number into. */
function entry(name, value, changed) {
  const input = made("input", { type: "number", min: 0, step: "any", value, "aria-label": name });
  input.addEventListener("input", changed);
  return input;
}
