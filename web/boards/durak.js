// Durak: hands, the bout on the table, the deck with its trump.

import { button, el, refresh, set, shortName, svg } from "../dom.js";
import { t } from "../i18n.js";
import { back, cardName, face, rankOf, suit, suitOf, SYMBOLS, WIDTH } from "./cards.js";
import { seating } from "./seating.js";
import { pressable, responsive, Stage } from "./stage.js";

const RANKS = ["6", "7", "8", "9", "10", "J", "Q", "K", "A"];
const BOWED = 3; // of more the ones at the sides sit lower
const CROWDED = 4; // more need small cards on a phone
const SIZES = { wide: [780, 520], tall: [380, 440, 560] };
const DROP = 8; // that far below the middle of our hand its ends may lie, or the table cuts them off
const FEW = 3; // so many buttons may say in words what they do

/** Which cards of our hand a move takes. */
const cardsOf = (move) => move.cards ?? [move.defend_card ?? move.card].filter(Boolean);

/** What somebody does in the bout, in a word. */
function role({ status, gamestate: { out, attacker, defender, taking } }, box) {
  if (out.includes(box)) return t("durak.out");
  if (status !== "active" || (box !== attacker && box !== defender)) return "";
  return t(box === attacker ? "durak.attacks" : taking ? "durak.takes" : "durak.defends");
}

