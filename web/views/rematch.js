// Once more with the same people: the lobby's rematch, with its countdown.

import { button, el, seconds, set, setText } from "../dom.js";
import { t } from "../i18n.js";
import { remaining } from "../lobby.js";

/** @param {import("../main.js").App} app @param {string} game @param {(work: () => Promise<any>) => void} command */
export function rematch(app, game, command) {
  const text = el("p", { id: "rematch-title" });
  const send = (name) => () => command(() => app.lobby.command(name, {}, app.lobby.at(game).id));
  const yes = button(t("rematch.yes"), send("revanche"), { class: "main" });
  const no = button(t("rematch.no"), send("cancelrevanche"));
  const node = el(
    "div",
    { class: "question", role: "group", "aria-labelledby": "rematch-title", hidden: true },
    text,
    el("div", { class: "row" }, yes, no),
  );

  function tick() {
    const channel = app.lobby.at(game);
    const value = channel?.state.value;
    set(node, { hidden: value !== "revanche" && value !== "okrevanche" });
    set(yes, { hidden: value !== "revanche" });
    if (node.hidden) return;
    const left = remaining(channel);
    setText(
      text,
      t(value === "revanche" ? "rematch.ask" : "rematch.waiting", { n: left === null ? "" : seconds(left) }),
    );
  }
  return { node, tick, update: tick };
}
