// Elements of the page.

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

/** A list to choose from, with its label. */
function chooser(label, options, chosen) {
  const select = element(
    "select",
    { onchange: () => chosen(options[select.selectedIndex].value) },
    ...options.map(({ text }) => element("option", {}, text)),
  );
  return element("label", { class: "chooser" }, `${label} `, select);
}

/** An algorithm's name behind a spot of its colour. */
function named(algorithm) {
  const colour = LOOKS.get(algorithm)?.color;
  const style = colour ? `--look: ${colour}` : null;
  return element("span", { class: colour ? "algorithm" : null, style }, algorithm);
}
