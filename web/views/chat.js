// Talk in a room or at a table.

import { el, nameOf, setText } from "../dom.js";
import { language, t } from "../i18n.js";

const LONGEST = 500; // what the server takes
const SHOWN = 100;

/** @param {import("../main.js").App} app @param {string} room a room's or a table's id */
export function chatPanel(app, room) {
  let channel = null;
  let stopped = false;
  let here = 0;
  const shown = new Set(); // a line said while we came in is told twice, with the others and by itself
  const none = el("p", { class: "faint none" }, t("chat.none"));
  const list = el("div", { class: "lines", role: "log", "aria-label": t("chat.title"), tabindex: 0 }, none);
  const people = el("span", { class: "faint" });
  const text = el("input", {
    maxlength: LONGEST,
    autocomplete: "off",
    "aria-label": t("chat.say"),
    placeholder: t("chat.say"),
  });
  const form = el("form", { class: "row say" }, text, el("button", { type: "submit" }, t("chat.send")));
  const node = el(
    "section",
    { class: "chat", hidden: true, "aria-label": t("chat.title") },
    el("h2", {}, t("chat.title"), " ", people),
    list,
    form,
  );

  async function join() {
    if (!(await app.lobby.isAvailable())) return;
    const told = await app.lobby.attend("chatjoin", room);
    channel = told.id;
    if (stopped) return leave();
    node.hidden = false;
    (told.state.chat?.messages ?? []).forEach(add);
    count(told.state.chat?.users ?? 0);
    list.scrollTop = list.scrollHeight;
  }

  function count(n) {
    here = n;
    setText(people, t("chat.people", { n }));
  }

  function add(entry) {
    const key = `${entry.uid} ${entry.ts} ${entry.text}`;
    if (entry.event !== "msg" || shown.has(key)) return;
    shown.add(key);
    none.remove();
    list.append(line(entry));
    while (list.children.length > SHOWN) list.firstChild.remove();
  }

  /** One entry; what somebody wrote is text and nothing else. */
  function line({ nick, ts, text: said }) {
    const time = new Date(ts).toLocaleTimeString(language(), { timeStyle: "short" });
    return el(
      "div",
      { class: "line" },
      el("span", { class: "line-head" }, nameOf(nick), el("time", { class: "faint" }, time)),
      el("span", { class: "line-text", dir: "auto" }, said),
    );
  }

  const heard = ({ detail }) => {
    if (detail.channel !== channel) return;
    const others = detail.uid !== app.me?.id;
    if (detail.event === "setup") count(detail.users);
    else if (detail.event === "join" && others) count(here + 1);
    else if (detail.event === "leave" && others) count(here - 1);
    const atEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 40;
    add(detail);
    if (atEnd) list.scrollTop = list.scrollHeight;
  };

  form.onsubmit = async (event) => {
    event.preventDefault();
    const said = text.value.trim();
    if (!said || !channel) return;
    text.value = "";
    try {
      await app.lobby.command("chatmsg", { text: said }, channel);
    } catch (error) {
      text.value = said;
      app.explain(error);
    }
  };

  const leave = () => channel && app.lobby.command("chatleave", {}, channel).catch(() => {});
  app.lobby.addEventListener("chat", heard);
  join().catch((error) => error.status === 404 || app.explain(error)); // a table that has gone has no chat either
  return {
    node,
    stop() {
      stopped = true;
      app.lobby.removeEventListener("chat", heard);
      leave();
    },
  };
}
