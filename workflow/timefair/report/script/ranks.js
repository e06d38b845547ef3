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
