// The explorer: a choice, which the address keeps, and what follows from it.

const DATA = JSON.parse(document.getElementById("data").textContent);
const LOOKS = new Map();
const DRAWS = 200; // bootstrap samples of the functions
const BEST = 8;
const COSTS_S = [0, ...Array.from({ length: 9 }, (_, k) => 10 ** (k - 6))];
const form = document.getElementById("choice");
const shown = document.getElementById("shown");

/** The costs of the algorithms of a space: at(function, run, target, cost of an evaluation), and at the end. */
async function unpacked(space) {
  const bytes = Uint8Array.from(atob(space.costs), (sign) => sign.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const all = new Float32Array(await new Response(stream).arrayBuffer());
  const [F, R, T] = [space.functions.length, space.runs, space.targets.length];
  const reached = space.labels.length * F * R * T * 2;
  const spent = (k, cost) => (state.unit ? all[k + 1] : all[k] + (cost > 0 ? cost * all[k + 1] : 0));
  return space.labels.map((label, a) => ({
    label,
    at: (f, r, t, cost) => spent((((a * F + f) * R + r) * T + t) * 2, cost),
    end: (f, r, cost) => (r < R ? spent(reached + ((a * F + f) * R + r) * 2, cost) : NaN),
  }));
}

const total = (values) => values.reduce((sum, value) => sum + value, 0);
const mean = (values) => total(values) / values.length;
const runsOf = (one, f, space) => [...Array(space.runs).keys()].filter((r) => !Number.isNaN(one.end(f, r, 0)));

/** The share of (run, target) pairs of a function that is reached within a budget, and its bound. */
function share(one, f, space, cost, budget) {
  const [low, high] = [[], []];
  for (const r of runsOf(one, f, space)) {
    const here = state.targets.map((t) => Number(one.at(f, r, t, cost) <= budget));
    low.push(...here);
    high.push(...(one.end(f, r, cost) >= 0.95 * budget ? here : here.map(() => 1)));
  }
  return [mean(low), mean(high)];
}

/** The mean over functions of each row of shares, with an interval from functions drawn again, the same each time. */
function intervals(rows) {
  let seed = 1;
  const drawn = () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return Math.floor((seed / 2 ** 32) * rows[0].length);
  };
  const samples = Array.from({ length: DRAWS }, () => rows[0].map(drawn));
  return rows.map((row) => {
    const means = samples.map((on) => mean(on.map((f) => row[f]))).sort((a, b) => a - b);
    return [mean(row), means[Math.floor(0.025 * DRAWS)], means[Math.ceil(0.975 * DRAWS) - 1]];
  });
}

/** The ranks on each function, 1 for the largest share; equal ones share their ranks. */
function ranks(rows) {
  return rows.map((row) =>
    row.map((own, f) => 1 + total(rows.map((of) => (of[f] > own + 1e-9 ? 1 : Math.abs(of[f] - own) <= 1e-9 ? 0.5 : 0))) - 0.5),
  );
}

// --- The choice ---------------------------------------------------------------------------------

let state;
let optimizers = [];
const added = [];

function read() {
  const asked = new URLSearchParams(location.hash.slice(1));
  const number = (name, usual) => (asked.has(name) && Number.isFinite(Number(asked.get(name))) ? Number(asked.get(name)) : usual);
  const list = (name) => asked.get(name)?.split(",").filter(Boolean);
  const place = Math.min(Math.max(number("space", 0), 0), DATA.spaces.length - 1);
  const space = DATA.spaces[place];
  const [first, last] = [number("easy", 0), number("hard", space.targets.length - 1)];
  const functions = list("functions")?.map(Number).filter((f) => space.functions.includes(f));
  state = {
    space: place,
    unit: number("unit", space.budget_s ? 0 : 1),
    cost: Math.max(number("cost", 0), 0),
    easy: first,
    hard: last,
    targets: space.targets.map((_, t) => t).filter((t) => t >= first && t <= last),
    functions: functions?.length ? functions : [...space.functions],
    names: list("names"),
  };
  state.budget = number("budget", state.unit ? 1000 * space.dimension : (space.budget_s ?? 1));
}

