// The page: short tables as they are, and long ones, unpacked when they are first needed; charts,
// which are drawn one after the other.

const DATA = JSON.parse(document.getElementById("data").textContent);
const unpacked = {};

/** A table with its columns. */
async function tableOf(name) {
  return DATA.tables[name].columns ? DATA.tables[name] : (unpacked[name] ??= unpack(name));
}

async function unpack(name) {
  const packed = document.getElementById(`data-${name}`);
  const bytes = Uint8Array.from(atob(packed.textContent), (sign) => sign.charCodeAt(0));
  packed.remove();
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).json();
}

const FIRST_ROWS = 60;
const MORE_ROWS = 500;
const FILTERED_FROM = 25;
const MOST_CHOICES = 40;

/** Fill the place of a table with its filters, its head and its first rows. */
function showTable(place, table) {
  const columns = table.columns.map((column) => ({ ...column, all: decoded(column) }));
  const rows = [...columns[0].all.keys()];
  const isSame = ({ all, hidden }) => rows.length > 1 && !hidden && rows.every((row) => Object.is(all[row], all[0]));
  const same = columns.filter(isSame);
  const seen = columns.filter((column) => !column.hidden && !same.includes(column));
  const shown = { filters: new Map(), by: null, way: 1, most: FIRST_ROWS };
  const body = element("tbody");
  const count = element("p", { class: "count", role: "status" });
  const more = element("button", { type: "button", class: "more", onclick: () => refresh((shown.most += MORE_ROWS)) });
  const head = seen.map((column) => heading(column, () => sortBy(column)));

  function sortBy(column) {
    shown.way = shown.by === column ? -shown.way : 1;
    shown.by = column;
    for (const [k, other] of seen.entries()) {
      const order = shown.way < 0 ? "descending" : "ascending";
      head[k].setAttribute("aria-sort", other === column ? order : "none");
    }
    rows.sort((a, b) => {
      const unknown = Number.isNaN(column.all[a]) || Number.isNaN(column.all[b]);
      return (unknown ? 1 : shown.way) * compared(column.all[a], column.all[b]) || a - b;
    });
    refresh();
  }

  function refresh() {
    const kept = rows.filter((row) => [...shown.filters].every(([column, value]) => String(column.all[row]) === value));
    const visible = kept.slice(0, shown.most);
    body.replaceChildren(...visible.map((row) => tableRow(row, seen, columns)));
    const left = kept.length - visible.length;
    more.hidden = left === 0;
    more.textContent = `Show ${Math.min(left, MORE_ROWS)} more`;
    count.textContent = counted(visible.length, kept.length, table);
  }

  const filters = rows.length < FILTERED_FROM ? [] : seen.filter((column) => column.key);
  const scroll = { class: "scroll", tabindex: 0, role: "region", "aria-label": table.title };
  place.replaceChildren(
    element("p", { class: "shared" }, same.map((column) => `${column.label}: ${said(column, column.all[0])}`).join(" · ")),
    element("div", { class: "filters" }, ...filters.map((column) => filter(column, shown.filters, refresh)).filter(Boolean)),
    element("div", scroll, element("table", {}, element("thead", {}, element("tr", {}, ...head)), body)),
    element("div", { class: "below" }, count, more),
  );
  refresh();
}

/** A value in a column; a function by its number and name, if it has one. */
function said(column, value) {
  return (column.name === "function" && DATA.functions[value]) || printed(value);
}

function heading(column, sort) {
  const button = element("button", { type: "button", title: column.meaning || null, onclick: sort }, column.label);
  return element("th", { scope: "col", class: column.words ? null : "number", "aria-sort": "none" }, button);
}

function filter(column, filters, refresh) {
  const values = [...new Set(column.all)].sort(compared);
  if (values.length < 2 || values.length > MOST_CHOICES) return null;
  const options = values.map((value) => ({ text: said(column, value), value: String(value) }));
  return chooser(column.label, [{ text: "all" }, ...options], ({ value }) => {
    filters.delete(column);
    if (value !== undefined) filters.set(column, value);
    refresh();
  });
}

function tableRow(row, seen, columns) {
  const cells = seen.map((column) => {
    const text = said(column, column.all[row]);
    const limits = column.limits.map((place) => columns[place].all[row]);
    const isName = column.words && column.name !== "function";
    return element("td", { class: column.words ? null : "number" }, isName ? named(text) : text + between(...limits));
  });
  return element("tr", {}, ...cells);
}

function counted(visible, kept, table) {
  const of = kept < table.shown ? `${kept} chosen` : `${kept}`;
  const left = table.shown < table.rows ? ` Curves have fewer points than in the file, which has ${table.rows} rows.` : "";
  return `${visible === kept ? visible : `${visible} of ${of}`} rows.${left}`;
}

const LOOKS = new Map(DATA.algorithms.map((look) => [look.name, look]));
const HIDDEN = new Set(DATA.algorithms.filter(({ shown }) => !shown).map(({ name }) => name));
const MANY = HIDDEN.size > 0;

document.documentElement.classList.add("scripted");
document.body.append(tip);

const redraws = [];
addEventListener("load", async () => {
  for (const chart of DATA.charts) {
    redraws.push(await showChart(document.getElementById(`chart-${chart.name}`), chart));
    await new Promise((next) => setTimeout(next, 20)); // the page answers between two charts
  }
});

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

for (const details of tables) details.addEventListener("toggle", () => details.open && fill(details));

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
  const others = document.querySelectorAll("details:not([data-table], .long)");
  for (const details of [...short, ...others]) details.open = true;
});
