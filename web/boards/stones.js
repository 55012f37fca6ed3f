// Gomoku and go: a wooden board, lines and stones.

import { animate, button, refresh, svg } from "../dom.js";
import { t, word } from "../i18n.js";
import { points } from "./points.js";

const STEP = 40;
const EDGE = 38; // room for two digits beside a stone
const LETTERS = "ABCDEFGHJKLMNOPQRST"; // by custom without I
const SMALL_PX = 26; // a point narrower than this is easily missed by a finger

const at = (i) => EDGE + i * STEP;
const pointName = (x, y, size) => `${LETTERS[x]}${size - y}`;

function stars(size) {
  const far = size < 13 ? 2 : 3;
  const middle = (size - 1) / 2;
  const sides = size >= 15 && size % 2 ? [far, middle, size - 1 - far] : [far, size - 1 - far];
  const all = sides.flatMap((x) => sides.map((y) => [x, y]));
  return size % 2 ? [...all, [middle, middle]] : all;
}

function gradients() {
  const shade = (id, ...stops) =>
    svg(
      "radialGradient",
      { id, cx: 0.36, cy: 0.3, r: 0.75 },
      stops.map(([offset, cls]) => svg("stop", { offset, class: cls })),
    );
  return svg(
    "defs",
    {},
    shade("stone-black", [0, "black-light"], [1, "black-dark"]),
    shade("stone-white", [0.3, "white-light"], [1, "white-dark"]),
  );
}

function wood(size) {
  const whole = 2 * EDGE + (size - 1) * STEP;
  let d = "";
  for (let i = 0; i < size; i++) d += `M${at(0)} ${at(i)}H${at(size - 1)}M${at(i)} ${at(0)}V${at(size - 1)}`;
  const names = Array.from({ length: size }, (_, i) => [
    svg("text", { x: at(i), y: 13, "text-anchor": "middle" }, LETTERS[i]),
    svg("text", { x: 11, y: at(i) + 4, "text-anchor": "middle" }, size - i),
  ]);
  return [
    svg("rect", { class: "wood", width: whole, height: whole, rx: 10 }),
    svg("path", { class: "lines", d }),
    stars(size).map(([x, y]) => svg("circle", { class: "star", cx: at(x), cy: at(y), r: 4 })),
    svg("g", { class: "names", "aria-hidden": "true" }, names),
  ];
}

const stone = (color, r = STEP * 0.47) => svg("circle", { class: `stone ${color}`, r });

/** @param {HTMLElement} host @param {import("./index.js").Hands} hands @returns {import("./index.js").Board} */
export function board(host, { play, tray }) {
  let view;
  let size = 0;
  let grid;
  let layer;
  let marks;
  let drawn = new Map();
  let last = null;
  let aimed = null; // where a finger has tapped once

  function lay(lines) {
    size = lines;
    const whole = 2 * EDGE + (size - 1) * STEP;
    const shape = (x, y) => [
      svg("circle", { class: "hit", cx: at(x), cy: at(y), r: STEP * 0.5 }),
      svg("circle", { class: "hint", cx: at(x), cy: at(y), r: STEP * 0.44 }),
    ];
    grid = points(size, size, shape, choose);
    layer = svg("g", { class: "stones" });
    marks = svg("g", { class: "marks" });
    drawn = new Map();
    host.replaceChildren(
      svg(
        "svg",
        { class: "stones-board", viewBox: `0 0 ${whole} ${whole}`, role: "group", "aria-label": t("board.label") },
        gradients(),
        wood(size),
        layer,
        marks,
        grid.group,
      ),
    );
  }

  /** On a small screen the first tap aims and the second one, on the same point, plays. */
  function choose(x, y) {
    const tiny =
      matchMedia("(pointer: coarse)").matches && grid.at(x, y).getBoundingClientRect().width < SMALL_PX * 1.1;
    if (tiny && (aimed?.[0] !== x || aimed?.[1] !== y)) {
      aimed = [x, y];
      draw();
      return;
    }
    aimed = null;
    play(view.legal_moves.find((move) => move.x === x && move.y === y));
  }

  function place(x, y, color) {
    const key = `${x},${y}`;
    const before = drawn.get(key);
    if (before?.color === color) return;
    before?.node.remove();
    drawn.delete(key);
    if (!color) return;
    const node = svg("g", { transform: `translate(${at(x)} ${at(y)})` }, stone(color));
    layer.append(node);
    drawn.set(key, { color, node });
    animate(node.firstChild, [{ transform: "scale(1.35)", opacity: 0 }, {}], { duration: 160 });
  }

  function draw() {
    const rows = view.gamestate.board;
    rows.forEach((row, y) => row.forEach((color, x) => place(x, y, color)));
    const moves = view.legal_moves ?? [];
    const open = new Set(moves.map((move) => `${move.x},${move.y}`));
    if (aimed && !open.has(String(aimed))) aimed = null;
    grid.update((x, y) => {
      const color = rows[y][x];
      const label = t("stones.point", {
        point: pointName(x, y, size),
        what: color ? word("color", color) : t("board.empty"),
      });
      return { label, open: open.has(`${x},${y}`), "data-aimed": aimed?.[0] === x && aimed?.[1] === y };
    });
    grid.group.dataset.turn = view.gamestate.turn ?? "";
    marks.replaceChildren(...rings());
    const pass = moves.find((move) => move.type === "pass");
    refresh(tray, [pass && button(t("go.pass"), () => play(pass)), aimed && confirmAim()].filter(Boolean));
  }

  const confirmAim = () =>
    button(t("stones.place", { point: pointName(...aimed, size) }), () => choose(...aimed), { class: "main" });

  function rings() {
    const line = (view.line ?? []).map(([x, y]) =>
      svg("circle", { class: "winning", cx: at(x), cy: at(y), r: STEP * 0.3 }),
    );
    const color = last && view.gamestate.board[last[1]]?.[last[0]];
    return color
      ? [...line, svg("circle", { class: `last on-${color}`, cx: at(last[0]), cy: at(last[1]), r: STEP * 0.17 })]
      : line;
  }

  return {
    update(next, news) {
      view = next;
      const { board: rows, last: told } = view.gamestate;
      const lines = rows?.length ?? view.options?.size ?? 15;
      if (lines !== size) lay(lines);
      if (!rows) return;
      if (news?.name === "response")
        last = news.data.undone || news.data.x === null ? null : [news.data.x, news.data.y];
      else if (told !== undefined) last = told;
      else if (news?.name === "snapshot") last = null;
      draw();
    },
    mark: ({ gamestate }, box) =>
      gamestate.colors &&
      svg("svg", { viewBox: "-20 -20 40 40", class: "stones-board" }, stone(gamestate.colors[box], 17)),
    note({ gamestate, result }, box) {
      const color = gamestate.colors?.[box];
      if (!color) return "";
      if (result?.scores) return t("go.points", { n: result.scores[box] });
      const captures = gamestate.captures?.[color];
      return (
        t("seat.plays", { what: word("color", color) }) + (captures ? `, ${t("go.captures", { n: captures })}` : "")
      );
    },
    tell({ name, data }) {
      if (name !== "response") return "";
      const who = { what: word("color", data.color), point: data.x === null ? "" : pointName(data.x, data.y, size) };
      if (data.x === null) return t(data.undone ? "go.pass_undone" : "go.passed", who);
      const taken = data.captured?.length && !data.undone ? ` ${t("go.captured", { n: data.captured.length })}` : "";
      return t(data.undone ? "stones.undone" : "stones.played", who) + taken;
    },
  };
}
