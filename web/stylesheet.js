// Styles that only some views need.

import { el } from "./dom.js";

const asked = new Map();

/** Resolves once the style is there, or will not come: what it is for is shown without it then. */
export function stylesheet(href) {
  if (!asked.has(href)) asked.set(href, ask(href));
  return asked.get(href);
}

const ask = (href) =>
  new Promise((resolve) =>
    document.head.append(el("link", { rel: "stylesheet", href, onload: resolve, onerror: resolve })),
  );
