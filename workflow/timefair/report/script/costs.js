// Who reaches most targets at the cost of an evaluation, as far as the runs were observed.

const COST_UNITS = [[1e-6, "µs"], [1e-3, "ms"], [1, "s"], [60, "min"], [3600, "h"]];

/** A time with the largest unit that leaves at least 1. */
function duration(seconds) {
  if (seconds === 0) return "nothing";
  const [size, unit] = COST_UNITS.findLast(([least]) => seconds >= least * (1 - 1e-9)) ?? COST_UNITS[0];
  return `${printed(seconds / size)} ${unit}`;
}

/** Neighbouring budgets with one winner: the first and the last of them, and the shares there. */
function rangesOf({ budgets, best, share }) {
  const ranges = [];
  best.forEach((name, k) => {
    const last = ranges.at(-1);
    if (last?.name === name) [last.to, last.most] = [budgets[k], share[k]];
    else ranges.push({ name, from: budgets[k], to: budgets[k], least: share[k], most: share[k] });
  });
  return ranges;
}

function rangesTable(ranges) {
  const share = (value) => `${printed(100 * value)} %`;
  const between = (first, last, shown) => (first === last ? shown(first) : `${shown(first)} to ${shown(last)}`);
  const head = [["budget of a run"], ["most targets reached by"], ["share of the targets", "number"]];
  const rows = ranges.map(({ name, from, to, least, most }) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, between(from, to, duration)),
      element("td", {}, named(name)),
      element("td", { class: "number" }, between(least, most, share)),
    ),
  );
  const heading = head.map(([text, kind]) => element("th", { scope: "col", class: kind }, text));
  return element("table", {}, element("thead", {}, element("tr", {}, ...heading)), element("tbody", {}, ...rows));
}

function beyond({ missing, until }) {
  if (!missing) return "";
  const where = until > 0 ? `Above ${duration(until)}, nothing` : "Nothing";
  return `${where} is known at this evaluation cost: runs of ${missing} were cut before.`;
}

/** Let the slider draw its parts. A promise of what draws them again; nothing without a slider. */
async function followCost() {
  const place = document.getElementById("evaluation-cost");
  if (!place) return [];
  const { costs, spaces } = await dataOf("lines");
  const [slider, output] = ["input", "output"].map((name) => place.querySelector(name));
  let [space] = spaces;

  function redraw() {
    const cost = costs[slider.value];
    const there = space.at[slider.value];
    output.textContent = duration(cost);
    slider.setAttribute("aria-valuetext", duration(cost));
    place.querySelector(".scroll").replaceChildren(rangesTable(rangesOf(there)));
    place.querySelector(".beyond").textContent = beyond(there);
  }

  if (spaces.length > 1) {
    const several = new Set(spaces.map(({ suite }) => suite)).size > 1;
    const options = spaces.map((value) => ({ text: (several ? `${value.suite}, ` : "") + value.dimension, value }));
    const choose = (value) => {
      space = value;
      redraw();
    };
    place.querySelector(".filters").append(chooser("Dimension", options, choose));
  }
  slider.addEventListener("input", redraw);
  redraw();
  return [redraw];
}
