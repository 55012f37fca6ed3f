// The door: for those who come over a link to a game and have no name yet.

import { el } from "../dom.js";
import { t } from "../i18n.js";
import { nickname, rememberNick } from "../settings.js";
import { someNick } from "./nicks.js";

export function open(main, app) {
  const nick = el("input", {
    id: "nick",
    name: "nick",
    required: true,
    maxlength: 32,
    autocomplete: "nickname",
    spellcheck: "false",
    value: nickname() || someNick(),
  });
  const enter = el("button", { type: "submit", class: "main" }, t("sign_in.enter"));
  const form = el("form", { class: "stack" }, el("label", { for: "nick" }, t("sign_in.name")), nick, enter);
  form.onsubmit = async (event) => {
    event.preventDefault();
    enter.disabled = true;
    await comeIn(app, nick.value);
    enter.disabled = false;
  };
  main.append(
    el("section", { class: "card narrow" }, el("h1", {}, t("sign_in.title")), el("p", {}, t("sign_in.text")), form),
  );
  nick.focus();
  nick.select();
}

/** Signs in as a guest and shows what the address asks for. Returns whether it worked. */
export async function comeIn(app, nick, thenShow = true) {
  try {
    const { user } = await app.api.guest(nick.trim());
    rememberNick(user.nick);
    app.signedIn(user);
    if (thenShow) app.go(location.hash || "#/");
    return true;
  } catch (error) {
    app.explain(error);
    return false;
  }
}
