// Short words at the edge of the page, read out to those who do not see them.

import { animate, el } from "./dom.js";

const SHOWN_MS = 5_000;

/** @param {string} text @param {"good" | "bad"} [mood] */
export function toast(text, mood = "good") {
  const shown = el("p", { class: "toast", "data-mood": mood }, text);
  const host = document.getElementById("toasts");
  for (const older of [...host.children].filter((other) => other.textContent === text)) older.remove();
  host.append(shown);
  animate(shown, [{ opacity: 0, transform: "translateY(.5rem)" }, {}], { duration: 200 });
  setTimeout(() => shown.remove(), SHOWN_MS);
  shown.onclick = () => shown.remove();
}
