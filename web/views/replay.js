// A finished game, step by step, through anyone's eyes.

import { boardOf } from "../boards/index.js";
import { button, el, setText } from "../dom.js";
import { fold } from "../fold.js";
import { t, word } from "../i18n.js";
import { notedCommitment } from "../settings.js";
import { verify } from "../verify.js";
import { headline, nicks } from "./headline.js";
import { players } from "./players.js";

const STEP_MS = 900;
const WATCHERS = "watcher";

/** @param {HTMLElement} main @param {import("../main.js").App} app @param {string} id */
export function open(main, app, id) {
  const game = app.api.game(id);
  let replay = null;
  let steps = []; // the view after each event, beginning with the start
  let at = 0;
  let board = null;
  let playing = null;
  let gone = false;

  const status = el("h1", {}, t("replay.opening"));
  const said = el("p", { class: "said" });
  const host = el("div", { class: "board" });
  const tray = el("div", { class: "tray row", hidden: true });
  const seats = players();
  const slider = el("input", {
    type: "range",
    min: 0,
    value: 0,
    "aria-label": t("replay.position"),
    oninput: () => {
      pause();
      show(Number(slider.value));
    },
  });
  const run = button(t("replay.play"), () => (playing ? pause() : resume()), { class: "main" });
  const eyes = el("select", { onchange: () => load(eyes.value).catch(app.explain) });
  const checks = el("ul", { class: "checks" });
  const controls = el(
    "div",
    { class: "replay-controls" },
    slider,
    el(
      "div",
      { class: "row" },
      button("«", () => jump(0), { class: "icon", "aria-label": t("replay.first") }),
      button("‹", () => jump(at - 1), { class: "icon", "aria-label": t("replay.back") }),
      run,
      button("›", () => jump(at + 1), { class: "icon", "aria-label": t("replay.forward") }),
      button("»", () => jump(steps.length - 1), { class: "icon", "aria-label": t("replay.last") }),
    ),
  );
  const judge = button(t("replay.verify"), check, { disabled: true });
  const fairness = el("div", { class: "extra" }, judge, el("div", { role: "status" }, checks));
  main.append(
    el(
      "section",
      { class: "table replay" },
      el("div", { class: "status" }, el("div", { role: "status" }, status, said)),
      el("div", { class: "seats" }, seats.nodes),
      host,
      controls,
      el(
        "div",
        { class: "actions" },
        el("label", { class: "field" }, el("span", {}, t("replay.eyes")), eyes),
        el("div", { class: "row" }, el("a", { class: "button plain", href: "#/" }, t("home.link"))),
      ),
      fairness,
      tray,
    ),
  );

  async function load(who) {
    controls.setAttribute("aria-busy", "true");
    const told = await game.replay(who === WATCHERS ? undefined : Number(who));
    controls.removeAttribute("aria-busy");
    if (gone) return;
    replay = told;
    judge.disabled = false;
    steps = frames(told.events);
    slider.max = steps.length - 1;
    if (!board) {
      board = (await boardOf(told.game_type)).board(host, { play: () => {}, tray });
      offerEyes();
    }
    show(Math.min(at, steps.length - 1), true);
  }

  function offerEyes() {
    const seatsThere = steps.at(-1).view.players;
    eyes.replaceChildren(
      el("option", { value: WATCHERS }, t("replay.watcher")),
      ...seatsThere.map(({ box, nick }) => el("option", { value: box }, nick)),
    );
  }

  function show(next, afresh = false) {
    if (!steps.length || !board) return;
    const forward = next === at + 1 && !afresh;
    at = Math.max(0, Math.min(next, steps.length - 1));
    const { view, news, last } = steps[at];
    slider.value = at;
    slider.setAttribute("aria-valuetext", t("replay.step", { n: at, whole: steps.length - 1 }));
    seats.update(view, board, true);
    board.update(view, forward ? news : { name: "snapshot", data: view });
    if (!forward && last) board.update(view, last);
    setText(said, board.tell?.(news, view, nicks(view)) ?? "");
    setText(
      status,
      `${word("type", replay.game_type)}: ${view.status === "finished" ? headline(view) : t("replay.step", { n: at, whole: steps.length - 1 })}`,
    );
    document.title = `${t("replay.title")} · Parlor`;
  }

  const jump = (next) => {
    pause();
    show(next);
  };
  function resume() {
    if (at === steps.length - 1) show(0);
    setText(run, t("replay.pause"));
    playing = setInterval(() => (at < steps.length - 1 ? show(at + 1) : pause()), STEP_MS);
  }
  function pause() {
    clearInterval(playing);
    playing = null;
    setText(run, t("replay.play"));
  }

  /** Whoever's eyes we look through: the check needs the log, which comes with a watcher's, and what each seat was told. */
  async function check() {
    judge.disabled = true;
    try {
      const boxes = steps.at(-1).view.players.map(({ box }) => box);
      const [whole, ...each] = await Promise.all([game.replay(), ...boxes.map((box) => game.replay(box))]);
      report(await verify(whole, each, notedCommitment(id)), whole.seed);
    } catch (error) {
      app.explain(error);
    }
    judge.disabled = false;
  }

  function report(found, seed) {
    checks.replaceChildren(
      ...found.map(({ check: name, holds }) =>
        el(
          "li",
          { "data-holds": String(holds) },
          `${holds ? "✓" : "✗"} ${t(`verify.${name}.${holds ? "yes" : "no"}`)}`,
        ),
      ),
      el("li", { class: "seed" }, t("verify.seed"), " ", el("code", {}, seed)),
    );
  }

  load(WATCHERS).catch((error) => {
    setText(status, t("replay.none"));
    app.explain(error);
  });
  return () => {
    gone = true;
    pause();
    seats.stop();
  };
}

/** The views that a replay leads through; nothing can be played in them, and no clock runs. */
function frames(events) {
  const shown = [];
  let view = null;
  let last = null; // the move that a board marks
  for (const { version, event: name, data } of events) {
    view = fold(view, name, { version, ...data });
    if (view?.status === "waiting" || name === "sync") continue;
    const still = {
      ...view,
      legal_moves: undefined,
      sync: { turn: "not_my_turn", undo: "ban" },
      options: { ...view.options, move_time: 0 },
      waits: view.waits.map((wait) => ({ ...wait, paused: true })),
    };
    if (name === "response" || name === "tile_placed") last = { name, data };
    shown.push({ view: still, news: { name, data }, last });
  }
  return shown;
}
