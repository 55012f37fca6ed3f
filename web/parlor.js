// Parlor's HTTP contract for browsers. This file and stream.js are all that another page needs; see docs/web.md.

import { follow } from "./stream.js";

/**
 * @typedef {{ id: string, nick: string, avatar: string | null, guest: boolean }} User
 * @typedef {{ token: string, expires_at: number, user: User }} SignedIn
 * @typedef {{ game_type: string, title: string, seats: number[], bets: number[], bots?: string[], options: object, moves: object }} GameType
 * @typedef {{ name: string, types: GameType[] }} CatalogueGame
 * @typedef {{ box: number, user: string, nick: string, avatar: string | null, timeBank: number, timeBankTick: number, online: boolean, away: boolean }} Player
 * @typedef {{ box: number, name: "move" | "undo" | "ack" | "start", tick: number, value: number, timeBank: number, paused?: boolean }} Wait
 * @typedef {{ turn: "my_turn" | "not_my_turn", undo: "allow" | "ban" | "requesting" | "approving" }} Sync
 * @typedef {{ winners: number[], reason: string, scores?: number[] }} Result
 *
 * @typedef {object} View what the caller may see of a game
 * @property {string} id
 * @property {string} game_type
 * @property {number} version
 * @property {"waiting" | "active" | "finished" | "aborted"} status
 * @property {{ box: number } | null} self
 * @property {Player[]} players
 * @property {{ user: string, nick: string, avatar: string | null }[]} watchers
 * @property {Wait[]} waits
 * @property {Sync} sync
 * @property {any} gamestate
 * @property {{ by: number } | null} draw
 * @property {Result | null} result
 * @property {any} options
 * @property {string} commitment
 * @property {string} [table] the lobby's table that it is played at
 * @property {object[]} [legal_moves]
 *
 * @typedef {{ game_type: string, options: any, commitment: string, seed: string, result: Result, events: { version: number, event: string, data: any }[], log?: any[] }} Replay
 * @typedef {{ value: string, [name: string]: any }} ChannelState
 * @typedef {{ id: string, tag: string, version?: number, state: ChannelState }} Channel
 * @typedef {import("./stream.js").StreamHandlers} StreamHandlers
 */

const ATTEMPTS = 6; // with the pauses between them about 15 s: longer than a restart

/** What the server refused: an RFC 9457 problem, whose `code` is the word to switch on. */
export class Problem extends Error {
  /** @param {number} status @param {{ code?: string, detail?: string, title?: string }} [body] */
  constructor(status, { code, detail, title } = {}) {
    super(detail || title || `The server answered ${status}.`);
    this.status = status;
    this.code = code;
  }
}

const refusal = async (response) => new Problem(response.status, await response.json().catch(() => undefined));

/** A Parlor server and who we are to it. */
export class Parlor {
  /**
   * @param {{ base?: string, token?: string }} [options] `base` is the server's address, this page's by default. With a
   *   `token` it is sent as a bearer; without one the browser's sign-in cookie speaks for us.
   */
  constructor({ base = "", token } = {}) {
    this.base = base;
    this.token = token;
    /** commands that have no answer yet */
    this.underway = new Set();
  }

  // --- identity ---

  /** Signs in under a nick, without an account. @returns {Promise<SignedIn>} */
  guest = (nick) => this.post("/lobby/auth/guest", { nick });

  /** Makes an account, or turns the present guest into one, who keeps its id. @returns {Promise<SignedIn>} */
  register = (nick, password) => this.post("/lobby/auth/register", { nick, password });

  /** @returns {Promise<SignedIn>} */
  login = (nick, password) => this.post("/lobby/auth/login", { nick, password });

  /** Ends our session once everything that we said before is answered. */
  async logout() {
    await Promise.allSettled(this.underway);
    await this.post("/lobby/auth/logout");
  }

  /** Who is signed in, or null. @returns {Promise<User | null>} */
  async me() {
    try {
      return (await this.get("/lobby/me")).user;
    } catch (error) {
      if (error.status === 401) return null;
      throw error;
    }
  }

  // --- games ---

  /** @returns {Promise<CatalogueGame[]>} */
  catalogue = async () => (await this.get("/lobby/games")).games;

  /**
   * @param {string} gameType
   * @param {string[]} seats each `"me"`, `"open"` or `"bot:<name>"`
   * @param {object} [options] as the type's schema says
   * @returns {Promise<{ id: string, version: number, status: string }>}
   */
  createGame = (gameType, seats, options = {}) => this.post("/session/games", { game_type: gameType, seats, options });

  /** @param {string} id */
  game = (id) => new Game(this, id);

  // --- channels, queues, rooms and tables ---

  /** @returns {Promise<Channel[]>} */
  channels = async () => (await this.get("/lobby/channels")).channels;

  /** @returns {Promise<Channel>} */
  createChannel = (tag = "") => this.post("/lobby/channels", { tag });

  /** @returns {Promise<Channel>} the full state */
  channel = (id) => this.get(`/lobby/channels/${encodeURIComponent(id)}`);

