// Which module draws which game. Each is loaded when it is first needed.

const BOARDS = [
  [/^xsos$/, () => import("./xsos.js")],
  [/^(gomoku|go)$/, () => import("./stones.js")],
  [/^tsuro$/, () => import("./tsuro.js")],
  [/^cabo$/, () => import("./cabo.js")],
  [/^durak/, () => import("./durak.js")],
];

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

/** @param {string} gameType @returns {Promise<{ board: (host: HTMLElement, hands: Hands) => Board }>} */
export const boardOf = (gameType) =>
  (BOARDS.find(([pattern]) => pattern.test(gameType))?.[1] ?? (() => import("./plain.js")))();
