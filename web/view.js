// What the server has told about one game. No rules of any game live here: the server says what is legal and who won.

/** Returns the view after one event of the game's stream. */
export function evolve(view, name, data) {
  switch (name) {
    case "snapshot":
      return data;
    case "started":
      return { ...view, ...data };
    case "joined": {
      const { version, ...player } = data;
      const others = view.players.filter(({ box }) => box !== player.box);
      return { ...view, version, players: [...others, player].sort((a, b) => a.box - b.box) };
    }
    case "response": {
      const { version, sync, waits, legal_moves, board, turn, cell, timeBank } = data;
      const gamestate = { ...view.gamestate, board, turn };
      const players = view.players.map((player) => ({ ...player, timeBank: timeBank[player.box], timeBankTick: 0 }));
      return { ...view, version, sync, waits, legal_moves, gamestate, players, lastCell: cell };
    }
    case "sync":
      return { ...view, ...data };
    case "game_over": {
      const { version, sync, waits, result } = data;
      const gamestate = { ...view.gamestate, turn: null };
      return { ...view, version, sync, waits, result, gamestate, status: "finished", legal_moves: [] };
    }
    case "aborted":
      return { ...view, version: data.version, status: "aborted", waits: [], legal_moves: [] };
    case "presence": {
      const seen = new Map(data.players.map((player) => [player.box, player]));
      const players = view.players.map((player) => ({ ...player, ...seen.get(player.box) }));
      return { ...view, players, watchers: data.watchers };
    }
  }
  return view;
}

const ENDINGS = { resigned: " by resignation", timeout: " on time" };

/** Returns the one line that says how the game stands for this viewer. */
export function headline({ status, self, players, sync, gamestate, result }) {
  const nick = (box) => isolated(players.find((player) => player.box === box)?.nick ?? "Somebody");
  switch (status) {
    case "waiting":
      return self ? "Waiting for an opponent" : "A seat is free";
    case "aborted":
      return "The game was called off";
    case "finished": {
      const ending = ENDINGS[result.reason] ?? "";
      if (!result.winners.length) return "A draw";
      if (!self) return `${result.winners.map(nick).join(" and ")} won${ending}`;
      return (result.winners.includes(self.box) ? "You won" : "You lost") + ending;
    }
  }
  if (sync.turn === "my_turn") return "Your turn";
  return `${nick(gamestate.colors.indexOf(gamestate.turn))} to play`;
}

/** Keeps a name's writing direction to itself (Unicode's first-strong isolate), as <bdi> does in markup. */
export const isolated = (name) => `\u2068${name}\u2069`;

/** Returns what a seat's clock shows `elapsed` ms after the view came, or null when it stands still. */
export function clock({ waits, players }, box, elapsed) {
  const wait = waits.find((wait) => wait.box === box);
  if (!wait) return null;
  const left = wait.value - wait.tick - elapsed;
  if (left > 0) return { text: minutes(left), bank: false };
  const spent = players.find((player) => player.box === box)?.timeBankTick ?? 0;
  return { text: minutes(Math.max(0, (wait.timeBank ?? 0) - spent + left)), bank: true };
}

function minutes(ms) {
  const seconds = Math.ceil(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