function keep(changes) {
  const next = { ...state, ...changes };
  const kept = new URLSearchParams();
  for (const name of ["space", "unit", "cost", "budget", "easy", "hard"]) kept.set(name, next[name]);
  if (next.functions) kept.set("functions", next.functions.join(","));
  if (next.names) kept.set("names", next.names.join(","));
  for (const name of Object.keys(changes)) if (changes[name] === null) kept.delete(name);
  location.hash = kept;
}

const field = (text, ...inside) => element("label", {}, `${text} `, ...inside);
const picker = (options, value, chosen) =>
  element("select", { onchange: (event) => chosen(event.target.value) },
    ...options.map(([key, text]) => element("option", { value: key, selected: String(key) === String(value) ? "" : null }, text)));
const typed = (name, value, least) =>
  element("input", { type: "number", name, value, min: least, step: "any", onchange: (event) => keep({ [name]: Number(event.target.value) }) });

function boxes(title, entries, chosen, changed) {
  const list = element("div", { class: "names" });
  const checks = entries.map(([key, text]) => {
    const box = element("input", { type: "checkbox", value: key, onchange: () => changed(checks.filter((c) => c.checked).map((c) => c.value)) });
    box.checked = chosen.includes(String(key));
    list.append(element("label", {}, box, ` ${text}`));
    return box;
  });
  const find = element("input", { type: "search", "aria-label": `find in ${title}`, placeholder: "find", oninput: () => {
    for (const label of list.children) label.hidden = !label.textContent.toLowerCase().includes(find.value.toLowerCase());
  } });
  return element("fieldset", {}, element("legend", {}, title), find, list);
}

function controls(space, best) {
  const groups = Object.entries(space.groups).filter(([, of]) => of.some((f) => space.functions.includes(f)));
  const targets = space.targets.map((target, t) => [t, printed(target)]);
  form.replaceChildren(
    field("Problems", picker(DATA.spaces.map(({ title }, k) => [k, title]), state.space, (space) => keep({ space, functions: null, names: null, budget: null, easy: null, hard: null }))),
    field("Count", picker([[0, `seconds (${space.clock})`], [1, "evaluations"]], state.unit, (unit) => keep({ unit, budget: null }))),
    field("Cost of an evaluation in s", typed("cost", state.cost, 0)),
    field(state.unit ? "Budget in evaluations" : "Budget in s", typed("budget", state.budget, 0)),
    field("Easiest target", picker(targets, state.easy, (easy) => keep({ easy }))),
    field("Hardest target", picker(targets, state.hard, (hard) => keep({ hard }))),
    field("Functions of a group", picker([["", "all"], ...groups.map(([name]) => [name, name])], "", (name) =>
      keep({ functions: name ? space.groups[name].filter((f) => space.functions.includes(f)) : null }))),
    boxes("Functions", space.functions.map((f, k) => [f, space.titles[k]]), state.functions.map(String), (functions) => keep({ functions })),
    boxes("Optimizers in colour", optimizers.map(({ label }) => [label, label]), best, (names) => keep({ names })),
  );
}

// --- What follows -------------------------------------------------------------------------------

async function show() {
  read();
  const space = DATA.spaces[state.space];
  space.unpacked ??= await unpacked(space);
  optimizers = [...space.unpacked, ...added.filter((of) => of.space === space).map(({ one }) => one)];
  const on = state.functions.map((f) => space.functions.indexOf(f));
  const cost = state.unit ? 0 : state.cost;
  const both = optimizers.map((one) => on.map((f) => share(one, f, space, cost, state.budget)));
  const low = both.map((of) => of.map(([least]) => least));
  const [reach, place] = [intervals(low), intervals(ranks(low))];
  const order = [...optimizers.keys()].sort((a, b) => reach[b][0] - reach[a][0] || place[a][0] - place[b][0]);
  const best = state.names ?? order.slice(0, BEST).map((a) => optimizers[a].label);
  LOOKS.clear();
  best.forEach((name, k) => LOOKS.set(name, { color: DATA.colours[k % DATA.colours.length] }));
  controls(space, best);
  const chosen = order.filter((a) => best.includes(optimizers[a].label));
  shown.replaceChildren(
    element("h2", {}, `Within ${printed(state.budget)} ${state.unit ? "evaluations" : "s"}`),
    table(order, reach, place, both),
    ecdf(space, chosen, on, cost),
    ...(state.unit ? [] : [costMap(space, on, order)]),
  );
  document.documentElement.dataset.ready = location.hash;
}

