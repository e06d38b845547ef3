// The data of the page: short tables as they are; a long one is unpacked when it is first needed.

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