/** @param {HTMLElement} host @param {import("./index.js").Hands} hands @returns {import("./index.js").Board} */
export function board(host, { play, tray }) {
  let view = null;
  let size = null;
  let chosen = null; // a card of ours that could be played in several ways
  const signs = svg("g", { class: "signs" });
  const layer = svg("g", { class: "cards" });
  const picture = svg("svg", { class: "card-table", role: "group", "aria-label": t("board.label") }, signs, layer);
  const stage = new Stage(layer);
  host.append(picture);
  responsive(host, picture, SIZES, (next) => {
    size = next;
    if (view) draw();
  });

  const moves = () => view.legal_moves ?? [];
  const single = (card) => moves().filter((move) => cardsOf(move).length === 1 && cardsOf(move)[0] === card);

  function take(card) {
    const ways = single(card);
    if (ways.length === 1) {
      chosen = null;
      play(ways[0]);
    } else {
      chosen = chosen === card ? null : card;
      draw();
    }
  }

  function draw(news) {
    const { gamestate: state } = view;
    if (!state.hands) return;
    if (chosen && !single(chosen).length) chosen = null;
    const seats = seating(state.hands.length, view.self?.box ?? 0, size);
    const low = state.hands.length > BOWED;
    const crowded = state.hands.length > CROWDED && !size.wide;
    const deck = { x: size.wide ? 78 : 46, y: size.height * (low ? 0.56 : size.wide ? 0.47 : 0.53) };
    const gone = { x: size.width + 60, y: deck.y };
    const origin = news?.name === "table" ? seats[news.data.box] : deck;
    const middle = { x: size.width / 2 + 42, y: size.height * (low ? 0.5 : 0.44) };
    const fan = size.wide
      ? { scale: 0.8, step: 13, most: 8 }
      : crowded
        ? { scale: 0.45, step: 6, most: 5 }
        : { scale: 0.6, step: 8, most: 8 };
    set(picture, { class: crowded ? "card-table crowded" : "card-table" });
    const things = [
      ...pile(state, deck),
      ...bout(state, origin, middle),
      ...others(state, seats, deck, fan),
      ...own(state, deck),
    ];
    const ending = news?.name === "finishround" ? (news.data.taken ? seats[news.data.box] : gone) : null;
    stage.show(things, (key) => (key.startsWith("c:") ? ending : null));
    signs.replaceChildren(...names(state, seats, fan, crowded), trumpSign(state, deck));
    buttons(state);
  }

  function pile(state, deck) {
    const things = [];
    if (state.trump_card)
      things.push({
        key: `c:${state.trump_card}`,
        face: "up",
        draw: () => face(state.trump_card),
        place: { ...deck, x: deck.x + 20, turn: 90 },
        attributes: pressable(t("durak.trump", { card: cardName(state.trump_card) })),
      });
    const hidden = Math.min(3, Math.max(0, state.deck - 1));
    for (let i = 0; i < hidden; i++)
      things.push({
        key: `deck${i}`,
        face: "down",
        draw: () => back(),
        place: { x: deck.x - i * 1.6, y: deck.y - i * 1.6 },
        attributes: { "aria-hidden": "true" },
      });
    return things;
  }

  function bout(state, origin, middle) {
    const gap = size.wide ? 92 : 84;
    const columns = Math.max(3, Math.floor((size.width - 140) / gap)); // beside the deck
    return state.table.flatMap(({ attack, defend }, i) => {
      const inRow = Math.min(columns, state.table.length - Math.floor(i / columns) * columns);
      const x = middle.x + ((i % columns) - (inRow - 1) / 2) * gap;
      const y = middle.y + (Math.floor(i / columns) - (state.table.length > columns ? 0.5 : 0)) * 108;
      const answer = chosen && moves().find((move) => move.attack_card === attack && move.defend_card === chosen);
      const label = defend
        ? t("durak.beaten", { card: cardName(attack), by: cardName(defend) })
        : t("durak.open", { card: cardName(attack) });
      const put = (card, place, act) => ({
        key: `c:${card}`,
        face: "up",
        draw: () => face(card),
        place,
        from: origin,
        attributes: { ...pressable(label, act), "data-target": Boolean(act) },
      });
      const first = put(attack, { x, y }, answer && (() => play(answer)));
      return defend ? [first, put(defend, { x: x + 16, y: y + 18, turn: 8 })] : [first];
    });
  }

  function others(state, seats, deck, { scale, step, most }) {
    return state.hands.flatMap(({ box, cards }) => {
      if (box === view.self?.box) return [];
      const { x, y } = seats[box];
      const shown = Math.min(cards, most);
      return Array.from({ length: shown }, (_, i) => {
        const off = i - (shown - 1) / 2;
        return {
          key: `h${box}.${i}`,
          face: "down",
          draw: () => back(),
          from: deck,
          place: {
            x: x + off * step,
            y: y + Math.abs(off) * 1.5,
            turn: off * 4 + 180,
            scale,
          },
          attributes: { "aria-hidden": "true" },
        };
      });
    });
  }

  function own(state, deck) {
    if (!state.hand) return [];
    const hand = [...state.hand].sort(
      (a, b) =>
        (suitOf(a) === state.trump) - (suitOf(b) === state.trump) ||
        suitOf(a).localeCompare(suitOf(b)) ||
        RANKS.indexOf(rankOf(a)) - RANKS.indexOf(rankOf(b)),
    );
    const room = size.width - WIDTH - 24;
    const step = Math.min(58, room / Math.max(1, hand.length - 1));
    const bow = Math.min(size.wide ? 0.8 : 0.4, (4 * DROP) / hand.length ** 2);
    return hand.map((card, i) => {
      const off = i - (hand.length - 1) / 2;
      const open = single(card).length > 0;
      const place = {
        x: size.width / 2 + off * step,
        y: size.height - 60 + off * off * bow - (card === chosen ? 22 : open ? 8 : 0),
        turn: off * (size.wide ? 1.6 : 1),
      };
      return {
        key: `c:${card}`,
        face: "up",
        draw: () => face(card),
        place,
        from: deck,
        attributes: {
          ...pressable(cardName(card), open && (() => take(card))),
          "data-chosen": card === chosen,
          "data-target": false,
        },
      };
    });
  }

  function names(state, seats, { scale }, crowded) {
    return view.players.flatMap(({ box, nick }) => {
      const seat = seats[box];
      if (seat.below && view.self) return [];
      const does = role(view, box);
      const y = seat.below ? seat.y - 66 : seat.y + scale * 58 + 14;
      return [
        svg(
          "text",
          { class: "name", x: seat.x, y, "text-anchor": "middle" },
          shortName(nick, size.wide ? 16 : crowded ? 6 : 10),
          svg("tspan", { class: "count" }, ` ${state.hands[box].cards}`),
        ),
        does && svg("text", { class: "role", x: seat.x, y: y + 17, "text-anchor": "middle" }, does),
      ].filter(Boolean);
    });
  }

  function trumpSign(state, deck) {
    const text = svg(
      "text",
      { class: "count", x: deck.x, y: deck.y + (state.deck ? 70 : -30), "text-anchor": "middle" },
      state.deck ? t("durak.deck", { n: state.deck }) : t("durak.no_deck"),
    );
    return svg(
      "g",
      {},
      text,
      svg(
        "g",
        { class: "trump", role: "img", "aria-label": t("durak.trump_suit", { suit: SYMBOLS[state.trump] }) },
        svg("circle", { cx: deck.x, cy: deck.y - 66, r: 15 }),
        suit(state.trump, 1, deck.x, deck.y - 65),
      ),
    );
  }

  /** What is no single card of ours: several at once, taking, passing, and the ways of a chosen card. */
  function buttons(state) {
    const ways = chosen ? single(chosen) : [];
    const listed = [...ways, ...moves().filter((move) => cardsOf(move).length !== 1)];
    const offer = (move) => {
      const says = label(move, state);
      const short = listed.length > FEW && move.type === "attack" ? move.cards.map(cardName).join(" ") : says;
      const act = () => {
        chosen = null;
        play(move);
      };
      return button(short, act, { class: move.type === "take" ? "" : "main", "aria-label": says });
    };
    refresh(tray, [...listed.map(offer), ...(chosen ? [el("p", { class: "hint" }, t("durak.choose"))] : [])]);
  }

  function label(move, state) {
    const cards = cardsOf(move).map(cardName).join(" ");
    if (move.type === "defend") return t("durak.beat", { card: cardName(move.attack_card), by: cards });
    if (move.type === "finish") return t(state.taking ? "durak.enough" : "durak.done");
    return t(`durak.${move.type}`, { cards });
  }

  return {
    update(next, news) {
      view = next;
      draw(news);
    },
    note(shown, box) {
      const { hands } = shown.gamestate;
      return hands ? [t("cards.count", { n: hands[box].cards }), role(shown, box)].filter(Boolean).join(", ") : "";
    },
    tell({ name, data }, _, nick) {
      if (name === "table")
        return t(`durak.did.${data.action}`, {
          nick: nick(data.box),
          cards: (data.cards ?? [data.defend_card ?? data.card].filter(Boolean)).map(cardName).join(" "),
          card: data.attack_card ? cardName(data.attack_card) : "",
        });
      if (name === "finishround")
        return t(data.taken ? "durak.did.took" : "durak.did.beaten", { nick: nick(data.box) });
      return "";
    },
  };
}
