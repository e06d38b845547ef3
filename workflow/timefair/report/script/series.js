// What a view of a chart draws: panels of series of points.

/** The panels of a view in one space, in order: a title and, by algorithm, points sorted by x. */
function panelsOf(view, table, space) {
  const columns = new Map(table.columns.map((column) => [column.name, decoded(column)]));
  const at = (name) => columns.get(name) ?? [];
  const wanted = Object.entries({ ...space, ...view.only })
    .filter(([name]) => columns.has(name))
    .map(([name, value]) => [at(name), value]);
  const [names, keys, xs, ys] = [at("algorithm"), at(view.panel), at(view.x), at(view.y)];
  const [lows, highs, widths] = [at(view.low), at(view.high), at("critical_difference")];
  const observed = at("observed");
  const panels = new Map();
  for (let row = 0; row < names.length; row++) {
    if (!wanted.every(([values, value]) => String(values[row]) === value)) continue;
    const panel = view.panel ? String(keys[row]) : "";
    if (!panels.has(panel)) panels.set(panel, new Map());
    const series = panels.get(panel);
    if (!series.has(names[row])) series.set(names[row], []);
    series.get(names[row]).push({
      x: xs[row],
      y: ys[row] ?? NaN,
      low: lows[row] ?? NaN,
      high: highs[row] ?? NaN,
      width: widths[row],
      cut: observed[row] < 1,
    });
  }
  for (const series of panels.values()) {
    for (const points of series.values()) points.sort((a, b) => a.x - b.x);
  }
  const found = [...panels].map(([key, series]) => ({ key, title: panelTitle(view, key), series }));
  const whole = found.length === 2 ? [] : found.filter(({ key }) => key === "all");
  const parts = found.filter(({ key }) => key !== "all");
  return [...whole, ...parts.sort((a, b) => (view.panel === "function" ? compared(a.key, b.key) : 0))];
}

const CRITERIA = { mean: "by the mean", ERT: "by the expected cost" };

function panelTitle(view, key) {
  if (view.panel === "criterion") return CRITERIA[key] ?? `by the ${Number(key.slice(1)) * 100} % quantile`;
  if (view.panel === "function") return key === "all" ? "all functions" : (DATA.functions[key] ?? `f${key}`);
  return "";
}

/** The suites and dimensions that a table has; all dimensions together where there are several. */
function spacesOf(table) {
  const columns = ["suite", "dimension"].map((name) => table.columns.find((c) => c.name === name));
  const [suites, dimensions] = columns.map(decoded);
  const found = new Map();
  for (const row of suites.keys()) {
    const space = { suite: String(suites[row]), dimension: String(dimensions[row]) };
    found.set(`${space.suite} ${space.dimension}`, space);
  }
  const spaces = [...found.values()];
  const parts = spaces.filter(({ dimension }) => dimension !== "all");
  const several = new Set(spaces.map(({ suite }) => suite)).size > 1;
  return (parts.length === 1 ? parts : spaces).map((space) => ({
    text: (several ? `${space.suite}, ` : "") + (space.dimension === "all" ? "all" : space.dimension),
    value: space,
  }));
}

/** The last point at or before x: what a step curve shows there; null behind its end. */
function pointAt(points, x) {
  if (x > points.at(-1).x * (1 + 1e-9)) return null;
  let found = null;
  for (const point of points) {
    if (point.x > x * (1 + 1e-9)) break;
    found = point;
  }
  return found;
}
