// Charts: curves and ranks as small panels, with the values under the pointer.

const SIZE = { width: 340, height: 220, left: 62, right: 12, top: 26, bottom: 36 };
const ROW = 20;
const tip = element("div", { class: "tip", role: "status", hidden: "" });
let clips = 0;

/** Draw a chart into its place: its switches and the panels of the first view. A promise of what draws it again. */
async function showChart(place, chart) {
  const shown = { view: chart.views[0], space: null, table: null };
  const note = document.getElementById(`note-${chart.name}`);
  const panels = element("div", { class: "panels" });
  const controls = element("div", { class: "filters" });

  async function refresh() {
    const { view } = shown;
    const table = await tableOf(view.table);
    if (view !== shown.view) return;
    shown.table = table;
    const spaces = spacesOf(table);
    const kept = spaces.find(({ value }) => JSON.stringify(value) === JSON.stringify(shown.space));
    shown.space = (kept ?? spaces[0])?.value ?? {};
    controls.replaceChildren(...switches(chart, view, choose));
    if (spaces.length > 1) {
      const list = chooser("Dimension", spaces, (space) => {
        shown.space = space;
        redraw();
      });
      list.querySelector("select").selectedIndex = spaces.findIndex(({ value }) => value === shown.space);
      controls.append(list);
    }
    redraw();
  }

  async function choose(view) {
    shown.view = view;
    await refresh();
    controls.querySelector("[aria-pressed=true]").focus({ preventScroll: true });
  }

  function redraw() {
    const { view, space, table } = shown;
    note.textContent = view.note;
    const all = panelsOf(view, table, space);
    const draw = view.shape === "dots" ? rankPanel : curvePanel(view, all);
    panels.replaceChildren(...all.map((panel) => draw(panel, chart.title)));
  }

  await refresh();
  place.replaceChildren(controls, panels);
  return redraw;
}

/** A button a view, of which one is pressed; none for one view. */
function switches(chart, current, choose) {
  if (chart.views.length < 2) return [];
  const buttons = chart.views.map((view) => {
    const pressed = String(view === current);
    return element("button", { type: "button", "aria-pressed": pressed, onclick: () => choose(view) }, view.label);
  });
  return [element("div", { class: "switch", role: "group", "aria-label": chart.title }, ...buttons)];
}

/** What draws the panels of a view, which share their scale of x. */
function curvePanel(view, all) {
  const begun = (point) => (view.share ? point.y > 0 : Number.isFinite(point.y));
  const xs = all.flatMap(({ series }) => [...series.values()].flat().filter(begun).map(({ x }) => x));
  const { left, right, top, bottom, width, height } = SIZE;
  const ends = [left, width - right];
  const below = view.easy_to_hard && xs.some((x) => x <= 0);
  const belowAxis = view.signed ? signedAxis : valueAxis; // precisions, or values of f
  const xAxis = (below ? belowAxis : logAxis)(xs, ...(view.easy_to_hard ? ends.reverse() : ends));
  const last = Math.max(...xs);
  return (panel, title) => {
    const visible = [...panel.series].filter(([name]) => !HIDDEN.has(name));
    const others = MANY ? [...panel.series].filter(([name]) => HIDDEN.has(name)) : [];
    const ys = [...others, ...visible].flatMap(([, points]) => points.filter(begun).map(({ y }) => y));
    const yAxis = view.share
      ? linearAxis(0, 1, height - bottom, top, PERCENT)
      : logAxis(ys, height - bottom, top);
    const clip = `clip-${clips++}`;
    const curves = drawing("g", { "clip-path": `url(#${clip})` });
    const at = (x, y) => [xAxis.place(x).toFixed(1), yAxis.place(y).toFixed(1)];
    if (others.length > 0) curves.append(backdrop(view, others, at));
    for (const [name, points] of visible) curves.append(...curve(view, name, points, last, at));
    const box = { x: left, y: top - 2, width: width - left - right, height: height - top - bottom + 4 };
    const svg = drawing(
      "svg",
      {
        viewBox: `0 0 ${width} ${height}`,
        tabindex: 0,
        role: "img",
        "aria-label": `${title}, ${panel.title || view.label}. Use the arrow keys to read the values.`,
      },
      drawing("clipPath", { id: clip }, drawing("rect", box)),
      ...frame(view, panel, xAxis, yAxis),
      curves,
    );
    readable(svg, view, visible, xAxis, yAxis);
    return element("div", { class: "panel" }, svg);
  };
}

