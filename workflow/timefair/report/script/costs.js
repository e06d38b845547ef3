// Who wins at the cost of an evaluation: the ERT is a line in that cost, so the page computes it.

const FACTORS = [...Array(61).keys()].map((k) => 10 ** (k / 20));
const COST_UNITS = [[1e-6, "µs"], [1e-3, "ms"], [1, "s"], [60, "min"], [3600, "h"]];

/** A time with the largest unit that leaves at least 1. */
function duration(seconds) {
  if (seconds === 0) return "nothing";
  const [size, unit] = COST_UNITS.findLast(([least]) => seconds >= least * (1 - 1e-9)) ?? COST_UNITS[0];
  return `${printed(seconds / size)} ${unit}`;
}

/** The ERT of each algorithm to each target of a function; Infinity where no run reached it. */
function ertsAt(one, cost) {
  return one.seconds.map((line, k) =>
    line.map((time, a) => (time === null ? Infinity : time + cost * one.evaluations[k][a])),
  );
}

/** Ranks from 1 for the least; ties share the average of their ranks. */
function ranked(values) {
  return values.map((value) => {
    const less = values.filter((other) => other < value).length;
    const equal = values.filter((other) => other === value).length;
    return less + (equal + 1) / 2;
  });
}

function averaged(rows) {
  return rows[0].map((_, k) => rows.reduce((sum, row) => sum + row[k], 0) / rows.length);
}

/** What the tables have at this cost: shares of targets won, average ranks, and factors to the lowest. */
function standingAt(space, cost) {
  const of = space.functions.map((one) => ertsAt(one, cost));
  const targets = of.flat();
  const wins = targets.map((erts) => {
    const least = Math.min(...erts);
    const won = erts.map((ert) => Number(ert === least && ert < Infinity));
    const count = Math.max(1, won.reduce((sum, one) => sum + one, 0));
    return won.map((one) => one / count);
  });
  return {
    won: averaged(wins),
    ranks: averaged(of.map((erts) => ranked(averaged(erts.map(ranked))))),
    factors: targets.map((erts) => erts.map((ert) => ert / Math.min(...erts))),
    functions: space.functions.map((one, k) => lowestOn(one, of[k])),
  };
}

/** The hardest target of a function that was reached, and the algorithms from the lowest ERT to it. */
function lowestOn(one, erts) {
  const hardest = erts.findLastIndex((values) => values.some((ert) => ert < Infinity));
  if (hardest < 0) return { function: one.function, target: NaN, order: [], erts: [] };
  const order = [...erts[hardest].keys()].sort((a, b) => erts[hardest][a] - erts[hardest][b]);
  return { function: one.function, target: one.targets[hardest], order, erts: erts[hardest] };
}

/** The sentence: who has the least ERT to the most targets, and who has the best average rank. */
function costSentence(space, { won, ranks }, cost) {
  const most = Math.max(...won);
  const best = Math.min(...ranks);
  const names = (values, value) => space.algorithms.filter((_, a) => values[a] === value).join(" and ");
  const winners = names(won, most);
  const leaders = names(ranks, best);
  const where = cost === 0 ? "At the cost that was measured" : `If an evaluation costs ${duration(cost)} more`;
  const first = `${where}, ${winners} ${winners.includes(" and ") ? "have" : "has"} the lowest ERT on ${Math.round(100 * most)} % of the targets`;
  const rank = `the best average rank (${printed(best)})`;
  return `${first}${leaders === winners ? ` and ${rank}` : `, and ${leaders} ${rank}`}.`;
}

function rankPlaces(space, { ranks }) {
  return space.algorithms.map((name, a) => [name, [{ x: ranks[a], width: NaN }]]);
}

function profileOf(space, { factors }) {
  return space.algorithms.map((name, a) => [
    name,
    FACTORS.map((x) => ({ x, y: factors.filter((of) => of[a] <= x * (1 + 1e-12)).length / factors.length, low: NaN, high: NaN })),
  ]);
}

const PROFILE_VIEW = { x_label: "times the lowest ERT", y_label: "share of targets", shape: "step", share: true };

function lowestTable(space, { functions }) {
  const head = [["function"], ["hardest target reached", "number"], ["lowest ERT"], ["its ERT", "number"], ["next"]];
  const rows = functions.map(({ function: name, target, order: [first, second], erts }) => {
    const behind = erts[second] / erts[first];
    const known = first !== undefined;
    return element(
      "tr",
      {},
      element("th", { scope: "row" }, DATA.functions[name] ?? `f${name}`),
      element("td", { class: "number" }, printed(target)),
      element("td", {}, known ? named(space.algorithms[first]) : "none"),
      element("td", { class: "number" }, known ? duration(erts[first]) : "–"),
      element("td", {}, ...(behind < Infinity ? [named(space.algorithms[second]), ` ${printed(behind)} times as long`] : ["–"])),
    );
  });
  const heading = head.map(([text, kind]) => element("th", { scope: "col", class: kind }, text));
  return element("table", {}, element("thead", {}, element("tr", {}, ...heading)), element("tbody", {}, ...rows));
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
    const there = standingAt(space, cost);
    output.textContent = duration(cost);
    slider.setAttribute("aria-valuetext", duration(cost));
    place.querySelector(".headline").textContent = costSentence(space, there, cost);
    const title = "At this evaluation cost";
    const ranks = { title: "average rank by ERT", series: new Map(rankPlaces(space, there)) };
    const profile = { title: "share of targets within a factor", series: new Map(profileOf(space, there)) };
    place.querySelector(".panels").replaceChildren(
      rankPanel(ranks, title),
      curvePanel(PROFILE_VIEW, [profile])(profile, title),
    );
    place.querySelector(".scroll").replaceChildren(lowestTable(space, there));
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
