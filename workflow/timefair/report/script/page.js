// The page: charts are drawn one after the other when the browser is idle; tables when they are
// opened, and for paper the short ones.

const LOOKS = new Map(DATA.algorithms.map((look) => [look.name, look]));
const HIDDEN = new Set(DATA.algorithms.filter(({ shown }) => !shown).map(({ name }) => name));
const MANY = HIDDEN.size > 0;

document.documentElement.classList.add("scripted");
document.body.append(tip);

const redraws = [];
const idle = (next) => globalThis.requestIdleCallback?.(next, { timeout: 100 }) ?? setTimeout(next, 50);
async function drawFrom(place) {
  const chart = DATA.charts[place];
  if (!chart) return;
  redraws.push(await showChart(document.getElementById(`chart-${chart.name}`), chart));
  idle(() => drawFrom(place + 1));
}
addEventListener("load", () => drawFrom(0));

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

addEventListener("beforeprint", () => {
  const short = tables.filter(({ dataset }) => DATA.tables[dataset.table].columns);
  short.forEach(fill);
  for (const details of [...short, ...document.querySelectorAll("details:not([data-table], .long)")]) {
    details.open = true;
  }
});