function frame(view, panel, xAxis, yAxis) {
  const { left, right, top, bottom, width, height } = SIZE;
  const text = (x, y, anchor, said, more = {}) => drawing("text", { x, y, "text-anchor": anchor, ...more }, said);
  const grid = yAxis.ticks.flatMap(({ value, text: said }) => {
    const y = yAxis.place(value);
    return [drawing("line", { x1: left, x2: width - right, y1: y, y2: y }), text(left - 6, y + 3.5, "end", said)];
  });
  const marks = xAxis.ticks.flatMap(({ value, text: said }) => {
    const x = xAxis.place(value);
    return [drawing("line", { x1: x, x2: x, y1: height - bottom, y2: height - bottom + 4 }), text(x, height - bottom + 15, "middle", said)];
  });
  return [
    text(left, 14, "start", panel.title, { class: "title" }),
    drawing("g", { class: "grid" }, ...grid, ...marks),
    text((left + width - right) / 2, height - 4, "middle", view.x_label, { class: "axis" }),
    text(0, 0, "middle", view.y_label, { class: "axis", transform: `translate(11 ${height / 2}) rotate(-90)` }),
  ];
}

/** The curves of algorithms that are not chosen, in grey and as one path. */
function backdrop(view, others, at) {
  const paths = others.map(([, points]) =>
    joined(points.filter(({ y, cut }) => Number.isFinite(y) && !cut).map((p) => at(p.x, p.y)), view.shape),
  );
  return drawing("path", { d: paths.join(""), class: "rest" });
}

/** A curve with its band, thin from where its first run is cut off, with a cross there or where it ends before the axis. */
function curve(view, name, points, last, at) {
  const { color, dash } = LOOKS.get(name) ?? { color: "gray" };
  const known = points.filter(({ y }) => Number.isFinite(y));
  const banded = known.filter(({ low, high }) => !Number.isNaN(low) && !Number.isNaN(high));
  const path = (part) => joined(part.map((p) => at(p.x, p.y)), view.shape);
  const end = Math.max(known.filter(({ cut }) => !cut).length, 1); // at least one point is observed
  const drawn = [drawing("path", { d: path(known.slice(0, end)), stroke: color, "stroke-dasharray": dash, class: "curve" })];
  if (banded.length > 1) drawn.unshift(drawing("path", { d: band(view, banded, at), fill: color, class: "band" }));
  if (end < known.length) {
    drawn.push(drawing("path", { d: path(known.slice(end - 1)), stroke: color, fill: "none", "stroke-width": 0.7 }));
  }
  if (view.shape === "line") {
    drawn.push(...known.map((p) => drawing("circle", { cx: at(p.x, p.y)[0], cy: at(p.x, p.y)[1], r: 2, fill: color })));
  } else if (known.length > 0 && (end < known.length || known.at(-1).x < last * (1 - 1e-9))) {
    const [x, y] = at(known[end - 1].x, known[end - 1].y);
    drawn.push(drawing("path", { d: `M${x} ${y}m-4 -4l8 8m0 -8l-8 8`, stroke: color, class: "end", "stroke-width": 1.5 }));
  }
  return drawn;
}

/** The outline of a band: its upper edge, and the lower one from right to left. */
function band(view, points, at) {
  const upper = joined(points.map((p) => at(p.x, p.high)), view.shape);
  const lower = points.flatMap((p, k) => {
    const before = view.shape === "step" && k > 0 ? [at(p.x, points[k - 1].low)] : [];
    return [...before, at(p.x, p.low)];
  });
  return `${upper}L${lower.reverse().map((corner) => corner.join(" ")).join("L")}Z`;
}

function joined(corners, shape) {
  const next = shape === "step" ? ([x, y]) => `H${x}V${y}` : ([x, y]) => `L${x} ${y}`;
  return corners.map((corner, k) => (k === 0 ? `M${corner.join(" ")}` : next(corner))).join("");
}

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

const GAP = 16;
const MOST_READ = 13;

/** Let a panel of curves be read: a line where the pointer is, and the values of all there. */
function readable(svg, view, visible, xAxis, yAxis) {
  const { left, right, top, bottom, width, height } = SIZE;
  const stops = [...new Set(visible.flatMap(([, points]) => points.map(({ x }) => x)))]
    .filter((x) => x >= xAxis.low * (1 - 1e-9) && x <= xAxis.high * (1 + 1e-9))
    .sort((a, b) => xAxis.place(a) - xAxis.place(b));
  if (stops.length === 0) return;
  const line = drawing("line", { y1: top, y2: height - bottom });
  const spots = drawing("g");
  const cursor = drawing("g", { class: "cursor", visibility: "hidden" }, line, spots);
  svg.append(cursor);
  let at = stops.length - 1;

  function read(stop) {
    at = Math.max(0, Math.min(stops.length - 1, stop));
    const x = stops[at];
    const place = xAxis.place(x);
    const there = visible
      .map(([name, points]) => [name, view.shape === "line" ? points.find((p) => p.x === x) : pointAt(points, x)])
      .filter(([, point]) => point && !Number.isNaN(point.y))
      .sort(([, a], [, b]) => (view.share ? b.y - a.y : a.y - b.y));
    line.setAttribute("x1", place);
    line.setAttribute("x2", place);
    spots.replaceChildren(
      ...there
        .filter(([, { y }]) => Number.isFinite(y))
        .map(([name, { y }]) => drawing("circle", { cx: place, cy: yAxis.place(y), r: 3.5, fill: LOOKS.get(name)?.color })),
    );
    cursor.setAttribute("visibility", "visible");
    const rows = there.map(([name, { y, low, high, cut }]) => [name, withLimits(y, low, high) + (cut ? ", runs cut" : "")]);
    const box = svg.getBoundingClientRect();
    showTip(`${view.x_label}: ${printed(x)}`, rows, box, box.left + (place / width) * box.width);
  }

  function leave() {
    cursor.setAttribute("visibility", "hidden");
    tip.hidden = true;
  }

  function nearest(event) {
    const box = svg.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * width;
    const distance = (stop) => Math.abs(xAxis.place(stop) - x);
    return stops.reduce((best, stop, k) => (distance(stop) < distance(stops[best]) ? k : best), 0);
  }

  const keys = { ArrowLeft: () => at - 1, ArrowRight: () => at + 1, Home: () => 0, End: () => stops.length - 1 };
  svg.addEventListener("pointermove", (event) => read(nearest(event)));
  svg.addEventListener("pointerleave", leave);
  svg.addEventListener("blur", leave);
  svg.addEventListener("keydown", (event) => {
    if (event.key === "Escape") leave();
    if (!(event.key in keys)) return;
    event.preventDefault();
    read(keys[event.key]());
  });
}

