// What goes on in our channels, on every page: searching, a match to confirm, a seat to take, a game to return to.

import { button, el, refresh, seconds } from "./dom.js";
import { t, word } from "./i18n.js";
import { remaining } from "./lobby.js";

/** @param {import("./main.js").App} app */
export function dock(app) {
  const host = document.getElementById("dock");
  const send = (channel, name) =>
    button(t(`dock.${name}`), () => app.lobby.command(name, {}, channel.id).catch(app.explain));
  const main = (node) => {
    node.classList.add("main");
    return node;
  };

  const ROWS = {
    find: (channel) => [t("dock.find", { game: word("game", channel.state.queue.name) }), send(channel, "findcancel")],
    begin: (channel) => [
      t("dock.match", { game: kind(channel.state.criteria), n: left(channel) }),
      main(send(channel, "begin")),
    ],
    okbegin: (channel) => [t("dock.okbegin", { game: kind(channel.state.criteria), n: left(channel) })],
    taketurn: (channel) => [t("dock.taketurn"), send(channel, "leave")],
    takeplace: (channel) => [
      t("dock.takeplace", { seat: channel.state.box + 1, n: left(channel) }),
      main(send(channel, "sitdown")),
      send(channel, "leave"),
    ],
    game: (channel) => [t("dock.game", { game: word("type", channel.state.game.type) }), open(channel)],
    leave: (channel) => [t("dock.away", { game: word("type", channel.state.game.type) }), main(back(channel))],
    revanche: (channel) => [t("dock.rematch", { game: word("type", channel.state.game.type) }), open(channel)],
    okrevanche: (channel) => [t("dock.rematch", { game: word("type", channel.state.game.type) }), open(channel)],
  };

  const kind = (criteria) => word("type", criteria.game_type);
  const left = (channel) => seconds(remaining(channel) ?? 0);
  const open = (channel) => el("a", { class: "button", href: `#/game/${channel.state.game.id}` }, t("dock.open"));
  const back = (channel) =>
    button(t("dock.return"), async () => {
      try {
        await app.lobby.command("return", {}, channel.id);
        app.go(`#/game/${channel.state.game.id}`);
      } catch (error) {
        app.explain(error);
      }
    });

  function render() {
    const here = /^#\/game\/([\w-]+)/.exec(location.hash)?.[1];
    const shown = app.lobby.busy().filter(({ state }) => state.game?.id === undefined || state.game.id !== here);
    host.hidden = !shown.length;
    refresh(
      host,
      shown.map((channel) => {
        const [text, ...acts] = ROWS[channel.state.value](channel);
        const which = { "data-state": channel.state.value, "data-channel": channel.id }; // others may look the same
        return el("div", { class: "dock-row", ...which }, el("span", {}, text), ...acts);
      }),
    );
  }

  for (const name of ["channel", "snapshot"]) app.lobby.addEventListener(name, render);
  addEventListener("hashchange", render);
  setInterval(() => app.lobby.busy().some(({ state }) => state.wait) && render(), 500);
  host.hidden = true;
}
