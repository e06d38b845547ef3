// The page: charts are drawn at once, tables when they are opened, and for paper the short ones.

const PRINTED_ROWS = 40;
const DATA = JSON.parse(document.getElementById("data").textContent);
const LOOKS = new Map(DATA.algorithms.map((look) => [look.name, look]));
const HIDDEN = new Set();

document.documentElement.classList.add("scripted");
document.body.append(tip);

const redraws = DATA.charts.map((chart) => showChart(document.getElementById(`chart-${chart.name}`), chart));

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
  if (!place.hasChildNodes()) showTable(place, DATA.tables[details.dataset.table]);
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
  const short = tables.filter(({ dataset }) => DATA.tables[dataset.table].shown <= PRINTED_ROWS);
  const others = [...document.querySelectorAll("details:not([data-table], .long)")];
  closed = [...short, ...others].filter(({ open }) => !open);
  short.forEach(fill);
  for (const details of closed) details.open = true;
});
addEventListener("afterprint", () => {
  for (const details of closed) details.open = false;
});
