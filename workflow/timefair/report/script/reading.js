// Values under the pointer, or under a cursor that the arrow keys move.

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
