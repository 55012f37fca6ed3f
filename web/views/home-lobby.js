// What the lobby adds to the cards of the first page: queues with how many wait, and rooms with their tables.

import { button, el, refresh } from "../dom.js";
import { t, word } from "../i18n.js";

const EVERY_MS = 4_000;

/**
 * @param {import("../main.js").App} app @param {HTMLElement} cards @param {import("../parlor.js").CatalogueGame[]} games
 * @param {(work: () => Promise<void>) => void} as does the work once we are somebody
 * @returns {() => void}
 */
export function fillLobby(app, cards, games, as) {
  let gone = false;

  /** Whoever is there: all types of the game with any number of seats, for nothing. */
  const find = (game) => {
    const criteria = game.types.map((type) => ({ game_type: type.game_type, num_seats: type.seats, cash_bet: [0] }));
    as(async () => {
      await app.lobby.command("find", { queue: game.name, criteria });
      if (!gone) app.go("#/"); // a newcomer has become somebody
    });
  };

  async function look() {
    if (gone || document.hidden || !app.me) return;
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
    const words = (action, key, n) => {
      const many = n ? t(key, { n }) : "";
      const label = `${t(action)}: ${name}${many && ` · ${many}`}`;
      return { "aria-label": label, title: many || null };
    };
    const pill = (n) => n > 0 && el("span", { class: "pill" }, n);
    row.hidden = false;
    refresh(row, [
      button([t("home.find"), pill(waiting)], () => find(game), words("home.find", "home.waiting", waiting)),
      el(
        "a",
        { class: "button", href: `#/room/${game.name}`, ...words("home.room", "home.tables", tables) },
        t("home.room"),
        pill(tables),
      ),
    ]);
  }

  games.forEach((game) => show(game, 0, 0));
  look();
  const timer = setInterval(look, EVERY_MS);
  return () => {
    gone = true;
    clearInterval(timer);
  };
}
