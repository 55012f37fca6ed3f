// What the lobby adds to the cards of the first page: queues with how many wait, and rooms with their tables.

import { button, el, refresh } from "../dom.js";
import { t, word } from "../i18n.js";

const EVERY_MS = 4_000;

/** @param {import("../main.js").App} app @param {HTMLElement} cards @param {import("../parlor.js").CatalogueGame[]} games @returns {() => void} */
export function fillLobby(app, cards, games) {
  let gone = false;

  /** Whoever is there: all types of the game with any number of seats, for nothing. */
  const find = (game) => {
    const criteria = game.types.map((type) => ({ game_type: type.game_type, num_seats: type.seats, cash_bet: [0] }));
    app.lobby.command("find", { queue: game.name, criteria }).catch(app.explain);
  };

  async function look() {
    if (gone || document.hidden) return;
    try {
      const [rooms, ...queues] = await Promise.all([app.api.rooms(), ...games.map(({ name }) => app.api.queue(name))]);
      const tables = new Map(rooms.map((room) => [room.id, room.tables]));
      games.forEach((game, i) => show(game, queues[i].waiting, tables.get(game.name) ?? 0));
    } catch (error) {
      if (!gone) console.debug(error);
    }
  }

  function show(game, waiting, tables) {
    const row = cards.querySelector(`.lobby-only[data-game="${game.name}"]`);
    if (!row) return;
    const name = word("game", game.name);
    const many = (key, n) => (n ? ` · ${t(key, { n })}` : "");
    row.hidden = false;
    refresh(row, [
      button(t("home.find") + many("home.waiting", waiting), () => find(game), {
        "aria-label": `${t("home.find")}: ${name}${many("home.waiting", waiting)}`,
      }),
      el(
        "a",
        {
          class: "button",
          href: `#/room/${game.name}`,
          "aria-label": `${t("home.room")}: ${name}${many("home.tables", tables)}`,
        },
        t("home.room") + many("home.tables", tables),
      ),
    ]);
  }

  look();
  const timer = setInterval(look, EVERY_MS);
  return () => {
    gone = true;
    clearInterval(timer);
  };
}
