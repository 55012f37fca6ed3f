// The one line that says how a game stands for whoever looks at it.

import { isolated } from "../dom.js";
import { awaited } from "../fold.js";
import { has, t } from "../i18n.js";

/** @param {import("../parlor.js").View} view */
export function headline(view) {
  const { status, self, sync, result, waits } = view;
  const nick = nicks(view);
  switch (status) {
    case "waiting":
      return t(self ? "headline.waiting" : "headline.seat_free");
    case "aborted":
      return t("headline.aborted");
    case "finished":
      return ending(result, self, nick);
  }
  if (sync.undo === "approving") return t("headline.asked_undo");
  if (sync.undo === "requesting") return t("headline.asking_undo");
  if (waits.some(({ name }) => name === "ack")) return t("headline.wave");
  if (sync.turn === "my_turn")
    return t(waits.some(({ name }) => name === "start") ? "headline.start" : "headline.my_turn");
  const boxes = awaited(view);
  return boxes.length ? t("headline.turn", { nick: names(boxes.map(nick)), n: boxes.length }) : t("headline.others");
}

function ending(result, self, nick) {
  const how = has(`ending.${result.reason}`) ? ` ${t(`ending.${result.reason}`)}` : "";
  if (!result.winners.length) return t("headline.draw") + how;
  if (self && result.winners.includes(self.box))
    return t(result.winners.length > 1 ? "headline.shared" : "headline.won") + how;
  if (self) return t("headline.lost") + how;
  return t("headline.winner", { nick: names(result.winners.map(nick)), n: result.winners.length }) + how;
}

const names = (list) => new Intl.ListFormat(document.documentElement.lang, { type: "conjunction" }).format(list);

/** Names by box, each keeping its writing direction to itself. @param {import("../parlor.js").View} view */
export const nicks = (view) => (box) =>
  isolated(view.players.find((player) => player.box === box)?.nick ?? t("seat.nobody"));
