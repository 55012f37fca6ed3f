// Xs and Os.

import { svg } from "../dom.js";
import { t } from "../i18n.js";
import { points } from "./points.js";

const CELL = 100;

const drawing = (mark, size = CELL) => {
  const at = (part) => (part * size) / 10;
  if (mark === "X")
    return svg("path", {
      class: "mark-x",
      pathLength: 1,
      d: `M${at(2.2)} ${at(2.2)}L${at(7.8)} ${at(7.8)}M${at(7.8)} ${at(2.2)}L${at(2.2)} ${at(7.8)}`,
    });
  return svg("circle", { class: "mark-o", pathLength: 1, cx: at(5), cy: at(5), r: at(2.9) });
};

/** @param {HTMLElement} host @param {import("./index.js").Hands} hands @returns {import("./index.js").Board} */
export function board(host, { play }) {
  let view;
  const shape = (x, y) => [
    svg("rect", { class: "hit", x: x * CELL + 4, y: y * CELL + 4, width: CELL - 8, height: CELL - 8, rx: 10 }),
  ];
  const cells = points(3, 3, shape, (x, y) => play(view.legal_moves.find((move) => move.cell === 3 * y + x)));
  const marks = svg("g", { class: "marks" });
  const strike = svg("g");
  const grid = svg("path", { class: "grid", d: "M100 12V288M200 12V288M12 100H288M12 200H288" });
  const drawn = Array(9).fill(null);
  host.append(
    svg(
      "svg",
      { class: "xsos", viewBox: "0 0 300 300", role: "group", "aria-label": t("board.label") },
      grid,
      cells.group,
      marks,
      strike,
    ),
  );

  function place(cell, mark) {
    if (drawn[cell]?.mark === mark) return;
    drawn[cell]?.node.remove();
    drawn[cell] = null;
    if (!mark) return;
    const node = svg(
      "g",
      { transform: `translate(${(cell % 3) * CELL} ${Math.floor(cell / 3) * CELL})` },
      drawing(mark),
    );
    marks.append(node);
    drawn[cell] = { mark, node };
  }

  let last = null;
  return {
    update(next, news) {
      view = next;
      const shown = view.gamestate.board ?? Array(9).fill(null);
      if (news?.name === "response") last = news.data.undone ? null : news.data.cell;
      if (news?.name === "snapshot") last = null;
      shown.forEach((mark, cell) => place(cell, mark));
      const open = new Set((view.legal_moves ?? []).map((move) => move.cell));
      cells.update((x, y) => {
        const cell = 3 * y + x;
        return {
          label: t("xsos.cell", { row: y + 1, column: x + 1, mark: shown[cell] ?? t("board.empty") }),
          open: open.has(cell),
          "data-last": last === cell,
        };
      });
      strike.replaceChildren(...line(view.line));
    },
    mark: ({ gamestate }, box) =>
      gamestate.colors && svg("svg", { viewBox: "0 0 100 100", class: "xsos" }, drawing(gamestate.colors[box])),
    note: ({ gamestate }, box) => (gamestate.colors ? t("seat.plays", { what: gamestate.colors[box] }) : ""),
    tell({ name, data }, _, nick) {
      if (name !== "response") return "";
      const where = { what: data.color, row: Math.floor(data.cell / 3) + 1, column: (data.cell % 3) + 1 };
      return t(data.undone ? "xsos.undone" : "xsos.played", where);
    },
  };
}

function line(cells) {
  if (!cells?.length) return [];
  const middle = (cell) => [(cell % 3) * CELL + 50, Math.floor(cell / 3) * CELL + 50];
  const [[x1, y1], [x2, y2]] = [middle(cells[0]), middle(cells.at(-1))];
  return [svg("path", { class: "strike", pathLength: 1, d: `M${x1} ${y1}L${x2} ${y2}` })];
}
