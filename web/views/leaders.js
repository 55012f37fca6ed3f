// The best at each kind of game.

import { el, nameOf } from "../dom.js";
import { t, word } from "../i18n.js";

const COLUMNS = ["rank", "player", "level", "games", "wins"];

/** @param {HTMLElement} main @param {import("../main.js").App} app @param {string} [type] */
export function open(main, app, type = "gomoku") {
  const list = el("div", { class: "stack" });
  const pick = el("select", { onchange: () => app.go(`#/leaders/${pick.value}`) });
  main.append(
    el(
      "section",
      { class: "card stack" },
      el("h1", {}, t("leaders.title")),
      el("label", { class: "field" }, el("span", {}, t("leaders.game")), pick),
      list,
    ),
  );
  fill().catch(app.explain);

  async function fill() {
    const types = (await app.api.catalogue()).flatMap((game) => game.types.map((each) => each.game_type));
    const option = (value) => el("option", { value, selected: value === type }, word("type", value));
    pick.replaceChildren(...types.map(option));
    const entries = await app.api.leaderboard(type);
    list.replaceChildren(entries.length ? table(entries) : el("p", {}, t("leaders.none")));
  }

  function table(entries) {
    const head = COLUMNS.map((name) => el("th", { scope: "col" }, t(`leaders.${name}`)));
    const cell = (content) => el("td", {}, content);
    const row = ({ rank, user, nick, lvl, games, wins }) =>
      el(
        "tr",
        { "data-self": user === app.me.id },
        cell(rank),
        el("th", { scope: "row" }, el("a", { href: `#/user/${user}` }, nameOf(nick))),
        cell(lvl),
        cell(games),
        cell(wins),
      );
    return el("table", { class: "scores" }, el("thead", {}, el("tr", {}, head)), el("tbody", {}, entries.map(row)));
  }
}
