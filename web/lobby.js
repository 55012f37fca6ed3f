// Our channels in the lobby, as its one stream tells of them. Where the server has no lobby paths, all stays quiet.

import { t } from "./i18n.js";
import { toast } from "./toast.js";

const WAYS_OUT = { chat: "chatleave", subscribed: "unsubscribe", watch: "unwatch" }; // of states that bind nobody
const PATIENCE_MS = 15_000; // for the stream's first word; what is done without it may leave a channel behind
const LATER = ["game", "leave", "begin", "okbegin", "find", "taketurn", "takeplace", "revanche", "okrevanche"];

export class Lobby extends EventTarget {
  /** @param {import("./main.js").App} app */
  constructor(app) {
    super();
    this.app = app;
    /** @type {Map<string, import("./parlor.js").Channel & { heard: number }>} */
    this.channels = new Map();
    /** channels whose first command is on its way */
    this.taken = new Set();
    this.taking = Promise.resolve();
    /** channels that a view of this page has put into a chat, a room or before a game */
    this.used = new Set();
    /** until the stream has said which channels there are */
    this.ready = Promise.resolve();
    /** null until known */
    this.available = null;
    this.stop = () => {};
  }

  /** Whether the server has rooms, queues and channels at all. */
  async isAvailable() {
    if (this.available === null) {
      try {
        await this.app.api.get("/lobby/channel-machine"); // newcomers may ask for it too
        this.available = true;
      } catch (error) {
        if (error.status !== 404) throw error;
        this.available = false;
      }
    }
    return Boolean(this.available);
  }

  /** Follows our channels from now on, or stops doing so. */
  async follow(wanted) {
    this.stop();
    this.channels.clear();
    let stopped = false;
    this.stop = () => (stopped = true);
    this.ready = wanted ? this.firstWord() : Promise.resolve();
    if (!wanted || !(await this.isAvailable().catch(() => false)) || stopped) return;
    this.app.header.render();
    this.stop = this.app.api.followLobby({ onEvent: (name, data) => this.hear(name, data) });
  }

  firstWord() {
    return new Promise((resolve) => {
      this.addEventListener("snapshot", resolve, { once: true });
      setTimeout(resolve, PATIENCE_MS);
    });
  }

  hear(name, data) {
    if (name === "snapshot")
      this.channels = new Map(data.channels.map((c) => [c.id, { ...c, heard: performance.now() }]));
    if (name === "channel") this.move(data);
    if (name === "watch") this.follows(data);
    this.dispatchEvent(new CustomEvent(name, { detail: data }));
  }

  move({ channel, version, event, state, reason }) {
    const before = this.channels.get(channel);
    if (before?.version >= version) return;
    if (event === "deleted") this.channels.delete(channel);
    else this.channels.set(channel, { ...before, id: channel, version, state, heard: performance.now() });
    if (reason && reason !== "game_over" && reason !== "left") toast(t(`lobby.reason.${reason}`), "bad");
    const started = state?.value === "game" && before?.state.value !== "game" && before?.state.value !== "leave";
    if (started && this.mayGo(before)) this.app.go(`#/game/${state.game.id}`);
  }

  /** The table that we watch has another game: whoever looks at the last one goes on with the others. */
  follows({ channel, state }) {
    const before = this.channels.get(channel);
    if (!before) return;
    this.channels.set(channel, { ...before, state, heard: performance.now() });
    const last = before.state.game?.id;
    if (last && location.hash === `#/game/${last}`) this.app.go(`#/game/${state.game.id}`);
  }

  /** A game that begins takes us to its table, unless we sit at another one right now. */
  mayGo(before) {
    const [, open] = /^#\/game\/([\w-]+)/.exec(location.hash) ?? [];
    return !open || open === before?.state.game?.id || !this.at(open);
  }

  /** Where our channels are busy: what there is to come back to. */
  busy = () => [...this.channels.values()].filter(({ state }) => LATER.includes(state.value));

  /** The channel that is at a game. */
  at = (game) => [...this.channels.values()].find(({ state }) => state.game?.id === game);

  /**
   * Goes into a room or a chat. A channel that is there already, from before a reload, is used again.
   *
   * @param {"chatjoin" | "subscribe"} name @param {string} room
   */
  async attend(name, room) {
    await this.ready;
    const isThere = ({ state }) =>
      name === "chatjoin"
        ? state.value === "chat" && state.id === room
        : state.value === "subscribed" && state.room.id === room;
    const there = [...this.channels.values()].find(isThere);
    if (!there) return this.command(name, { room });
    this.used.add(there.id);
    return this.app.api.channel(there.id);
  }

  /** Sends a command on a channel; on a free one, made if need be, when none is given. */
  async command(name, body, channel = null) {
    const id = channel ?? (await this.take());
    try {
      const answer = await this.app.api.command(id, name, body);
      if (answer.state.value in WAYS_OUT) this.used.add(id);
      else this.used.delete(id);
      this.move({ channel: id, version: answer.version, event: name, state: answer.state });
      this.dispatchEvent(new CustomEvent("channel", { detail: { channel: id, ...answer } }));
      return { ...answer, id };
    } catch (error) {
      if (channel || error.code !== "wrong_state" || (await this.look(id)).value === "free") throw error;
      return this.command(name, body); // another tab was faster with this channel
    } finally {
      this.taken.delete(id);
    }
  }

  /** What a channel really does, when we were mistaken. */
  async look(id) {
    const found = await this.app.api.channel(id);
    this.channels.set(id, { ...found, heard: performance.now() });
    return found.state;
  }

  /** A free channel that no other command is about to use; one is taken at a time, so that none is taken twice. */
  take() {
    this.taking = this.taking.catch(() => {}).then(() => this.takeNow());
    return this.taking;
  }

  async takeNow() {
    await this.ready;
    const idle = [...this.channels.values()].find(({ id, state }) => state.value === "free" && !this.taken.has(id));
    const channel = idle ?? (await this.make());
    this.taken.add(channel.id);
    if (!idle)
      this.channels.set(channel.id, { heard: performance.now(), ...this.channels.get(channel.id), ...channel });
    return channel.id;
  }

  /** A new channel; when there are too many, one that a page has left behind. */
  async make() {
    try {
      return await this.app.api.createChannel("web");
    } catch (error) {
      const left = [...this.channels.values()].find(({ id, state }) => state.value in WAYS_OUT && !this.used.has(id));
      if (error.code !== "too_many_channels" || !left) throw error;
      return this.app.api.command(left.id, WAYS_OUT[left.state.value]);
    }
  }
}

/** What is left of a channel's wait, in ms. */
export function remaining(channel) {
  const wait = channel.state.wait;
  return wait ? Math.max(0, wait.value - wait.tick - (performance.now() - channel.heard)) : null;
}
