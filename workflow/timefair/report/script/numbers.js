// Numbers: out of the compact form, and as a person reads them.

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

/** A value and its limits, where it has any. */
function withLimits(value, low, high) {
  const known = low !== undefined && !Number.isNaN(low) && !Number.isNaN(high);
  return printed(value) + (known ? ` [${printed(low)}, ${printed(high)}]` : "");
}

/** By size, texts by the alphabet with numbers in them as numbers, NaN last. */
function compared(a, b) {
  if (typeof a === "string") return ALPHABET.compare(a, b);
  if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) - Number.isNaN(b);
  return a === b ? 0 : a < b ? -1 : 1;
}
