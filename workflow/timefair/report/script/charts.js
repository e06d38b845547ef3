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
