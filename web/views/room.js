// A room: its tables as they come and go, a new one, and the room's chat.

import { button, el, nameOf, refresh } from "../dom.js";
import { t, word } from "../i18n.js";
import { chatPanel } from "./chat.js";
import { optionFields } from "./options.js";

/** @param {HTMLElement} main @param {import("../main.js").App} app @param {string} id */
export function open(main, app, id) {
  let channel = null;
  let gone = false;
  const tables = new Map();
  const nicks = new Map(); // of those who sit at them
  const title = el("h1", {}, word("game", id));
  const list = el("ul", { class: "tables" });
  const none = el("p", { class: "none" }, t("room.none"));
  const make = el("details", { class: "card make" }, el("summary", {}, t("room.new")));
  const chat = chatPanel(app, id);
  main.append(el("section", { class: "room" }, el("div", { class: "room-main" }, title, none, list, make), chat.node));

  async function enter() {
    const [room, games] = await Promise.all([app.api.room(id), app.api.catalogue()]);
    if (gone) return;
    await Promise.all(room.tables.map((table) => look(table.id)));
    render();
    fillForm(games);
    const told = await app.lobby.attend("subscribe", id);
    channel = told.id;
    if (gone) return leave();
    for (const table of told.state.room.tables ?? []) if (!tables.has(table.id)) await look(table.id);
    render();
  }

  async function look(table) {
    try {
      const found = await app.api.table(table);
      await Promise.all(found.boxes.map(({ user }) => user && meet(user)));
      tables.set(table, found);
    } catch (error) {
      if (error.status !== 404) throw error;
      tables.delete(table);
    }
  }

  async function meet(user) {
    if (!nicks.has(user)) nicks.set(user, (await app.api.profile(user)).user.nick);
  }

  const heard = async ({ detail: { room, change, table } }) => {
    if (room !== id) return;
    if (change === "removed") tables.delete(table.id);
    else await look(table.id).catch(app.explain);
    if (!gone) render();
  };

  const send = (name, body) => () => app.lobby.command(name, body).catch(app.explain);

  async function watch(table) {
    try {
      const { state } = await app.lobby.command("watch", { table });
      app.go(`#/game/${state.game.id}`);
    } catch (error) {
      app.explain(error);
    }
  }

  const dots = ({ boxes, players }) =>
    el(
      "span",
      { class: "boxes", role: "img", "aria-label": t("room.seats", { n: players, whole: boxes.length }) },
      boxes.map(({ state }) => el("span", { class: "box", "data-state": state })),
    );

  function row(table) {
    const { boxes, watchers, bet } = table;
    const free = boxes.find((box) => box.state === "free");
    const sitting = boxes.some((box) => box.user === app.me.id);
    const facts = [bet ? t("room.bet", { n: bet }) : "", watchers ? t("room.watchers", { n: watchers }) : ""];
    const people = boxes.flatMap(({ user }) =>
      nicks.has(user) ? [el("a", { href: `#/user/${user}` }, nameOf(nicks.get(user)))] : [],
    );
    return el(
      "li",
      { class: "card table-row", "data-table": table.id }, // else the row of another table that looks the same is kept
      el(
        "div",
        { class: "table-facts" },
        el("strong", {}, word("type", table.game_type)),
        el("span", {}, dots(table), el("span", { class: "faint" }, facts.filter(Boolean).join(" · "))),
        el("span", { class: "people" }, people),
      ),
      el(
        "span",
        { class: "row" },
        free &&
          !sitting &&
          button(t("room.sit"), send("takeplace", { table: table.id, box: free.box }), { class: "main" }),
        !free && !sitting && button(t("room.queue"), send("taketurn", { table: table.id })),
        table.players > 0 && button(t("room.watch"), () => watch(table.id)),
      ),
    );
  }

  function render() {
    none.hidden = tables.size > 0;
    refresh(list, [...tables.values()].sort((a, b) => a.created - b.created).map(row));
  }

  function fillForm(games) {
    const types = (games.find((game) => game.name === id) ?? games[0]).types;
    const form = el("form", { class: "stack" });
    const show = (type) => {
      const fields = optionFields(type.options);
      const pick = (name, values, chosen, say, change) =>
        el(
          "label",
          { class: "field" },
          el("span", {}, name),
          el(
            "select",
            { onchange: change },
            values.map((value) => el("option", { value, selected: value === chosen }, say(value))),
          ),
        );
      const kind = pick(
        t("new.type"),
        types.map((each) => each.game_type),
        type.game_type,
        (each) => word("type", each),
        (event) => show(types.find((each) => each.game_type === event.target.value)),
      );
      const seats = pick(t("new.count"), type.seats, type.seats[0], (n) => t("new.players", { n }));
      const bet = pick(t("room.stake"), type.bets, 0, String);
      form.replaceChildren(
        types.length > 1 ? kind : "",
        type.seats.length > 1 ? seats : "",
        type.bets.length > 1 ? bet : "",
        el("fieldset", { class: "options" }, el("legend", {}, t("new.options")), fields.nodes),
        el("button", { type: "submit", class: "main" }, t("room.create")),
      );
      form.onsubmit = (event) => {
        event.preventDefault();
        create({
          game_type: type.game_type,
          num_seats: Number(seats.querySelector("select").value),
          cash_bet: Number(bet.querySelector("select").value),
          options: fields.values(),
        });
      };
    };
    show(types[0]);
    make.append(form);
  }

  async function create(spec) {
    try {
      const table = await app.api.createTable(id, spec);
      make.open = false;
      await look(table.id);
      render();
      await app.lobby.command("takeplace", { table: table.id, box: 0 });
    } catch (error) {
      app.explain(error);
    }
  }

  app.lobby.addEventListener("room", heard);
  const leave = () => channel && app.lobby.command("unsubscribe", {}, channel).catch(() => {});
  enter().catch(app.explain);
  return () => {
    gone = true;
    app.lobby.removeEventListener("room", heard);
    chat.stop();
    leave();
  };
}