function table(order, reach, place, both) {
  const percent = (value) => `${(100 * value).toFixed(1)} %`;
  const rows = order.map((a) => {
    const most = mean(both[a].map(([, high]) => high));
    const [value, low, high] = reach[a];
    const bound = most > value + 1e-9 ? element("span", { class: "cut" }, ` up to ${percent(most)} if its runs were longer`) : "";
    return element("tr", { "data-name": optimizers[a].label, "data-share": value, "data-rank": place[a][0] },
      element("th", { scope: "row" }, named(optimizers[a].label)),
      element("td", {}, `${percent(value)} [${percent(low)}, ${percent(high)}]`, bound),
      element("td", {}, `${place[a][0].toFixed(2)} [${place[a][1].toFixed(1)}, ${place[a][2].toFixed(1)}]`));
  });
  const head = ["Optimizer", "Targets reached, mean over the functions", "Average rank among all"];
  const grid = (some) => element("table", {}, element("tr", {}, ...head.map((text) => element("th", { scope: "col" }, text))), ...some);
  const rest = rows.slice(BEST);
  return element("div", { class: "scroll" }, grid(rows.slice(0, BEST)),
    ...(rest.length ? [element("details", {}, element("summary", {}, `${rest.length} more`), grid(rest))] : []));
}

const SIZE = { width: 720, height: 360, left: 62, right: 150, top: 12, bottom: 40 };

function frame(xAxis, yAxis, xLabel, yLabel, ...inside) {
  const { width, height, left, right, top, bottom } = SIZE;
  const text = (x, y, anchor, said) => drawing("text", { x, y, "text-anchor": anchor }, said);
  const lines = yAxis.ticks.flatMap(({ value, text: said }) => [
    drawing("line", { x1: left, x2: width - right, y1: yAxis.place(value), y2: yAxis.place(value) }),
    text(left - 6, yAxis.place(value) + 4, "end", said)]);
  const ticks = xAxis.ticks.map(({ value, text: said }) => text(xAxis.place(value), height - bottom + 16, "middle", said));
  return drawing("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${yLabel} over ${xLabel}` },
    drawing("g", { class: "grid" }, ...lines), ...ticks, text((left + width - right) / 2, height - 4, "middle", xLabel), ...inside);
}

function ecdf(space, chosen, on, cost) {
  const { width, height, left, right, top, bottom } = SIZE;
  const curves = chosen.map((a) => {
    const [one, events] = [optimizers[a], []];
    let cut = Infinity;
    for (const f of on) {
      const runs = runsOf(one, f, space);
      for (const r of runs) {
        const costs = state.targets.map((t) => one.at(f, r, t, cost));
        const there = costs.filter(Number.isFinite);
        events.push(...there.map((x) => [x, 1 / (runs.length * costs.length * on.length)]));
        if (there.length < costs.length) cut = Math.min(cut, one.end(f, r, cost));
      }
    }
    return { label: one.label, cut, events: events.sort((p, q) => p[0] - q[0]) };
  });
  const xs = curves.flatMap(({ events }) => events.map(([x]) => x)).filter((x) => x > 0);
  const xAxis = logAxis([Math.min(state.budget, ...xs), Math.max(state.budget, ...xs)], left, width - right);
  const yAxis = linearAxis(0, 1, height - bottom, top, PERCENT);
  const drawn = curves.flatMap(({ label, cut, events }) => {
    let [y, path] = [0, `M${left} ${yAxis.place(0)}`];
    for (const [x, step] of events) path += `H${xAxis.place(x).toFixed(1)}V${yAxis.place((y += step)).toFixed(1)}`;
    const stroke = LOOKS.get(label).color;
    const end = Number.isFinite(cut) && cut > 0 ? [drawing("circle", { cx: xAxis.place(Math.min(cut, xAxis.high)), cy: yAxis.place(total(events.filter(([x]) => x <= cut).map(([, s]) => s))), r: 3, fill: stroke })] : [];
    return [drawing("path", { d: `${path}H${width - right}`, fill: "none", stroke, "stroke-width": 1.8 }), ...end];
  });
  const ends = curves.map(({ label, events }) => ({ label, y: yAxis.place(total(events.map(([, s]) => s))) })).sort((a, b) => a.y - b.y);
  ends.forEach((one, k) => (one.y = Math.max(one.y, k ? ends[k - 1].y + 14 : top)));
  const labels = ends.map(({ label, y }) => drawing("text", { x: width - right + 8, y: y + 4, style: `fill: ${LOOKS.get(label).color}` }, label));
  const at = xAxis.place(state.budget);
  const budget = drawing("path", { d: `M${at} ${top}V${height - bottom}`, stroke: "currentColor", "stroke-dasharray": "2 3" });
  return element("figure", {}, element("figcaption", {}, "Share of (function, run, target) triples reached. Dots: up to there, all runs are known. Dotted: the budget."),
    frame(xAxis, yAxis, state.unit ? "evaluations" : "seconds", "targets reached", budget, ...drawn, ...labels));
}

