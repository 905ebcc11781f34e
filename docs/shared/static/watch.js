// Figures to watch and drag. A cell of the page has left the library's own numbers in a <div class="watch">;
// each figure has a file of its own, which draws from them with the helpers of figures.js.
"use strict";

const WATCH = {};
const gauss = (x, mean, variance) => Math.exp(-((x - mean) ** 2) / (2 * variance)) / Math.sqrt(2 * Math.PI * variance);
const steps = (low, high, many) => Array.from({ length: many + 1 }, (_, i) => low + ((high - low) * i) / many);

/** The integral of f between two ends, by Simpson's rule over an even number of parts. */
function area(f, low, high, parts = 2000) {
  const h = (high - low) / parts;
  return (h / 3) * sum(steps(low, high, parts).map((x, i) => f(x) * (i === 0 || i === parts ? 1 : i % 2 ? 4 : 2)));
}

/** Where the choices of neighbouring places differ: the stretches of a line that have one choice. */
function stretches(places, choice) {
  const found = [];
  for (const x of places) {
    const chosen = choice(x);
    if (found.length && found[found.length - 1].chosen === chosen) found[found.length - 1].to = x;
    else found.push({ chosen, from: found.length ? found[found.length - 1].to : x, to: x });
  }
  return found;
}

/** Sliders beside a picture and numbers, all drawn anew when one is moved. */
function board(place, sliders, draw) {
  const picture = made("div"), numbers = made("p", { class: "numbers", "aria-live": "polite" });
  const redraw = () => {
    const drawn = draw(Object.fromEntries(Object.entries(made_).map(([key, one]) => [key, one.value])));
    picture.replaceChildren(drawn.svg);
    numbers.replaceChildren(...drawn.numbers.flatMap(([name, value]) => [made("span", {}, `${name} `, made("b", {}, value))]));
  };
  const made_ = Object.fromEntries(Object.entries(sliders).map(([key, [name, range]]) => [key, slider(name, range, redraw)]));
  place.append(picture, numbers, ...Object.values(made_).map((one) => one.whole));
  redraw();
}

document.addEventListener("DOMContentLoaded", () => {
  for (const place of document.querySelectorAll(".watch")) {
    const { start, words } = JSON.parse(place.querySelector("script").textContent);
    WATCH[place.dataset.figure](place, start, (word) => words[word] ?? word);
  }
});
