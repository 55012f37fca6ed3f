// What happens at a Cabo table, in words and in cards that fly.

import { has, t } from "../i18n.js";
import { back, numbered } from "./cards.js";

/** The cards that an event sends over the table: what they look like, from where and to where. */
export function flights({ name, data }, where, me) {
  const { playerIndex: box, handCardIndex: i, anotherPlayerIndex: other, anotherPlayerHandCardIndex: j } = data ?? {};
  const seat = where.seats[box];
  switch (name) {
    case "HeapCardTaken":
      return [[back(), where.heap, { ...seat, scale: 0.7 }]];
    case "CardReplaced":
      return [
        [back(), box === me ? where.drawn : { ...seat, scale: 0.7 }, where.hand(box, i)],
        [numbered(data.discardedValue), where.hand(box, i), where.discard],
      ];
    case "Discarded":
      return [[numbered(data.discardedValue), box === me ? where.drawn : { ...seat, scale: 0.7 }, where.discard]];
    case "CardsExchanged":
      return [
        [back(), where.hand(box, i), where.hand(other, j)],
        [back(), where.hand(other, j), where.hand(box, i)],
      ];
    case "DiscardedCardTaken":
      return [[numbered(data.value), where.discard, { ...seat, scale: 0.7 }]];
  }
  return [];
}

/** The keys of cards that an event puts elsewhere, so that what was seen of them no longer holds. */
export function moved({ name, data }) {
  if (name === "CardReplaced") return [`h${data.playerIndex}.${data.handCardIndex}`];
  if (name !== "CardsExchanged") return [];
  return [
    `h${data.playerIndex}.${data.handCardIndex}`,
    `h${data.anotherPlayerIndex}.${data.anotherPlayerHandCardIndex}`,
  ];
}

/** @param {{ name: string, data: any }} news @param {(box: number) => string} nick @param {number} [me] */
export function tell({ name, data }, nick, me) {
  const key =
    data?.playerIndex !== undefined && data.playerIndex === me && has(`cabo.me.${name}`)
      ? `cabo.me.${name}`
      : `cabo.did.${name}`;
  if (!has(key)) return "";
  return t(key, {
    nick: data.playerIndex === undefined ? "" : nick(data.playerIndex),
    other: data.anotherPlayerIndex === undefined ? "" : nick(data.anotherPlayerIndex),
    value: data.discardedValue ?? data.value ?? "",
    values: (data.values ?? []).join(", "),
    n: (data.handCardIndex ?? 0) + 1,
    first: data.value1 ?? "",
    second: data.value2 ?? "",
  });
}
