// Styles that only some views need.

import { el } from "./dom.js";

export function stylesheet(href) {
  if (!document.querySelector(`link[href="${href}"]`)) document.head.append(el("link", { rel: "stylesheet", href }));
}