function costMap(space, on, order) {
  const { width, height, left, right, top, bottom } = SIZE;
  const among = order.slice(0, 3 * BEST);
  const budgets = Array.from({ length: 9 }, (_, k) => 10 ** (1 + k / 2) * space.dimension);
  const xAxis = logAxis([budgets[0] / 10 ** 0.25, budgets.at(-1) * 10 ** 0.25], left, width - right);
  const ticks = COSTS_S.map((cost, k) => ({ value: k, text: cost ? printed(cost) : "0" }));
  const yAxis = linearAxis(-0.5, COSTS_S.length - 0.5, height - bottom, top, ticks);
  const [leaders, cells] = [new Map(), []];
  const half = (xAxis.place(budgets[1]) - xAxis.place(budgets[0])) / 2;
  COSTS_S.forEach((cost, k) => {
    for (const evaluations of budgets) {
      const budget = evaluations * Math.max(cost, 1e-5);
      const values = among.map((a) => mean(on.map((f) => share(optimizers[a], f, space, cost, budget)[0])));
      const top_ = Math.max(...values);
      const name = top_ > 0 ? optimizers[among[values.indexOf(top_)]].label : "";
      if (name && !leaders.has(name)) leaders.set(name, DATA.colours[leaders.size % DATA.colours.length]);
      const box = { x: xAxis.place(evaluations) - half, y: yAxis.place(k + 0.5), width: 2 * half, height: yAxis.place(0) - yAxis.place(1) };
      cells.push(drawing("rect", { ...box, fill: leaders.get(name) ?? "none" }, drawing("title", {}, `${name || "nobody"}: ${(100 * top_).toFixed(1)} %`)));
    }
  });
  const key = [...leaders].map(([name, colour], k) => drawing("text", { x: width - right + 8, y: top + 16 * (k + 1), style: `fill: ${colour}` }, name));
  return element("figure", {}, element("figcaption", {}, `Who reaches the most targets, for each cost of an evaluation in seconds (upwards) and each budget. Without a cost, an evaluation counts as 10 µs of the budget. Compared: the best ${among.length} of the table.`),
    frame(xAxis, yAxis, "budget in evaluations", "cost of an evaluation", ...cells, ...key));
}

// --- Files that are dropped ---------------------------------------------------------------------

async function drop(file) {
  const own = JSON.parse(await file.text());
  for (const one of own.spaces) {
    const same = (space) => ["title", "functions", "targets"].every((key) => String(one[key]) === String(space[key]));
    const space = DATA.spaces.find(same);
    if (space) added.push(...(await unpacked(one)).map((of) => ({ space, one: of })));
  }
  await show();
  if (!added.length) shown.prepend(element("p", { role: "alert" }, `${file.name}: has no runs on these problems and targets`));
}

addEventListener("dragover", (event) => event.preventDefault());
addEventListener("drop", (event) => {
  event.preventDefault();
  drop(event.dataTransfer.files[0]);
});
addEventListener("hashchange", show);
globalThis.explorer = { drop };
show();
