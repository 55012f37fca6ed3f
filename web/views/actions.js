// What can be said at a table besides moves: join, undo, draw, resign, leave and return, again.

import { button, el, seconds, set, setText } from "../dom.js";
import { t } from "../i18n.js";
import { ask } from "./ask.js";
import { rematch } from "./rematch.js";

const OPEN_FOR_TWO = ["xsos", "gomoku", "go"]; // where a move may be asked back

/** @param {{ app: import("../main.js").App, game: import("../parlor.js").Game, command: (work: () => Promise<any>) => void }} table */
export function actions({ app, game, command }) {
  let view = null;
  let heard = 0;
  const do_ = (work) => () => command(work);
  const is = {
    join: button(t("table.join"), do_(join), { class: "main" }),
    back: button(
      t("table.return"),
      do_(() => say("return")),
      { class: "main" },
    ),
    undo: button(
      t("undo.ask"),
      do_(() => game.undo("request", view.version)),
    ),
    draw: button(
      t("draw.offer"),
      do_(() => game.draw("offer")),
    ),
    leave: button(
      t("table.leave"),
      do_(async () => {
        await say("leave");
        app.go("#/");
      }),
      { class: "plain" },
    ),
    resign: button(
      t("table.resign"),
      async () => {
        if (await ask(t("table.resign_sure"), t("table.resign"))) command(() => game.resign());
      },
      { class: "plain" },
    ),
    again: button(t("table.again"), do_(anew), { class: "main" }),
    replay: el("a", { class: "button", href: `#/replay/${game.id}` }, t("table.replay")),
    home: el("a", { class: "button plain", href: "#/" }, t("home.link")),
  };
  const undoBox = box("undo", t("undo.asked"), [
    button(
      t("undo.approve"),
      do_(() => game.undo("approve")),
      { class: "main" },
    ),
    button(
      t("undo.reject"),
      do_(() => game.undo("reject")),
    ),
  ]);
  const drawBox = box("draw", t("draw.offered"), [
    button(
      t("draw.accept"),
      do_(() => game.draw("accept")),
      { class: "main" },
    ),
    button(
      t("draw.reject"),
      do_(() => game.draw("reject")),
    ),
  ]);
  const waiting = el("p", { class: "waiting", hidden: true });
  const again = rematch(app, game.id, command);
  const node = el(
    "div",
    { class: "actions", hidden: true },
    undoBox.node,
    drawBox.node,
    waiting,
    again.node,
    el("div", { class: "row" }, Object.values(is)),
  );

  /** Leaving and returning go through our channel, if the lobby seated us here. */
  const say = (word) => {
    const channel = app.lobby.at(game.id);
    return channel ? app.lobby.command(word, {}, channel.id) : game[word]();
  };

  /** A game of the lobby is joined through the lobby. */
  async function join() {
    try {
      await game.join();
    } catch (error) {
      if (error.code !== "forbidden" || !(await app.lobby.isAvailable())) throw error;
      await app.lobby.command("join", { game: game.id });
    }
  }

  /** The same table once more; where people sat, seats are open. */
  async function anew() {
    const seats = view.players.map(({ box, user }) =>
      box === view.self?.box ? "me" : user.startsWith("bot:") ? user : "open",
    );
    if (!view.self) seats[seats.findIndex((seat) => seat === "open")] = "me";
    const { id } = await app.api.createGame(view.game_type, seats, view.options);
    app.go(`#/game/${id}`);
  }

  function tick() {
    if (!view) return;
    const wait = view.waits.find(({ name }) => name === "undo");
    const left = wait ? seconds(Math.max(0, wait.value - wait.tick - (performance.now() - heard))) : 0;
    undoBox.count(wait ? t("undo.left", { n: left }) : "");
    if (view.sync?.undo === "requesting" && wait) setText(waiting, t("undo.waiting", { n: left }));
    again.tick();
  }

  const timer = setInterval(tick, 250);
  return {
    node,
    stop: () => clearInterval(timer),
    /** @param {import("../parlor.js").View} next */
    update(next, busy, fresh) {
      view = next;
      node.hidden = false; // until the first word on the game nothing can be said at it
      if (fresh) heard = performance.now();
      const active = view.status === "active";
      const over = view.status === "finished" || view.status === "aborted";
      const seated = Boolean(view.self);
      const me = view.players.find((player) => player.box === view.self?.box);
      const ours = app.lobby.at(game.id);
      const two = view.players.length === 2;
      show(is.join, view.status === "waiting" && !seated && !ours);
      show(is.back, active && seated && me.away);
      show(is.undo, active && view.sync.undo === "allow");
      is.undo.title = OPEN_FOR_TWO.includes(view.game_type) ? t("undo.hint") : "";
      show(is.draw, active && seated && two && !view.draw && view.sync.undo !== "approving");
      show(is.leave, seated && !me.away && (active || (view.status === "waiting" && Boolean(ours))));
      setText(is.leave, t(active ? "table.leave" : "table.give_up"));
      show(is.resign, active && seated && !view.gamestate.out?.includes(view.self.box));
      show(is.again, over && !ours && view.players.some(({ user }) => !user.startsWith("bot:")));
      show(is.replay, view.status === "finished");
      show(is.home, over);
      undoBox.show(active && view.sync.undo === "approving");
      drawBox.show(active && seated && Boolean(view.draw) && view.draw.by !== view.self.box);
      const wave = view.waits.some(({ name }) => name === "ack");
      const asking = active && view.sync.undo === "requesting";
      const offering = active && seated && view.draw?.by === view.self.box;
      waiting.hidden = !wave && !asking && !offering;
      if (!asking) setText(waiting, wave ? t("table.wave") : offering ? t("draw.waiting") : "");
      again.update(view);
      for (const each of node.querySelectorAll("button")) each.disabled = busy;
      tick();
    },
  };
}

const show = (node, wanted) => set(node, { hidden: !wanted });

/** A question from the other side: not modal, since playing on is an answer too. */
function box(name, title, answers) {
  const count = el("span", { class: "count" });
  const node = el(
    "div",
    { class: "question", role: "alertdialog", "aria-labelledby": `${name}-title`, hidden: true },
    el("p", { id: `${name}-title` }, title),
    count,
    el("div", { class: "row" }, answers),
  );
  return { node, count: (text) => setText(count, text), show: (wanted) => show(node, wanted) };
}
