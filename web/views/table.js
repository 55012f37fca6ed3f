// A game: its board, its people, and what can be said at the table.

import { boardOf } from "../boards/index.js";
import { button, el, setText } from "../dom.js";
import { fold } from "../fold.js";
import { t, word } from "../i18n.js";
import { forgetGame, rememberGame } from "../settings.js";
import { sound } from "../sound.js";
import { toast } from "../toast.js";
import { actions } from "./actions.js";
import { headline, nicks } from "./headline.js";
import { players } from "./players.js";
import { share } from "./share.js";

const CLOCKS = ["snapshot", "started"]; // besides every message that has waits

/** @param {HTMLElement} main @param {import("../main.js").App} app @param {string} id */
export function open(main, app, id) {
  const game = app.api.game(id);
  let view = null; // as last told
  let board = null;
  let loading = null;
  let missed = []; // what was told while the board was being loaded
  let busy = false; // a command is on its way
  let settled = 0; // the version that shows our last move
  let acked = 0;
  let chat = null;
  let left = false; // for another view

  const status = el("h1", {}, t("table.opening"));
  const said = el("p", { class: "said" });
  const host = el("div", { class: "board" });
  const tray = el("div", { class: "tray row" });
  const seats = players();
  const bar = actions({ app, game, command });
  const link = share();
  const extra = el("div", { class: "extra" });
  const section = el(
    "section",
    { class: "table" },
    el("div", { class: "status" }, el("div", { role: "status" }, status, said)),
    el("div", { class: "seats" }, seats.nodes),
    host,
    tray,
    bar.node,
    link.node,
    extra,
  );
  main.append(section);

  // --- what the server says ---

  const stop = game.follow({
    onState: (state) => app.header.link(state),
    onRefused(problem) {
      forgetGame(id);
      if (problem.status === 404) gone();
      else app.explain(problem);
    },
    onEvent(name, data) {
      const before = view;
      view = fold(view, name, data);
      if (!view) return;
      acknowledge();
      hear(name, data, before);
      render({ name, data });
    },
  });

  function gone() {
    section.replaceChildren(
      el(
        "div",
        { class: "card narrow" },
        el("h1", {}, t("table.none")),
        el("p", {}, t("table.none_text")),
        el(
          "div",
          { class: "row" },
          el("a", { class: "button main", href: "#/" }, t("home.link")),
          el("a", { class: "button", href: `#/replay/${id}` }, t("table.replay")),
        ),
      ),
    );
  }

  /** A wave is answered as soon as it is here, so that nobody waits for us. */
  function acknowledge() {
    const owed = view.self && view.waits.some(({ name, box }) => name === "ack" && box === view.self.box);
    if (!owed || view.version <= acked) return;
    acked = view.version;
    game.ack(acked).catch(() => (acked = 0));
  }

  function hear(name, data, before) {
    if (
      name === "reject_undo" ||
      name === "auto_reject_undo" ||
      name === "timeup_reject_undo" ||
      name === "approve_undo"
    )
      toast(t(`undo.${name}`), name === "approve_undo" ? "good" : "bad");
    if (name === "draw_rejected" && data.by !== view.self?.box) toast(t("draw.rejected"));
    if (name === "game_over" || name === "aborted") sound("over");
    else if (before && view.sync?.turn === "my_turn" && before.sync?.turn !== "my_turn") sound("turn");
    else if (name === "response" || name === "tile_placed" || name === "table") sound("move");
  }

  // --- what is shown ---

  async function render(news) {
    const over = view.status === "finished" || view.status === "aborted";
    if (news.name === "snapshot" || news.name === "started" || over)
      rememberGame({
        id,
        type: view.game_type,
        user: app.me?.id,
        over: over || !view.self,
        commitment: view.commitment,
      });
    const title = headline(view);
    setText(status, title);
    document.title = `${title} · ${word("type", view.game_type)} · Parlor`;
    section.dataset.game = view.game_type;
    const fresh = CLOCKS.includes(news.name) || Boolean(news.data?.waits);
    seats.update(view, board, fresh);
    bar.update(view, busy, fresh);
    link.update(view);
    if (!board) {
      missed.push([view, news]);
      loading ??= load(view.game_type);
      return;
    }
    board.update(offered(), news);
    const told = news.name === "snapshot" ? "" : board.tell?.(news, view, nicks(view));
    if (told) setText(said, told);
  }

  async function load(type) {
    try {
      const drawn = await boardOf(type);
      board = drawn.board(host, { play, tray });
      for (const [shown, news] of missed) board.update({ ...shown, legal_moves: undefined, busy: true }, news);
      missed = [];
      board.update(offered(), { name: "again" });
      seats.update(view, board, false);
      await openChat();
    } catch (error) {
      loading = null;
      app.explain(error);
    }
  }

  /** The view without moves, and said to be busy, while one is on its way, so that nothing is played twice. */
  const offered = () => (busy || view.version < settled ? { ...view, legal_moves: undefined, busy: true } : view);

  const again = () => view && render({ name: "again" });

  /** At a table of the lobby people talk. */
  async function openChat() {
    if (!view.table || chat || !(await app.lobby.isAvailable())) return;
    const { chatPanel } = await import("./chat.js");
    if (left || chat) return;
    chat = chatPanel(app, view.table);
    extra.append(chat.node);
  }

  // --- what the player does ---

  /** Sends one command at a time; what it changes comes back on the game's stream. */
  async function command(work) {
    if (busy) return;
    busy = true;
    again();
    try {
      await work();
    } catch (error) {
      app.explain(error);
    }
    busy = false;
    again();
  }

  const play = (move) =>
    move &&
    command(async () => {
      const { version, accepted, reason } = await game.move({ ...move, seen: view.version });
      settled = version;
      if (accepted === false) toast(word("refused", reason), "bad");
    });

  app.lobby.addEventListener("channel", again);
  app.lobby.addEventListener("snapshot", again);

  return () => {
    left = true;
    stop();
    seats.stop();
    bar.stop();
    chat?.stop();
    stopWatching(app, id);
    app.lobby.removeEventListener("channel", again);
    app.lobby.removeEventListener("snapshot", again);
  };
}

/** A channel that only watched this game is free again once we look away. */
function stopWatching(app, id) {
  const channel = app.lobby.at(id);
  if (channel?.state.value === "watch") app.lobby.command("unwatch", {}, channel.id).catch(() => {});
}
