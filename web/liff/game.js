// The game as this client runs it: what each message means, and what to answer. No page and no network in here.

export const X = -1;
export const O = 1;

const LINES = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]];

export const fresh = () => ({ seq: 0, stage: "waiting", mark: null, turn: null, board: Array(9).fill(0), peer: null });

/** Returns the mark that has a line, 0 for a full board without one, or null while there is something to play. */
export function outcome(board) {
  const line = LINES.find(([a, b, c]) => board[a] && board[a] === board[b] && board[a] === board[c]);
  if (line) return board[line[0]];
  return board.every(Boolean) ? 0 : null;
}

/** Returns the game after the peer's message, and what is to be sent in answer to it. */
export function heard(game, message) {
  const begins = message.action === "join" || message.action === "start_game";
  if (game.stage === "waiting" && !begins) return [game, []]; // the last word on the game before, which we have left
  const peer = { name: message.name, imgURL: message.imgURL };
  switch (message.action) {
    case "join":
      return [{ ...game, stage: "starting", mark: X, peer }, ["start_game"]];
    case "start_game":
      return [{ ...game, stage: "playing", mark: O, turn: X, peer }, ["start_game_ack"]];
    case "start_game_ack":
      return [{ ...game, stage: "playing", turn: X }, []];
    case "update_game": {
      const over = outcome(message.game) !== null;
      const next = { ...game, board: message.game, turn: game.mark, stage: over ? "over" : game.stage };
      return [next, over ? ["game_over"] : []];
    }
    case "game_over":
      return [{ ...game, stage: "over" }, []];
    case "leave_game":
      return [{ ...game, stage: "deserted" }, []];
  }
  return [game, []];
}

/** Returns the game after a move of one's own. */
export function played(game, cell) {
  return { ...game, board: game.board.with(cell, game.mark), turn: -game.mark };
}

export const isMyTurn = ({ stage, mark, turn, board }) =>
  stage === "playing" && turn === mark && outcome(board) === null;

export function headline(game) {
  switch (game.stage) {
    case "waiting":
      return "Waiting for an opponent";
    case "starting":
      return "Shaking hands";
    case "playing":
      return isMyTurn(game) ? "Your turn" : "The other's turn";
    case "left":
      return "You left";
    case "deserted":
      return "The other player left";
  }
  const winner = outcome(game.board);
  if (!winner) return "A draw";
  return winner === game.mark ? "You won" : "You lost";
}
