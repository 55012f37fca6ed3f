// How a round of Cabo ended, as a table.

import { el, nameOf } from "../dom.js";
import { t } from "../i18n.js";

const COLUMNS = ["cabo.player", "cabo.cards", "cabo.round", "cabo.total"];

/** @param {{ lastRound: { hands: number[][], scores: number[] }, totalScores: number[] }} state @param {import("../parlor.js").Player[]} players */
export function scores({ lastRound, totalScores }, players) {
  const cell = (content) => el("td", {}, content);
  const row = ({ box, nick }) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, nameOf(nick)),
      cell(lastRound.hands[box].join(" · ")),
      cell(lastRound.scores[box]),
      cell(totalScores[box]),
    );
  const head = COLUMNS.map((key) => el("th", { scope: "col" }, t(key)));
  const caption = el("caption", {}, t("cabo.last_round"));
  return el(
    "table",
    { class: "scores" },
    caption,
    el("thead", {}, el("tr", {}, head)),
    el("tbody", {}, players.map(row)),
  );
}
