// Which module draws which game, and in which style of css/. Each is loaded when it is first needed.

import { stylesheet } from "../stylesheet.js";

const BOARDS = [
  [/^xsos$/, () => import("./xsos.js"), "boards"],
  [/^(gomoku|go)$/, () => import("./stones.js"), "boards"],
  [/^tsuro$/, () => import("./tsuro.js"), "tsuro"],
  [/^cabo$/, () => import("./cabo.js"), "cards"],
  [/^durak/, () => import("./durak.js"), "cards"],
];
const PLAIN = [/^/, () => import("./plain.js"), "boards"];

/**
 * What a board is told and may do.
 *
 * @typedef {object} Hands
 * @property {(move: object) => void} play sends a move
 * @property {HTMLElement} tray where its buttons go
 *
 * @typedef {object} Board
 * @property {(view: import("../parlor.js").View, news?: { name: string, data: any }) => void} update
 *   shows a view; `news` is the event that led to it. Only moves in `view.legal_moves` may be offered; while `view.busy`
 *   a move is on its way.
 * @property {(view: import("../parlor.js").View, box: number) => Node | null} [mark] what a seat plays with
 * @property {(view: import("../parlor.js").View, box: number) => string} [note] the same in words, or a count
 * @property {(news: { name: string, data: any }, view: import("../parlor.js").View, nick: (box: number) => string) => string} [tell]
 *   an event in words
 */

/**
 * A board with its style: it measures the room that it has when it is made.
 *
 * @param {string} gameType @returns {Promise<{ board: (host: HTMLElement, hands: Hands) => Board }>}
 */
export async function boardOf(gameType) {
  const [, load, style] = BOARDS.find(([pattern]) => pattern.test(gameType)) ?? PLAIN;
  const [module] = await Promise.all([load(), style && stylesheet(`/css/${style}.css`)]);
  return module;
}
