// Numbers, elements and axes; the explorer of databases has them, too.

const SUPERSCRIPT = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };
const ALPHABET = new Intl.Collator("en", { numeric: true });
const SPECIAL = { inf: Infinity, "-inf": -Infinity };

/** The values of a column: numbers, with NaN for null, or texts, with "" for none. */
function decoded(column) {
  column.decoded ??= column.words
    ? column.codes.map((code) => column.words[code] ?? "")
    : column.values.map((value) => (value === null ? NaN : (SPECIAL[value] ?? value)));
  return column.decoded;
}

/** Three significant digits; whole numbers whole; powers of ten where zeros would be counted. */
function printed(value) {
  if (typeof value === "string") return value;
  if (Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e6)) {
    const [digits, power] = value.toExponential(2).split("e");
    return (Number(digits) === 1 ? "" : `${minus(String(Number(digits)))}·`) + tenTo(Number(power));
  }
  return minus(String(Number.isInteger(value) ? value : Number(value.toPrecision(3))));
}

function tenTo(power) {
  return "10" + [...String(power)].map((digit) => SUPERSCRIPT[digit]).join("");
}

function minus(text) {
  return text.replace("-", "−");
}

/** The limits of a value in brackets; nothing without them. */
function between(low = NaN, high = NaN) {
  return Number.isNaN(low) || Number.isNaN(high) ? "" : ` [${printed(low)}, ${printed(high)}]`;
}

/** By size, texts by the alphabet with numbers in them as numbers, NaN last. */
function compared(a, b) {
  if (typeof a === "string") return ALPHABET.compare(a, b);
  if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) - Number.isNaN(b);
  return a === b ? 0 : a < b ? -1 : 1;
}

const SVG = "http://www.w3.org/2000/svg";

/** An element with attributes and children; texts are never taken for HTML. */
function element(name, attributes = {}, ...children) {
  return built(document.createElement(name), attributes, children);
}

function drawing(name, attributes = {}, ...children) {
  return built(document.createElementNS(SVG, name), attributes, children);
}

function built(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined) node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

/** A list of named values to choose from, with its label. */
function chooser(label, options, chosen, first = 0) {
  const names = options.map(({ text }) => element("option", {}, text));
  const select = element("select", { onchange: () => chosen(options[select.selectedIndex]) }, ...names);
  select.selectedIndex = first;
  return element("label", { class: "chooser" }, `${label} `, select);
}

/** An algorithm's name behind a spot of its colour. */
function named(algorithm) {
  const colour = LOOKS.get(algorithm)?.color;
  const style = colour ? `--look: ${colour}` : null;
  return element("span", { class: colour ? "algorithm" : null, style }, algorithm);
}

const MARGIN = 0.03;

/** A logarithmic axis over the positive values, with 0 a decade below where there is one. */
function logAxis(values, from, to) {
  const positive = values.filter((value) => value > 0 && Number.isFinite(value));
  if (positive.length === 0) positive.push(1);
  let [low, high] = [Math.log10(Math.min(...positive)), Math.log10(Math.max(...positive))];
  const floor = values.includes(0) ? Math.floor(low) - 1 : null;
  if (floor !== null) low = floor;
  if (high - low < 0.3) [low, high] = [low - 0.15, high + 0.15];
  const ticks = logTicks(low, high, floor);
  const margin = MARGIN * (high - low);
  [low, high] = [low - margin, high + margin];
  const place = (value) => {
    const log = value > 0 ? Math.log10(value) : (floor ?? low - 1);
    return from + ((Math.min(log, high + 9) - low) / (high - low)) * (to - from);
  };
  return { place, ticks, low: 10 ** low, high: 10 ** high };
}

function logTicks(low, high, floor) {
  const decades = [];
  const step = Math.max(1, Math.ceil((high - low) / 5));
  for (let power = Math.ceil(low - 1e-9); power <= high + 1e-9; power += step) decades.push(power);
  if (decades.length > 1 || floor !== null) {
    return decades.map((power) => ({ value: 10 ** power, text: power === floor ? "0" : tenTo(power) }));
  }
  const ticks = [];
  for (let power = Math.floor(low); power <= high; power++) {
    for (const digit of [1, 2, 5]) {
      const value = digit * 10 ** power;
      if (Math.log10(value) >= low && Math.log10(value) <= high) ticks.push({ value, text: printed(Number(value.toPrecision(1))) });
    }
  }
  return ticks;
}

function linearAxis(low, high, from, to, ticks) {
  const place = (value) => from + ((value - low) / (high - low)) * (to - from);
  return { place, ticks, low, high };
}

const PERCENT = [0, 0.25, 0.5, 0.75, 1].map((value) => ({ value, text: `${100 * value} %` }));
