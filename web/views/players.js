// Who sits at the table: presence, colour, clock and bank.

import { el, minutes, nameOf, set, setText } from "../dom.js";
import { awaited, clock } from "../fold.js";
import { t } from "../i18n.js";

const URGENT_MS = 10_000;

/** A list of the seats whose clocks run between the server's words. */
export function players() {
  const list = el("ol", { class: "players", "aria-label": t("table.players") });
  const watching = el("p", { class: "watching" });
  let view = null;
  let heard = 0;
  let rows = [];

  function row(player, board) {
    const { box, nick, online, away } = player;
    const presence = t(away ? "presence.away" : online ? "presence.online" : "presence.offline");
    const mark = board?.mark?.(view, box);
    const note = board?.note?.(view, box) ?? "";
    const face = el("span", { class: "clock", role: "timer", "aria-label": t("table.clock", { nick }) });
    const bar = el("span", { class: "bar" }, el("span", {}));
    const node = el(
      "li",
      {
        "data-box": box,
        "data-turn": awaited(view).includes(box),
        "data-winner": Boolean(view.result?.winners.includes(box)),
        "data-self": view.self?.box === box,
      },
      el("span", { class: "dot", "data-presence": away ? "away" : online ? "online" : "offline", title: presence }),
      mark && el("span", { class: "mark", "aria-hidden": "true" }, mark),
      el(
        "span",
        { class: "name" },
        nameOf(nick),
        view.self?.box === box && el("span", { class: "you" }, ` ${t("seat.you")}`),
        player.user.startsWith("bot:") && el("span", { class: "tag" }, t("seat.bot")),
        el("span", { class: "unseen" }, `, ${presence}`),
      ),
      note && el("span", { class: "note" }, note),
      face,
      bar,
    );
    return { box, node, face, bar };
  }

  /** Runs the clocks on from the moment they were told. */
  function tick() {
    if (!view) return;
    for (const { box, face, bar } of rows) {
      const shown = clock(view, box, performance.now() - heard);
      setText(face, shown ? minutes(shown.left) : idle(box));
      set(face, {
        "data-bank": Boolean(shown?.bank),
        "data-urgent": Boolean(shown && shown.left < URGENT_MS),
        "data-running": Boolean(shown),
      });
      bar.hidden = !shown;
      if (shown) bar.firstChild.style.transform = `scaleX(${Math.min(1, shown.left / shown.whole)})`;
    }
  }

  function idle(box) {
    const bank = view.players.find((player) => player.box === box)?.timeBank;
    return view.status === "active" && view.options?.move_time && bank ? t("table.bank", { time: minutes(bank) }) : "";
  }

  const timer = setInterval(tick, 250);
  return {
    nodes: [list, watching],
    stop: () => clearInterval(timer),
    /** @param {import("../parlor.js").View} next @param {import("../boards/index.js").Board} [board] @param {boolean} fresh whether its clocks are of now */
    update(next, board, fresh) {
      view = next;
      if (fresh) heard = performance.now();
      rows = view.players.map((player) => row(player, board));
      const open = view.status === "waiting" ? [el("li", { class: "open" }, t("table.open_seat"))] : [];
      list.replaceChildren(...rows.map(({ node }) => node), ...open);
      const { watchers = [] } = view;
      watching.replaceChildren(
        ...(watchers.length
          ? [t("table.watching"), " ", ...watchers.flatMap(({ nick }, i) => [i ? ", " : "", nameOf(nick)])]
          : []),
      );
      tick();
    },
  };
}
