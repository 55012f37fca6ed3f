// Talk in a room or at a table.

import { el, nameOf, setText } from "../dom.js";
import { language, t } from "../i18n.js";

const LONGEST = 500; // what the server takes
const SHOWN = 100;

/** @param {import("../main.js").App} app @param {string} room a room's or a table's id */
export function chatPanel(app, room) {
  let channel = null;
  let stopped = false;
  const list = el("ol", { class: "lines", role: "log", "aria-label": t("chat.title"), tabindex: 0 });
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
    setup(told.state.chat);
    node.hidden = false;
  }

  function setup(chat) {
    list.replaceChildren(...(chat?.messages ?? []).map(line).filter(Boolean));
    count(chat?.users);
    list.scrollTop = list.scrollHeight;
  }

  const count = (users) => users !== undefined && setText(people, t("chat.people", { n: users }));

  /** One entry; what somebody wrote is text and nothing else. */
  function line({ event, nick, ts, text: said }) {
    if (event !== "msg") return null;
    const time = new Date(ts).toLocaleTimeString(language(), { hour: "2-digit", minute: "2-digit" });
    return el(
      "li",
      {},
      el("span", { class: "line-head" }, nameOf(nick), el("time", { class: "faint" }, time)),
      el("span", { class: "line-text", dir: "auto" }, said),
    );
  }

  const heard = ({ detail }) => {
    if (detail.channel !== channel) return;
    if (detail.event === "setup") return setup(detail);
    const entry = line(detail);
    if (!entry) return;
    const atEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 40;
    list.append(entry);
    while (list.children.length > SHOWN) list.firstChild.remove();
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
  join().catch(app.explain);
  return {
    node,
    stop() {
      stopped = true;
      app.lobby.removeEventListener("chat", heard);
      leave();
    },
  };
}
