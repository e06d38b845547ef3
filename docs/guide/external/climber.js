#!/usr/bin/env node
// A hill climber with an adaptive step, for timefair: `use: "external:./climber.js"`.
//
// Parameters: step (0.25), the largest move over the width of the bounds; offspring (1), points
// that are tried at a time. It ends when the step has become tiny.
"use strict";
const fs = require("fs");

const chunk = Buffer.alloc(65536);
let text = "";

/** The next line from timefair; the end of its input ends this process. */
function readLine() {
  let end;
  while ((end = text.indexOf("\n")) < 0) {
    const read = fs.readSync(0, chunk);
    if (read === 0) process.exit(0);
    text += chunk.toString("utf8", 0, read);
  }
  const line = text.slice(0, end);
  text = text.slice(end + 1);
  return line;
}

/** The values of points, by timefair. It writes inf, not Infinity: both are no number here. */
function ask(points) {
  const batch = points.length > 1 ? `batch ${points.length}\n` : "";
  fs.writeSync(1, batch + points.map((x) => x.join(" ") + "\n").join(""));
  return points.map(() => Number(readLine()));
}

/** Numbers in [0, 1) by the generator xorshift128 (Marsaglia 2003), the same in any language. */
function numbers(seed) {
  let x = (123456789 ^ (seed % 4294967296)) >>> 0;
  let y = (362436069 ^ Math.floor(seed / 4294967296)) >>> 0;
  let z = 521288629, w = 88675123;
  return () => {
    const t = x ^ (x << 11);
    [x, y, z] = [y, z, w];
    w = (w ^ (w >>> 19) ^ t ^ (t >>> 8)) >>> 0;
    return w / 4294967296;
  };
}

let lower, upper, seed, step = 0.25, offspring = 1;
for (let line; (line = readLine()) !== "begin"; ) {
  const [key, ...values] = line.split(" ");
  if (key === "lower") lower = values.map(Number);
  else if (key === "upper") upper = values.map(Number);
  else if (key === "seed") seed = Number(values[0]);
  else if (key === "parameter" && values[0] === "step") step = Number(values[1]);
  else if (key === "parameter" && values[0] === "offspring") offspring = Number(values[1]);
}

const uniform = numbers(seed);
const width = upper.map((up, i) => up - lower[i]);
const near = (xi, i) =>
  Math.min(Math.max(xi + width[i] * step * (2 * uniform() - 1), lower[i]), upper[i]);

let x = lower.map((lo, i) => lo + width[i] * uniform());
let [fx] = ask([x]);
while (step > 1e-9) {
  const tries = Array.from({ length: offspring }, () => x.map(near));
  let better = false;
  ask(tries).forEach((fy, k) => {
    if (fy < fx) [x, fx, better] = [tries[k], fy, true];
  });
  step *= better ? 1.5 : 0.9;
}
