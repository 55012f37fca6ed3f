// The first page: a name, every game one click away, and what there is to come back to.

import { button, el, nameOf } from "../dom.js";
import { t, word } from "../i18n.js";
import { nickname, recentGames, rememberNick } from "../settings.js";
import { emblem } from "./emblems.js";
import { someNick } from "./nicks.js";
import { comeIn } from "./sign-in.js";
import { defaultSeats } from "./seats.js";

const ORDER = ["xsos", "gomoku", "go", "tsuro", "cabo", "durak"];

/** @param {HTMLElement} main @param {import("../main.js").App} app */
export function open(main, app) {
  let gone = false;
  const cards = el("ul", { class: "games" });
  const back = el("section", { class: "back", hidden: true, "aria-labelledby": "back-title" });
  const nick = app.me ? null : nickField();

  main.append(
    el(
      "div",
      { class: "hero" },
      el("h1", {}, app.me ? t("home.welcome", {}) : t("home.title")),
      app.me ? el("p", {}, t("home.as"), " ", nameOf(app.me.nick)) : el("p", {}, t("home.text")),
      nick && el("div", { class: "nick-field" }, el("label", { for: "nick" }, t("sign_in.name")), nick),
    ),
    back,
    el("h2", { class: "unseen" }, t("home.games")),
    cards,
  );

  /** Makes sure that we are somebody, then does the work. */
  async function as(work) {
    for (const each of cards.querySelectorAll("button")) each.disabled = true;
    try {
      if (app.me || (await comeIn(app, nick.value || someNick(), false))) await work();
    } catch (error) {
      app.explain(error);
    }
    for (const each of cards.querySelectorAll("button")) each.disabled = false;
  }

  const start = (type, kind) =>
    as(async () => {
      const { id } = await app.api.createGame(type.game_type, defaultSeats(type, kind), firstOptions(type));
      app.go(`#/game/${id}`);
    });

  function card(game) {
    const type = game.types[0];
    const name = word("game", game.name);
    const label = (action) => ({ "aria-label": `${t(action)}: ${name}` });
    const rooms = el("div", { class: "row lobby-only", hidden: true, "data-game": game.name });
    return el(
      "li",
      { class: "game", "data-game": game.name },
      el("div", { class: "emblem", "aria-hidden": "true" }, emblem(game.name)),
      el("h3", {}, name),
      el("p", {}, t(`about.${game.name}`) === `about.${game.name}` ? type.title : t(`about.${game.name}`)),
      el(
        "div",
        { class: "row" },
        button(t("home.bot"), () => start(type, "bot"), { class: "main", ...label("home.bot") }),
        button(t("home.friend"), () => start(type, "open"), label("home.friend")),
      ),
      rooms,
      el(
        "a",
        { class: "more", href: `#/new/${game.name}`, "aria-label": `${t("home.more")}: ${name}` },
        t("home.more"),
      ),
    );
  }

  async function fill() {
    const games = await app.api.catalogue();
    if (gone) return;
    const rank = ({ name }) => ORDER.indexOf(name) + 1 || 99;
    cards.replaceChildren(...games.sort((a, b) => rank(a) - rank(b)).map(card));
    comeBack();
    if ((await app.lobby.isAvailable()) && !gone) {
      const { fillLobby } = await import("./home-lobby.js");
      if (!gone) stopLobby = fillLobby(app, cards, games, as);
    }
  }

  function comeBack() {
    const games = app.me ? recentGames(app.me.id).filter(({ over }) => !over) : [];
    back.hidden = !games.length;
    back.replaceChildren(
      el("h2", { id: "back-title" }, t("home.back")),
      el(
        "ul",
        { class: "chips" },
        games.map(({ id, type }) =>
          el("li", {}, el("a", { class: "button", href: `#/game/${id}` }, word("type", type))),
        ),
      ),
    );
  }

  let stopLobby = () => {};
  fill().catch(app.explain);
  return () => {
    gone = true;
    stopLobby();
  };
}

function nickField() {
  return el("input", {
    id: "nick",
    maxlength: 32,
    autocomplete: "nickname",
    spellcheck: "false",
    value: nickname() || someNick(),
    oninput: (event) => rememberNick(event.target.value.trim()), // for the door, if that is where the next click leads
  });
}

/** A game to begin with is a short one. */
const firstOptions = ({ game_type }) => (game_type === "go" ? { size: 9 } : {});
