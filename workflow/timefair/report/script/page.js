// The page: short tables as they are, and long ones, unpacked when they are first needed; charts,
// which are drawn one after the other when the browser is idle.

const DATA = JSON.parse(document.getElementById("data").textContent);
const unpacked = new Map();

/** A promise of a table with its columns. */
function tableOf(name) {
  const known = DATA.tables[name];
  if (known.columns) return Promise.resolve(known);
  if (!unpacked.has(name)) unpacked.set(name, unpack(name));
  return unpacked.get(name);
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
  const shown = { filters: new Map(), by: null, downwards: false, most: FIRST_ROWS };
  const body = element("tbody");
  const count = element("p", { class: "count", role: "status" });
  const more = element("button", { type: "button", class: "more", onclick: extend });
  const head = seen.map((column) => heading(column, () => sortBy(column)));

  function chosen() {
    const kept = rows.filter((row) =>
      [...shown.filters].every(([column, value]) => String(column.all[row]) === value),
    );
    if (shown.by === null) return kept;
    const way = shown.downwards ? -1 : 1;
    const { all } = shown.by;
    return kept.sort((a, b) => {
      const unknown = Number.isNaN(all[a]) || Number.isNaN(all[b]);
      return (unknown ? 1 : way) * compared(all[a], all[b]) || a - b;
    });
  }

  function sortBy(column) {
    shown.downwards = shown.by === column && !shown.downwards;
    shown.by = column;
    for (const [k, other] of seen.entries()) {
      const order = shown.downwards ? "descending" : "ascending";
      head[k].setAttribute("aria-sort", other === column ? order : "none");
    }
    refresh();
  }

  function extend() {
    shown.most += MORE_ROWS;
    refresh();
  }

  function refresh() {
    const kept = chosen();
    const visible = kept.slice(0, shown.most);
    body.replaceChildren(...visible.map((row) => tableRow(row, seen, columns)));
    const left = kept.length - visible.length;
    more.hidden = left === 0;
    more.textContent = `Show ${Math.min(left, MORE_ROWS)} more`;
    count.textContent = counted(visible.length, kept.length, table);
  }

  const filters = rows.length < FILTERED_FROM ? [] : seen.filter((column) => column.key);
  place.replaceChildren(
    element("p", { class: "shared" }, same.map((c) => `${c.label}: ${c.name === "function" ? withName(c.all[0]) : printed(c.all[0])}`).join(" · ")),
    element("div", { class: "filters" }, ...filters.map((c) => filter(c, shown, refresh)).filter(Boolean)),
    element(
      "div",
      { class: "scroll", tabindex: 0, role: "region", "aria-label": table.title },
      element("table", {}, element("thead", {}, element("tr", {}, ...head)), body),
    ),
    element("div", { class: "below" }, count, more),
  );
  refresh();
}

/** A function by its number and name, or by its number alone if it has no name. */
function withName(number) {
  return DATA.functions[number] ?? printed(number);
}

function heading(column, sort) {
  const button = element("button", { type: "button", title: column.meaning || null, onclick: sort }, column.label);
  return element("th", { scope: "col", class: column.words ? null : "number", "aria-sort": "none" }, button);
}

function filter(column, shown, refresh) {
  const values = [...new Set(column.all)].sort(compared);
  if (values.length < 2 || values.length > MOST_CHOICES) return null;
  const text = column.name === "function" ? withName : printed;
  const options = values.map((value) => ({ text: text(value), value: String(value) }));
  return chooser(column.label, [{ text: "all", value: null }, ...options], (value) => {
    if (value === null) shown.filters.delete(column);
    else shown.filters.set(column, value);
    refresh();
  });
}

function tableRow(row, seen, columns) {
  const cells = seen.map((column) => {
    const value = column.all[row];
    if (column.name === "function") return element("td", { class: column.words ? null : "number" }, withName(value));
    if (column.words) return element("td", {}, named(value));
    const limits = column.limits.map((place) => columns[place].all[row]);
    return element("td", { class: "number" }, withLimits(value, ...limits));
  });
  return element("tr", {}, ...cells);
}

function counted(visible, kept, table) {
  const of = kept < table.shown ? `${kept} chosen` : `${kept}`;
  const left = table.shown < table.rows ? ` Rows that repeat their neighbours are omitted: the file has ${table.rows} rows.` : "";
  return `${visible === kept ? visible : `${visible} of ${of}`} rows.${left}`;
}

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