  /** @param {string} id @param {string} name such as `find` or `sitdown` @returns {Promise<Channel>} */
  command = (id, name, body = {}) => this.post(`/lobby/channels/${encodeURIComponent(id)}/${name}`, body);

  deleteChannel = (id) => this.request("DELETE", `/lobby/channels/${encodeURIComponent(id)}`);

  queue = (name) => this.get(`/lobby/queues/${encodeURIComponent(name)}`);

  rooms = async () => (await this.get("/lobby/rooms")).rooms;

  room = (id) => this.get(`/lobby/rooms/${encodeURIComponent(id)}`);

  /** @param {{ game_type: string, num_seats: number, cash_bet?: number, options?: object }} spec */
  createTable = (room, spec) => this.post(`/lobby/rooms/${encodeURIComponent(room)}/tables`, spec);

  table = (id) => this.get(`/lobby/tables/${encodeURIComponent(id)}`);

  /** The best at a game type: `{ rank, user, nick, lvl, games, wins }`, the best first. */
  leaderboard = async (gameType) => (await this.get(`/lobby/leaderboards/${encodeURIComponent(gameType)}`)).entries;

  /** Somebody's profile: `{ user, ratings, online }`. */
  profile = (user) => this.get(`/lobby/users/${encodeURIComponent(user)}`);

  wallets = async () => (await this.get("/lobby/me/wallets")).wallets;

  walletEntries = async (currency) =>
    (await this.get(`/lobby/me/wallets/${encodeURIComponent(currency)}/entries`)).entries;

  /** Follows all of our channels. @param {StreamHandlers} handlers @returns {() => void} stops it */
  followLobby = (handlers, cursor) => this.follow("/lobby/events", handlers, { cursor });

  // --- requests ---

  get = (path) => this.request("GET", path);

  /** Posts a command under a key of its own, so that asking again cannot do it twice. */
  post(path, body = {}) {
    const answer = this.request("POST", path, body, { "Idempotency-Key": newKey() });
    const done = () => this.underway.delete(answer);
    this.underway.add(answer);
    answer.then(done, done);
    return answer;
  }

  /** Asks until an answer comes: through a lost network, a lost answer or a server that is just starting. */
  async request(method, path, body, headers = {}) {
    for (let attempt = 1; ; attempt++) {
      try {
        const response = await fetch(this.base + path, {
          method,
          headers: { ...(body && { "Content-Type": "application/json" }), ...headers, ...this.credentials() },
          body: body && JSON.stringify(body),
        });
        if (!response.ok) throw await refusal(response);
        return response.status === 204 ? undefined : await response.json();
      } catch (error) {
        const passing = !(error instanceof Problem) || error.status === 503;
        if (!passing || attempt === ATTEMPTS) throw error;
        await pause(250 * 2 ** attempt);
      }
    }
  }

  /** @returns {() => void} stops it */
  follow(path, handlers, { cursor, settledBy } = {}) {
    const address = () => ({ url: this.base + path, headers: this.credentials() });
    return follow(address, handlers, { refusal, cursor, settledBy });
  }

  credentials = () => (this.token ? { Authorization: `Bearer ${this.token}` } : {});
}

/** One game of the session service. Commands answer with `version`; what they change comes on the game's stream. */
export class Game {
  /** @param {Parlor} parlor @param {string} id */
  constructor(parlor, id) {
    this.parlor = parlor;
    this.id = id;
    this.path = `/session/games/${encodeURIComponent(id)}`;
  }

  /** @returns {Promise<View>} */
  view = () => this.parlor.get(this.path);
  join = () => this.post("join");
  /** @param {object} move as in `legal_moves` @returns {Promise<{ version: number, accepted: boolean, reason?: string }>} */
  move = (move) => this.post("moves", move);
  /** Everything that was sent to our seat up to this version has been received. */
  ack = (version) => this.post("acks", { version });
  /** @param {"request" | "approve" | "reject" | "auto_reject"} action @param {number} [seen] the last version we had */
  undo = (action, seen) => this.post("undo", seen === undefined ? { action } : { action, seen });
  /** @param {"offer" | "accept" | "reject"} action */
  draw = (action) => this.post("draw", { action });
  resign = () => this.post("resign");
  leave = () => this.post("leave");
  return = () => this.post("return");
  /** @param {number} [box] whose eyes to see it with @returns {Promise<Replay>} */
  replay = (box) => this.parlor.get(`${this.path}/replay${box === undefined ? "" : `?as=${box}`}`);

  /**
   * Follows the game: `snapshot` first, then all that happens. Fold it with `fold` of fold.js.
   *
   * @param {StreamHandlers} handlers @param {string} [cursor] an id to continue after @returns {() => void} stops it
   */
  follow = (handlers, cursor) => this.parlor.follow(`${this.path}/events`, handlers, { cursor, settledBy: "presence" });

  post = (command, body) => this.parlor.post(`${this.path}/${command}`, body);
}

// crypto.randomUUID exists only on https and localhost; a game on the home network has neither.
const newKey = () => crypto.getRandomValues(new Uint32Array(4)).join("-");

/** Waits, but no longer than until the network is back. */
function pause(ms) {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      removeEventListener("online", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    addEventListener("online", done);
  });
}
