// Cabo: face-down hands, the heap, the discard pile, and what a drawn card can do.

import { button, el, refresh, shortName, svg } from "../dom.js";
import { t } from "../i18n.js";
import { flights, moved, tell } from "./cabo-news.js";
import { scores } from "./cabo-scores.js";
import { back, numbered, slot } from "./cards.js";
import { seating } from "./seating.js";
import { pressable, responsive, Stage } from "./stage.js";

const SIZES = { wide: [780, 520], tall: [380, 400, 580] };
const LOW = 198; // so that the piles lie clear of the names above them
const PEEK_MS = 4_000;
const POWERS = { 7: "◉", 8: "◉", 9: "◎", 10: "◎", 11: "⇄", 12: "⇄" };

const card = (value) => () => numbered(value, POWERS[value]);

/** @param {HTMLElement} host @param {import("./index.js").Hands} hands @returns {import("./index.js").Board} */
export function board(host, { play, tray }) {
  let view = null;
  let size = null;
  let chosen = new Set(); // of our own cards, to show or to exchange
  let armed = false; // the discarded card waits for its place in our hand
  const seen = new Map(); // cards that lie open for a moment, by key
  let asked = null; // the card that we are about to look at
  const signs = svg("g", { class: "signs" });
  const layer = svg("g", { class: "cards" });
  const picture = svg("svg", { class: "card-table", role: "group", "aria-label": t("board.label") }, signs, layer);
  const stage = new Stage(layer);
  const figures = el("div");
  const lastRound = el(
    "details",
    { class: "last-round", hidden: true },
    el("summary", {}, t("cabo.last_round")),
    figures,
  );
  host.append(picture, lastRound);
  responsive(host, picture, SIZES, (next) => {
    size = next;
    if (view) draw();
  });

  const moves = (type) => (view.legal_moves ?? []).filter((move) => move.type === type);
  const me = () => view.self?.box;

  /** Between rounds the hands of the last one lie open. */
  const laid = ({ hands, lastRound }) => (lastRound && hands.every(({ cards }) => !cards) ? lastRound.hands : null);
  const count = (state, box) => laid(state)?.[box].length ?? state.hands[box].cards;

  function places() {
    const { gamestate: state } = view;
    const { hands } = state;
    const seats = seating(hands.length, me() ?? 0, size);
    const middle = { x: size.width / 2, y: Math.max(LOW, size.height * 0.46) };
    return {
      seats,
      heap: { x: middle.x - (size.wide ? 60 : 52), y: middle.y },
      discard: { x: middle.x + (size.wide ? 60 : 52), y: middle.y },
      drawn: { x: middle.x + (size.wide ? 190 : 140), y: middle.y, scale: size.wide ? 1.1 : 0.95 },
      hand(box, i) {
        const { x, y, below } = seats[box];
        const cards = count(state, box);
        const off = i - (cards - 1) / 2;
        if (below) return { x: x + off * Math.min(76, (size.width - 80) / Math.max(1, cards - 1)), y, scale: 1 };
        if (size.wide && hands.length < 5) return { x: x + off * 52, y: y - 8, scale: 0.72 };
        const scale = size.wide ? 0.6 : 0.48; // a block of two columns
        return { x: x + ((i % 2) - 0.5) * 70 * scale, y: y - 22 + Math.floor(i / 2) * 98 * scale, scale };
      },
    };
  }

  /** What a click on a card in somebody's hand does now, if anything. */
  function press(box, i) {
    const mine = box === me();
    const at = (type) => moves(type).find((move) => move.handCardIndex === i);
    if (mine) {
      const way = (armed && at("ReplaceCardByDiscarded")) || at("ReplaceCard") || at("PeekOwnCard");
      if (way) return () => send(way, way.type === "PeekOwnCard" ? `h${box}.${i}` : null);
      const pick =
        moves("ShowCards").some((move) => move.handCardIndexes.includes(i)) ||
        moves("ExchangeCards").some((move) => move.handCardIndex === i);
      return pick && (() => toggle(i));
    }
    const peek = moves("PeekCard").find((move) => move.anotherPlayerIndex === box && move.handCardIndex === i);
    if (peek) return () => send(peek, `h${box}.${i}`);
    const [own] = chosen;
    const swap = moves("ExchangeCards").find(
      (move) => move.handCardIndex === own && move.anotherPlayerIndex === box && move.anotherPlayerHandCardIndex === i,
    );
    return swap && (() => send(swap));
  }

  function send(move, look = null) {
    lastRound.open = move.type === "StartRound"; // whoever plays on has read it
    asked = look;
    chosen = new Set();
    armed = false;
    play(move);
  }

  function toggle(i) {
    if (moves("ExchangeCards").length) chosen = new Set(chosen.has(i) ? [] : [i]);
    else if (!chosen.delete(i)) chosen.add(i);
    armed = false;
    draw();
  }

  /** The discarded card is to go into our hand; the next click says where. */
  function arm() {
    armed = !armed;
    chosen = new Set();
    draw();
  }

  function draw() {
    const { gamestate: state } = view;
    if (!state.hands) return;
    const where = places();
    const things = [
      emptyPile(state, where),
      ...piles(state, where),
      ...state.hands.flatMap(({ box }) =>
        Array.from({ length: count(state, box) }, (_, i) => held(state, where, box, i)),
      ),
    ];
    stage.show(things);
    signs.replaceChildren(...names(state, where));
    lastRound.hidden = !state.lastRound;
    refresh(figures, state.lastRound ? [scores(state, view.players)] : []);
    buttons(state);
  }

  function held(state, where, box, i) {
    const key = `h${box}.${i}`;
    const known = box === me() ? state.known[i] : null;
    const open = laid(state)?.[box][i] ?? seen.get(key);
    const act = press(box, i);
    const label =
      box === me()
        ? t("cabo.own", { n: i + 1, what: known ?? t("cabo.unknown") })
        : t("cabo.theirs", { nick: nickOf(box), n: i + 1 });
    return {
      key,
      place: { ...where.hand(box, i), ...(chosen.has(i) && box === me() ? { y: where.hand(box, i).y - 20 } : {}) },
      from: where.heap,
      face: open !== undefined ? `open ${open}` : `down ${known}`,
      draw: open !== undefined ? card(open) : () => back(known),
      attributes: {
        ...pressable(open === undefined ? label : `${label}: ${open}`, act),
        "aria-pressed": act && box === me() && moves("ShowCards").length > 0 ? String(chosen.has(i)) : null,
        "data-chosen": chosen.has(i) && box === me(),
      },
    };
  }

  function emptyPile(state, where) {
    const drop = state.discard === null && moves("Discard")[0];
    const attributes = drop
      ? pressable(t("cabo.do.Discard"), () => send(drop))
      : { ...pressable("", null), role: null, "aria-label": null, "aria-hidden": "true" };
    return { key: "discard-slot", face: "slot", draw: slot, place: where.discard, attributes };
  }

  function piles(state, where) {
    const heapMove = moves("TakeCardFromHeap")[0];
    const takeDiscard = moves("TakeDiscardedCard")[0];
    const drop = moves("Discard")[0];
    const things = [];
    if (state.heap)
      things.push({
        key: "heap",
        face: "down",
        draw: () => back(),
        place: where.heap,
        attributes: pressable(t("cabo.heap", { n: state.heap }), heapMove && (() => send(heapMove))),
      });
    if (state.discard !== null) {
      const act = drop
        ? () => send(drop)
        : takeDiscard
          ? () => send(takeDiscard)
          : moves("ReplaceCardByDiscarded").length
            ? arm
            : null;
      things.push({
        key: "discard",
        face: `open ${state.discard}`,
        draw: card(state.discard),
        place: where.discard,
        attributes: { ...pressable(t("cabo.discard", { value: state.discard }), act), "data-chosen": armed },
      });
    }
    if (state.drawn !== null)
      things.push({
        key: "drawn",
        face: `open ${state.drawn}`,
        draw: card(state.drawn),
        from: where.heap,
        place: where.drawn,
        attributes: pressable(t("cabo.drawn", { value: state.drawn })),
      });
    return things;
  }

  const nickOf = (box) => shortName(view.players.find((player) => player.box === box)?.nick ?? "", 16);

  const hands = (state) => state.hands.length;

  function names(state, where) {
    const labels = view.players
      .filter(({ box }) => box !== me())
      .map(({ box, nick }) => {
        const { x, y, below } = where.seats[box];
        return svg(
          "text",
          {
            class: "name",
            x,
            y: below ? y - 53 : y + (size.wide ? (hands(state) < 5 ? 48 : 84) : 64),
            "text-anchor": "middle",
            "data-turn": state.turn === box,
          },
          shortName(nick, size.wide ? 16 : 10),
        );
      });
    const left = svg(
      "text",
      { class: "count", x: where.heap.x, y: where.heap.y + 62, "text-anchor": "middle" },
      t("cards.count", { n: state.heap }),
    );
    return state.heap ? [...labels, left] : labels;
  }

  function buttons(state) {
    const offer = (type, main = false) =>
      moves(type).length && button(t(`cabo.do.${type}`), () => send(moves(type)[0]), { class: main ? "main" : "" });
    const indexes = [...chosen].sort((a, b) => a - b);
    const show = moves("ShowCards").find((move) => String(move.handCardIndexes) === String(indexes));
    const replace = moves("ReplaceCardByDiscarded").length > 0;
    refresh(
      tray,
      [
        offer("StartRound", true),
        offer("TakeCardFromHeap", true),
        show && button(t("cabo.show", { n: indexes.length }), () => send(show), { class: "main" }),
        offer("TakeDiscardedCard"),
        offer("Discard"),
        offer("StopRound"),
        replace && button(t(armed ? "cabo.arm_off" : "cabo.arm"), arm, { "aria-pressed": String(armed) }),
        hint(state, replace),
      ].filter(Boolean),
    );
  }

  function hint(state, replace) {
    if (view.sync?.turn !== "my_turn" || !view.legal_moves) return null;
    const power = state.power && `cabo.hint.${state.power}`;
    const key =
      power ??
      (armed
        ? "cabo.hint.arm"
        : state.phase === "C"
          ? "cabo.hint.C"
          : state.phase === "B" && !replace && chosen.size < 2
            ? "cabo.hint.B"
            : null);
    return key && el("p", { class: "hint" }, t(key));
  }

  /** Lays a card open for a moment. */
  function reveal(key, value) {
    seen.set(key, value);
    setTimeout(() => {
      seen.delete(key);
      if (view) draw();
    }, PEEK_MS);
  }

  function open(news) {
    const { name, data } = news;
    if (name === "FirstTwoCards") [data.value1, data.value2].forEach((value, i) => reveal(`h${me()}.${i}`, value));
    if (name === "CardsShown")
      data.handCardIndexes.forEach((index, i) => reveal(`h${data.playerIndex}.${index}`, data.values[i]));
    for (const key of moved(news)) seen.delete(key);
    if (name === "Card" && asked && view.gamestate.drawn === null) reveal(asked, data.value);
    if (name === "Card") asked = null;
    if (name === "FirstTwoCards" || name === "RoundStarted") chosen = new Set();
    const isBetween = view.gamestate.phase === "A" || view.gamestate.phase === null;
    if (name === "RoundFinished" || (name === "snapshot" && isBetween)) lastRound.open = true;
    if (!["again", "presence", "sync"].includes(name) && view.sync?.turn !== "my_turn") {
      chosen = new Set();
      armed = false;
    }
  }

  return {
    update(next, news) {
      const before = view;
      view = next;
      if (news) open(news);
      if (before?.gamestate.hands && view.gamestate.hands && news)
        for (const [nodes, from, to] of flights(news, places(), me())) stage.fly(nodes, from, to);
      draw();
    },
    note: ({ gamestate: state }, box) =>
      state.totalScores
        ? t("cabo.points", { n: state.totalScores[box] }) + (state.stopper === box ? `, ${t("cabo.stopper")}` : "")
        : "",
    tell: (news, shown, nick) => tell(news, nick, shown.self?.box),
  };
}
