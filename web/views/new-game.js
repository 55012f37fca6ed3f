// A game to one's own taste: type, seats and options, as the catalogue describes them.

import { button, el } from "../dom.js";
import { t, word } from "../i18n.js";
import { nickname } from "../settings.js";
import { optionFields } from "./options.js";
import { bots, defaultSeats } from "./seats.js";
import { comeIn } from "./sign-in.js";
import { someNick } from "./nicks.js";

/** @param {HTMLElement} main @param {import("../main.js").App} app @param {string} name */
export function open(main, app, name) {
  const form = el("form", { class: "card stack" }, el("h1", {}, word("game", name)));
  main.append(form);
  load().catch(app.explain);

  async function load() {
    const game = (await app.api.catalogue()).find((each) => each.name === name);
    if (game) render(game, game.types[0], Math.min(...game.types[0].seats));
    else form.append(el("p", {}, t("error.not_found")));
  }

  function render(game, type, count) {
    const pickType = pick(
      game.types.map((each) => [each.game_type, word("type", each.game_type)]),
      type.game_type,
      (chosen) => {
        const next = game.types.find((each) => each.game_type === chosen);
        render(game, next, next.seats.includes(count) ? count : next.seats[0]);
      },
    );
    const pickCount = pick(
      type.seats.map((n) => [n, t("new.players", { n })]),
      count,
      (n) => render(game, type, Number(n)),
    );
    const others = Array.from({ length: count - 1 }, (_, i) =>
      pick(seatWords(type), defaultSeats(type, "bot")[1], undefined, t("new.seat", { n: i + 2 })),
    );
    const fields = optionFields(type.options);
    const go = el("button", { type: "submit", class: "main" }, t("new.start"));
    form.replaceChildren(
      el("h1", {}, word("game", name)),
      game.types.length > 1 ? labelled(t("new.type"), pickType) : "",
      type.seats.length > 1 ? labelled(t("new.count"), pickCount) : "",
      el("fieldset", {}, el("legend", {}, t("new.seats")), el("p", { class: "seat-me" }, t("new.me")), others),
      el("fieldset", { class: "options" }, el("legend", {}, t("new.options")), fields.nodes),
      el(
        "div",
        { class: "row" },
        go,
        button(t("cancel"), () => app.go("#/"), { class: "plain" }),
      ),
    );
    form.onsubmit = async (event) => {
      event.preventDefault();
      go.disabled = true;
      try {
        if (!app.me && !(await comeIn(app, nickname() || someNick(), false))) return;
        const seats = ["me", ...others.map((each) => each.querySelector("select").value)];
        const { id } = await app.api.createGame(type.game_type, seats, fields.values());
        app.go(`#/game/${id}`);
      } catch (error) {
        app.explain(error);
      } finally {
        go.disabled = false;
      }
    };
  }
}

const seatWords = (type) => [
  ...bots(type).map((bot) => [`bot:${bot}`, t("new.bot", { name: word("bot", bot) })]),
  ["open", t("new.open")],
];

function pick(options, chosen, onpick, label) {
  const list = el(
    "select",
    { onchange: (event) => onpick?.(event.target.value) },
    options.map(([value, text]) => el("option", { value, selected: String(value) === String(chosen) }, text)),
  );
  return label ? labelled(label, list) : list;
}

const labelled = (name, control) => el("label", { class: "field" }, el("span", {}, name), control);
