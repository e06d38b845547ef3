// Average ranks: a line an algorithm, the best on top, and a bar of what may be as good.

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
  const svg = drawing(
    "svg",
    panelAttributes(width, bottom + 24, `${title}, ${panel.title}`),
    text(0, 14, panel.title, { class: "title" }),
    ...tieBar(ranks, axis, top, bottom),
    drawing(
      "g",
      { class: "grid" },
      ...ticks.map(({ value }) => drawing("line", { x1: axis.place(value), x2: axis.place(value), y1: top, y2: bottom })),
      ...ticks.map(({ value, text: said }) => text(axis.place(value), bottom + 15, said, { "text-anchor": "middle" })),
    ),
    ...rows,
  );
  readableRows(svg, ranks, rows);
  return element("div", { class: "panel" }, svg);
}

function rankRow({ name, rank }, y, axis) {
  const { color } = LOOKS.get(name) ?? { color: "gray" };
  return drawing(
    "g",
    { class: "rank" },
    drawing("rect", { x: 0, y: y - ROW / 2, width: SIZE.width, height: ROW }),
    drawing("text", { x: RANK_LEFT - 10, y: y + 4, "text-anchor": "end" }, name.length > 17 ? `${name.slice(0, 16)}…` : name),
    drawing("circle", { cx: axis.place(rank), cy: y, r: 4.5, fill: color }),
  );
}

function tieBar(ranks, axis, top, bottom) {
  const [best] = ranks;
  if (!best || Number.isNaN(best.width)) return [];
  const x = axis.place(best.rank);
  const end = Math.min(axis.place(best.rank + best.width), SIZE.width);
  return [drawing("rect", { class: "ties", x, y: top, width: end - x, height: bottom - top })];
}

function readableRows(svg, ranks, rows) {
  let at = -1;
  const tied = (rank) => rank - ranks[0].rank <= ranks[0].width;
  function read(k) {
    at = Math.max(0, Math.min(ranks.length - 1, k));
    const { name, rank } = ranks[at];
    rows.forEach((row, other) => row.classList.toggle("read", other === at));
    const known = !Number.isNaN(ranks[0].width);
    const heading = !known || at === 0 ? "average rank" : tied(rank) ? "average rank, tied with the best" : "average rank, behind the best";
    const { left, width, bottom } = rows[at].getBoundingClientRect();
    showTip(heading, [[name, printed(rank)]], { top: bottom, height: 0, bottom }, left + 0.6 * width);
  }
  function leave() {
    rows.forEach((row) => row.classList.remove("read"));
    tip.hidden = true;
  }
  rows.forEach((row, k) => row.addEventListener("pointerenter", () => read(k)));
  svg.addEventListener("pointerleave", leave);
  svg.addEventListener("blur", leave);
  svg.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape") leave();
    if (step === undefined) return;
    event.preventDefault();
    read(at + step);
  });
}
