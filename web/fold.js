// What the server has told about one game, folded from its snapshot and events. No rules of any game live here: the
// server says what is legal and who won.

/** @typedef {import("./parlor.js").View} View */

/**
 * The view after one event of the game's stream.
 *
 * @param {View | null} view null before the first snapshot
 * @param {string} name
 * @param {any} data
 * @returns {View | null}
 */
export function fold(view, name, data) {
  if (name === "snapshot") return { ...data, players: numbered(data.players) };
  if (name === "presence")
    return view && { ...view, players: whereabouts(view.players, data.players), watchers: data.watchers };
  if (name === "joined") return joined(view, data);
  if (name === "left") return vacated(view, data);
  if (name === "started") {
    const players = numbered(data.players ?? view.players);
    return { ...view, ...data, players, legal_moves: data.legal_moves };
  }
  if (!view) return view;
  return { ...synced(view, data), ...ended(view, name, data) };
}

/** Every other message carries what may have changed for us; of the game's own view either all of it or some fields. */
function synced(view, data) {
  const gamestate = data.gamestate ?? { ...view.gamestate, ...known(view.gamestate, data) };
  const banks = data.timeBank;
  const players = banks ? view.players.map((p) => ({ ...p, timeBank: banks[p.box], timeBankTick: 0 })) : view.players;
  const { version, sync = view.sync, waits = view.waits, legal_moves } = data;
  return { ...view, version, sync, waits, legal_moves, gamestate, players };
}

const known = (gamestate, data) =>
  Object.fromEntries(
    Object.keys(gamestate)
      .filter((k) => k in data)
      .map((k) => [k, data[k]]),
  );

function ended(view, name, data) {
  switch (name) {
    case "game_over":
      return { status: "finished", result: data.result, draw: null, line: data.line };
    case "aborted":
      return { status: "aborted", waits: [] };
    case "draw_offered":
      return { draw: { by: data.by } };
    case "draw_rejected":
      return { draw: null };
  }
  return {};
}

/** Before the first `started` of a replay there is no view yet, only people who sit down. */
function joined(view, { version, ...player }) {
  const base = view ?? {
    status: "waiting",
    self: null,
    players: [],
    watchers: [],
    waits: [],
    gamestate: {},
    draw: null,
    result: null,
  };
  const others = base.players.filter(({ box }) => box !== player.box);
  const seated = { timeBank: base.players[0]?.timeBank ?? 0, timeBankTick: 0, online: false, away: false, ...player };
  return { ...base, version, players: [...others, seated].sort((a, b) => a.box - b.box) };
}

/** Bots of one kind share a name; at a table numbers tell them apart. */
function numbered(players) {
  return players.map((player) => {
    const same = players.filter(({ user }) => user === player.user);
    if (!player.user.startsWith("bot:") || same.length === 1) return player;
    return { ...player, nick: `${player.user.slice("bot:".length)} ${same.indexOf(player) + 1}` };
  });
}

function vacated(view, { version, box: free }) {
  const self = view.self?.box === free ? null : view.self;
  return { ...view, version, self, players: view.players.filter(({ box }) => box !== free) };
}

function whereabouts(players, told) {
  const seen = new Map(told.map((player) => [player.box, player]));
  return players.map((player) => ({ ...player, ...seen.get(player.box) }));
}

/** The boxes from whom the next move is awaited, as far as the server's word tells. @param {View} view */
export function awaited({ status, waits, gamestate, self, sync }) {
  if (status !== "active") return [];
  const boxes = waits.filter(({ name }) => name === "move" || name === "start").map(({ box }) => box);
  if (boxes.length) return boxes;
  const { turn, colors } = gamestate;
  if (typeof turn === "number") return [turn];
  if (typeof turn === "string" && colors) return [colors.indexOf(turn)];
  return self && sync?.turn === "my_turn" ? [self.box] : [];
}

/** What a seat's clock shows `elapsed` ms after the view came, or null when nobody waits for it. @param {View} view */
export function clock({ waits, players }, box, elapsed) {
  const wait = waits.find((w) => w.box === box && (w.name === "move" || w.name === "start"));
  if (!wait) return null;
  const left = wait.value - wait.tick - (wait.paused ? 0 : elapsed);
  if (left > 0) return { left, whole: wait.value, bank: false, paused: Boolean(wait.paused) };
  const spent = players.find((p) => p.box === box)?.timeBankTick ?? 0;
  return {
    left: Math.max(0, (wait.timeBank ?? 0) - spent + left),
    whole: wait.timeBank || 1,
    bank: true,
    paused: Boolean(wait.paused),
  };
}
