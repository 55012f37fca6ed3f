// Who somebody is: name and ratings; of ourselves also an account, what is in the wallets, and the games played here.

import { el, nameOf } from "../dom.js";
import { language, t, word } from "../i18n.js";
import { recentGames, rememberNick } from "../settings.js";

/** @param {HTMLElement} main @param {import("../main.js").App} app @param {string} [id] somebody else */
export function open(main, app, id) {
  if (id && id !== app.me.id) openOther(main, app, id).catch(app.explain);
  else openOwn(main, app);
}

async function openOther(main, app, id) {
  const { user, ratings, online } = await app.api.profile(id);
  const card = el("section", { class: "card stack" });
  card.append(
    el("h1", {}, nameOf(user.nick)),
    el("p", { class: "faint" }, t(online ? "presence.online" : "presence.offline")),
    ratings.length ? ratingTable(ratings) : el("p", {}, t("profile.no_ratings")),
  );
  main.append(card);
}

function openOwn(main, app) {
  const { me } = app;
  const ratings = el("section", { class: "card stack", hidden: true });
  const wallets = el("section", { class: "card stack", hidden: true });
  main.append(
    el(
      "div",
      { class: "stack profile" },
      el(
        "section",
        { class: "card stack" },
        el("h1", {}, nameOf(me.nick)),
        el("p", { class: "faint" }, t(me.guest ? "profile.guest" : "profile.account")),
      ),
      me.guest ? accountForms(app) : "",
      ratings,
      wallets,
      games(app),
    ),
  );
  fromLobby(app, ratings, wallets).catch(app.explain);
}

async function fromLobby(app, ratings, wallets) {
  if (!(await app.lobby.isAvailable())) return;
  await fillRatings(app, ratings);
  try {
    await fillWallets(app, wallets);
  } catch (error) {
    if (error.status !== 404) throw error; // a server may have a lobby and no money
  }
}

function accountForms(app) {
  const form = (title, text, action, nick, work) => {
    const id = action.replace(".", "-");
    const name = el("input", {
      id: `${id}-nick`,
      required: true,
      maxlength: 32,
      autocomplete: "username",
      value: nick,
    });
    const password = el("input", {
      id: `${id}-password`,
      type: "password",
      required: true,
      minlength: 8,
      maxlength: 128,
      autocomplete: action === "account.register" ? "new-password" : "current-password",
    });
    const made = el(
      "form",
      { class: "card stack" },
      el("h2", {}, title),
      el("p", { class: "faint" }, text),
      el("label", { class: "field", for: `${id}-nick` }, el("span", {}, t("account.nick")), name),
      el("label", { class: "field", for: `${id}-password` }, el("span", {}, t("account.password")), password),
      el("button", { type: "submit", class: "main" }, t(action)),
    );
    made.onsubmit = async (event) => {
      event.preventDefault();
      try {
        const { user } = await work(name.value.trim(), password.value);
        rememberNick(user.nick);
        app.signedIn(user);
        app.go("#/me");
      } catch (error) {
        app.explain(error);
      }
    };
    return made;
  };
  return el(
    "div",
    { class: "stack" },
    form(t("account.keep"), t("account.keep_text"), "account.register", app.me.nick, app.api.register),
    form(t("account.login"), t("account.login_text"), "account.login", "", app.api.login),
  );
}

function games(app) {
  const played = recentGames(app.me.id);
  if (!played.length) return "";
  const rows = played.map(({ id, type, over }) =>
    el(
      "li",
      { class: "row" },
      el("span", {}, word("type", type)),
      el(
        "a",
        { class: "button", href: over ? `#/replay/${id}` : `#/game/${id}` },
        t(over ? "table.replay" : "dock.open"),
      ),
    ),
  );
  return el("section", { class: "card stack" }, el("h2", {}, t("profile.games")), el("ul", { class: "played" }, rows));
}

async function fillRatings(app, host) {
  const { ratings } = await app.api.profile(app.me.id);
  if (!ratings.length) return;
  host.append(el("h2", {}, t("profile.ratings")), ratingTable(ratings));
  host.hidden = false;
}

function ratingTable(ratings) {
  const cell = (content) => el("td", {}, content);
  const head = ["leaders.game", "leaders.level", "leaders.games", "leaders.wins"];
  const rows = ratings.map(({ game_type, lvl, games, wins }) =>
    el("tr", {}, el("th", { scope: "row" }, word("type", game_type)), cell(lvl), cell(games), cell(wins)),
  );
  const columns = head.map((key) => el("th", { scope: "col" }, t(key)));
  return el("table", { class: "scores" }, el("thead", {}, el("tr", {}, columns)), el("tbody", {}, rows));
}

async function fillWallets(app, host) {
  const held = await app.api.wallets();
  if (!held.length) return;
  const parts = await Promise.all(
    held.map(async ({ currency, balance }) => {
      const entries = await app.api.walletEntries(currency);
      const when = (ts) => new Date(ts).toLocaleString(language(), { dateStyle: "short", timeStyle: "short" });
      const rows = entries
        .slice(0, 10)
        .map(({ ts, change, reason, balance: after }) =>
          el(
            "tr",
            {},
            el("td", {}, when(ts)),
            el("td", {}, word("wallet", reason.toLowerCase())),
            el("td", {}, change > 0 ? `+${change}` : change),
            el("td", {}, after),
          ),
        );
      const head = el(
        "tr",
        {},
        ["when", "why", "change", "balance"].map((key) => el("th", { scope: "col" }, t(`wallet.${key}`))),
      );
      return [
        el("p", {}, t("wallet.balance_of", { n: balance, currency })),
        el("table", { class: "scores" }, el("thead", {}, head), el("tbody", {}, rows)),
      ];
    }),
  );
  host.append(el("h2", {}, t("wallet.title")), ...parts.flat());
  host.hidden = false;
}