/** Show values as a heading and rows of a name and a value: beside x, or below the box on a narrow screen. */
function showTip(heading, rows, box, x) {
  const lines = rows.slice(0, MOST_READ).map(([name, value]) => element("div", {}, named(name), element("b", {}, value)));
  if (rows.length > MOST_READ) lines.push(element("p", {}, `and ${rows.length - MOST_READ} more`));
  tip.replaceChildren(element("p", {}, heading), ...lines);
  tip.hidden = false;
  const { width, height } = tip.getBoundingClientRect();
  const right = x + GAP + width <= document.documentElement.clientWidth;
  const beside = right ? x + GAP : x - GAP - width;
  const fits = beside >= 0;
  const y = fits ? box.top + 0.2 * box.height : box.bottom;
  tip.style.left = `${fits ? beside : GAP}px`;
  tip.style.top = `${Math.max(0, Math.min(y, innerHeight - height))}px`;
}

const RANK_LEFT = 118;
const MOST_TICKS = 13;
const FEW_TICKS = 5;

function rankPanel(panel, title) {
  const ranks = [...panel.series]
    .filter(([name]) => !HIDDEN.has(name))
    .map(([name, [point]]) => ({ name, rank: point.x, width: point.width }))
    .sort((a, b) => a.rank - b.rank);
  const { right, top, width } = SIZE;
  const bottom = top + ROW * ranks.length;
  const count = panel.series.size;
  const step = count <= MOST_TICKS ? 1 : Math.ceil(count / FEW_TICKS);
  const whole = [...Array(count).keys()].map((k) => k + 1).filter((rank) => rank === 1 || rank % step === 0);
  const ticks = whole.map((rank) => ({ value: rank, text: String(rank) }));
  const axis = linearAxis(1, Math.max(count, 2), RANK_LEFT, width - right - 8, ticks);
  const rows = ranks.map((one, k) => rankRow(one, top + ROW * (k + 0.5), axis));
  const text = (x, y, said, more) => drawing("text", { x, y, ...more }, said);
  const said = ranks.map(({ name, rank }) => `${name} ${printed(rank)}`).join("; ");
  const svg = drawing(
    "svg",
    { viewBox: `0 0 ${width} ${bottom + 24}`, role: "img", "aria-label": `${title}, ${panel.title}: ${said}` },
    text(0, 14, panel.title, { class: "title" }),
    ...tieBar(ranks, axis, top, bottom),
    drawing(
      "g",
      { class: "grid" },
      ...ticks.map(({ value }) => drawing("line", { x1: axis.place(value), x2: axis.place(value), y1: top, y2: bottom })),
      ...ticks.map((tick) => text(axis.place(tick.value), bottom + 15, tick.text, { "text-anchor": "middle" })),
    ),
    ...rows,
  );
  return element("div", { class: "panel" }, svg);
}

function rankRow({ name, rank }, y, axis) {
  const { color } = LOOKS.get(name) ?? { color: "gray" };
  return drawing(
    "g",
    { class: "rank" },
    drawing("text", { x: RANK_LEFT - 10, y: y + 4, "text-anchor": "end" }, name.length > 17 ? `${name.slice(0, 16)}…` : name),
    drawing("circle", { cx: axis.place(rank), cy: y, r: 4.5, fill: color }, drawing("title", {}, `average rank ${printed(rank)}`)),
  );
}

function tieBar(ranks, axis, top, bottom) {
  const [best] = ranks;
  if (!best || Number.isNaN(best.width)) return [];
  const x = axis.place(best.rank);
  const end = Math.min(axis.place(best.rank + best.width), SIZE.width);
  return [drawing("rect", { class: "ties", x, y: top, width: end - x, height: bottom - top })];
}
