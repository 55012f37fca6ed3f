// For games that nobody has drawn yet: what the server tells, and its legal moves as buttons.

import { button, el, refresh } from "../dom.js";

/** @param {HTMLElement} host @param {import("./index.js").Hands} hands @returns {import("./index.js").Board} */
export function board(host, { play, tray }) {
  const shown = el("pre", { class: "plain-board", tabindex: 0 });
  host.append(shown);
  return {
    update(view) {
      shown.textContent = JSON.stringify(view.gamestate, null, 2);
      refresh(
        tray,
        (view.legal_moves ?? []).map((move) => button(JSON.stringify(move), () => play(move))),
      );
    },
  };
}
