// Charts: curves as small panels, with the values under the pointer.

const SIZE = { width: 340, height: 220, left: 62, right: 12, top: 26, bottom: 36 };
const tip = element("div", { class: "tip", role: "status", hidden: "" });
let clips = 0;

/** Draw the first view of a chart into its place. A promise of what draws the chosen one again. */
async function showChart(place, chart) {
  const shown = {};
  const note = document.getElementById(`note-${chart.name}`);
  const panels = element("div", { class: "panels" });
  const controls = element("div", { class: "filters" });
  const buttons = chart.views.map((view) => element("button", { type: "button", onclick: () => choose(view) }, view.label));
  const views = element("div", { class: "switch", role: "group", "aria-label": chart.title }, ...buttons);

  async function choose(view) {
    shown.view = view;
    const table = await tableOf(view.table);
    if (view !== shown.view) return;
    const spaces = spacesOf(table);
    const kept = Math.max(0, spaces.findIndex(({ text }) => text === shown.space?.text));
    Object.assign(shown, { table, space: spaces[kept] });
    for (const [k, button] of buttons.entries()) button.setAttribute("aria-pressed", chart.views[k] === view);
    const list = chooser("Dimension", spaces, (space) => redraw(Object.assign(shown, { space })), kept);
    controls.replaceChildren(...(buttons.length > 1 ? [views] : []), ...(spaces.length > 1 ? [list] : []));
    note.textContent = view.note;
    redraw();
  }

  function redraw() {
    const all = panelsOf(shown.view, shown.table, shown.space?.value);
    panels.replaceChildren(...all.map(curvePanel(shown.view, all, chart.title)));
  }

  await choose(chart.views[0]);
  place.replaceChildren(controls, panels);
  return redraw;
}

/** What draws the panels of a view, which share their scale of x. */
function curvePanel(view, all, title) {
  const begun = (point) => (view.share ? point.y > 0 : Number.isFinite(point.y));
  const xs = all.flatMap(({ series }) => [...series.values()].flat().filter(begun).map(({ x }) => x));
  const { left, right, top, bottom, width, height } = SIZE;
  const ends = [left, width - right];
  const xAxis = logAxis(xs, ...(view.easy_to_hard ? ends.reverse() : ends));
  const last = Math.max(...xs);
  return (panel) => {
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
    const label = `${title}, ${panel.title || view.label}. Use the arrow keys to read the values.`;
    const svg = drawing(
      "svg",
      { viewBox: `0 0 ${width} ${height}`, tabindex: 0, role: "img", "aria-label": label },
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
  const path = (part, more) => drawing("path", { d: joined(part.map((p) => at(p.x, p.y)), view.shape), stroke: color, ...more });
  const end = Math.max(known.filter(({ cut }) => !cut).length, 1); // at least one point is observed
  const drawn = [path(known.slice(0, end), { "stroke-dasharray": dash, class: "curve" })];
  if (banded.length > 1) drawn.unshift(drawing("path", { d: band(view, banded, at), fill: color, class: "band" }));
  if (end < known.length) drawn.push(path(known.slice(end - 1), { fill: "none", "stroke-width": 0.7 }));
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
  const wanted = Object.entries({ ...space, ...view.only }).filter(([name]) => columns.has(name));
  const [names, keys] = [at("algorithm"), at(view.panel)];
  const panels = new Map();
  for (let row = 0; row < names.length; row++) {
    if (!wanted.every(([name, value]) => String(at(name)[row]) === value)) continue;
    const key = view.panel ? String(keys[row]) : "";
    const title = key === "all" ? "all functions" : (DATA.functions[key] ?? (key && `f${key}`));
    if (!panels.has(key)) panels.set(key, { key, title, series: new Map() });
    const { series } = panels.get(key);
    if (!series.has(names[row])) series.set(names[row], []);
    const [x, y, low, high] = [view.x, view.y, view.low, view.high].map((name) => at(name)[row] ?? NaN);
    series.get(names[row]).push({ x, y, low, high, cut: at("observed")[row] < 1 });
  }
  const found = [...panels.values()];
  for (const points of found.flatMap(({ series }) => [...series.values()])) points.sort((a, b) => a.x - b.x);
  const whole = found.length === 2 ? [] : found.filter(({ key }) => key === "all");
  const parts = found.filter(({ key }) => key !== "all");
  return [...whole, ...parts.sort((a, b) => compared(a.key, b.key))];
}

/** The suites and dimensions that a table has; all dimensions together where there are several. */
function spacesOf(table) {
  const [suites, dimensions] = ["suite", "dimension"].map((name) => decoded(table.columns.find((c) => c.name === name)).map(String));
  const several = new Set(suites).size > 1;
  const found = new Map();
  for (const [row, dimension] of dimensions.entries()) {
    const text = (several ? `${suites[row]}, ` : "") + dimension;
    found.set(text, { text, value: { suite: suites[row], dimension } });
  }
  const spaces = [...found.values()];
  const parts = spaces.filter(({ value }) => value.dimension !== "all");
  return parts.length === 1 ? parts : spaces;
}

/** The last point at or before x: what a step curve shows there; none behind its end. */
function pointAt(points, x) {
  const end = x * (1 + 1e-9);
  return x > points.at(-1).x * (1 + 1e-9) ? undefined : points.findLast((point) => point.x <= end);
}

const GAP = 16;
const MOST_READ = 13;

/** Let a panel of curves be read: a line where the pointer is, and the values of all there. */
function readable(svg, view, visible, xAxis, yAxis) {
  const { top, bottom, width, height } = SIZE;
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
    const drawn = there.filter(([, { y }]) => Number.isFinite(y));
    spots.replaceChildren(
      ...drawn.map(([name, { y }]) => drawing("circle", { cx: place, cy: yAxis.place(y), r: 3.5, fill: LOOKS.get(name)?.color })),
    );
    cursor.setAttribute("visibility", "visible");
    const rows = there.map(([name, { y, low, high, cut }]) => [name, printed(y) + between(low, high) + (cut ? ", runs cut" : "")]);
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
