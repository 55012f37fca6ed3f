// Who sits where in a game that we make ourselves.

const BEST = ["greedy", "careful", "cautious", "simple"]; // the better ones of the bots that ship

/** The bots of a type, the most sensible first. */
export function bots(type) {
  const known = type.bots ?? ["random"];
  return [...known].sort((a, b) => BEST.includes(b) - BEST.includes(a));
}

/** The seats of a quick game: us and, for the rest, bots or open seats. @param {"bot" | "open"} kind */
export function defaultSeats(type, kind) {
  const other = kind === "bot" ? `bot:${bots(type)[0]}` : "open";
  const most = kind === "bot" ? sociable(type) : Math.min(...type.seats);
  return ["me", ...Array(most - 1).fill(other)];
}

/** Three at a table are more fun than two, where the game allows it. */
const sociable = ({ seats }) => (seats.includes(3) ? 3 : Math.min(...seats));
