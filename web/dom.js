// Elements from words; text is always text, never markup.

const SVG = "http://www.w3.org/2000/svg";

/**
 * Makes an HTML element. Attributes: `on…` are listeners, booleans toggle, `class` and the rest are set as they are.
 *
 * @param {string} tag @param {Record<string, any>} [attributes] @param {...(Node | string | null | false)} children
 */
export const el = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);

/** Makes an SVG element. */
export const svg = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

function fill(node, attributes = {}, children) {
  set(node, attributes);
  node.append(...children.flat(9).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** Sets attributes; only real changes touch the document. */
export function set(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node[name] = value;
    else if (value === false || value === null || value === undefined) node.removeAttribute(name);
    else {
      const text = value === true ? "" : String(value);
      if (node.getAttribute(name) !== text) node.setAttribute(name, text);
    }
  }
  return node;
}

/** Only a real change is written, so that a live region is read out once. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** A name, whose writing direction is its own business. */
export const nameOf = (nick) => el("bdi", { class: "nick" }, nick);

/** The same inside a sentence: Unicode's first-strong isolate. */
export const isolated = (nick) => `\u2068${nick}\u2069`;

/** A name short and tame enough to be drawn on a board. */
export function shortName(nick, most = 14) {
  const letters = [...nick.replace(/(\p{M}{2})\p{M}+/gu, "$1").replace(/[\u202a-\u202e\u2066-\u2069]/gu, "")];
  return isolated(letters.length > most ? `${letters.slice(0, most - 1).join("")}…` : letters.join(""));
}

export const button = (label, onclick, attributes = {}) =>
  el("button", { type: "button", onclick, ...attributes }, label);

const still = matchMedia("(prefers-reduced-motion: reduce)");

/** Animates, unless the person wants things to keep still. */
export function animate(node, frames, options) {
  return still.matches ? null : node.animate(frames, { easing: "cubic-bezier(.3,.7,.2,1)", ...options });
}

export const seconds = (ms) => Math.ceil(ms / 1000);

export function minutes(ms) {
  const whole = seconds(ms);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

/** Shows these nodes; those that look the same stay, so that a click or the focus is not lost to a rerender. */
export function refresh(host, nodes) {
  const before = [...host.childNodes];
  nodes.forEach((node, i) => {
    const old = before[i];
    if (!old) host.append(node);
    else if (old.isEqualNode(node)) old.onclick = node.onclick;
    else old.replaceWith(node);
  });
  for (const surplus of before.slice(nodes.length)) surplus.remove();
}
