// The page: charts are drawn when they come into sight, and the others when the browser is idle;
// tables when they are opened, and for paper the short ones.

const NEAR = "400px 0px";
const LOOKS = new Map(DATA.algorithms.map((look) => [look.name, look]));
const HIDDEN = new Set(DATA.algorithms.filter(({ shown }) => !shown).map(({ name }) => name));
const MANY = HIDDEN.size > 0;

document.documentElement.classList.add("scripted");
document.body.append(tip);

const waiting = new Map(DATA.charts.map((chart) => [document.getElementById(`chart-${chart.name}`), chart]));
const redraws = [];

async function drawChart(place) {
  const chart = waiting.get(place);
  if (!waiting.delete(place)) return;
  near.unobserve(place);
  redraws.push(await showChart(place, chart));
}

const near = new IntersectionObserver(
  (entries) => entries.filter((entry) => entry.isIntersecting).forEach((entry) => drawChart(entry.target)),
  { rootMargin: NEAR },
);
for (const place of waiting.keys()) near.observe(place);

const idle = globalThis.requestIdleCallback ?? ((next) => setTimeout(next, 50));
async function drawNext() {
  const [place] = waiting.keys();
  if (!place) return;
  await drawChart(place);
  idle(drawNext);
}
addEventListener("load", () => idle(drawNext));

// Headings that a link leads to stay below the legend.
const legend = document.querySelector(".legend");
if (legend) {
  const style = document.documentElement.style;
  new ResizeObserver(() => style.setProperty("--legend", `${legend.offsetHeight}px`)).observe(legend);
}

for (const button of document.querySelectorAll(".legend button")) {
  button.addEventListener("click", () => {
    const name = button.dataset.algorithm;
    if (!HIDDEN.delete(name)) HIDDEN.add(name);
    button.setAttribute("aria-pressed", String(!HIDDEN.has(name)));
    for (const redraw of redraws) redraw();
  });
}

const tables = [...document.querySelectorAll("details[data-table]")];

function fill(details) {
  const place = details.querySelector(".place");
  const table = DATA.tables[details.dataset.table];
  if (place.hasChildNodes()) return;
  if (table.columns) showTable(place, table);
  else tableOf(table.name).then((known) => place.hasChildNodes() || showTable(place, known));
}

for (const details of tables) {
  details.addEventListener("toggle", () => details.open && fill(details));
}

function openTarget() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const details = target?.closest("details");
  if (details) details.open = true;
}
addEventListener("hashchange", openTarget);
openTarget();

let closed = [];
addEventListener("beforeprint", () => {
  const short = tables.filter(({ dataset }) => DATA.tables[dataset.table].columns);
  const others = [...document.querySelectorAll("details:not([data-table], .long)")];
  closed = [...short, ...others].filter(({ open }) => !open);
  short.forEach(fill);
  for (const details of closed) details.open = true;
});
addEventListener("afterprint", () => {
  for (const details of closed) details.open = false;
});
