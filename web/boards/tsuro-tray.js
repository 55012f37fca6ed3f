// The tiles in our hand: which one, turned how, laid where.

import { button, el, refresh, svg } from "../dom.js";
import { t } from "../i18n.js";
import { SQUARE } from "./tsuro-tiles.js";
import { tileDrawing } from "./tsuro.js";

/** @param {HTMLElement} tray @param {{ changed: () => void, play: (move: object) => void }} told */
export function tileTray(tray, { changed, play }) {
  let request = null;
  let moves = null; // null when the server has too many to list
  let index = 0;
  let rotation = 0;
  let square = null;
  let port = null;
  let ports = []; // where our stone may start on that square

  const first = () => request?.event === "generate_first_move";
  const picked = () => request && { tile: request.tiles[index], rotation };
  const move = () => (first() ? { type: "first_move", ...picked(), ...square, port } : { type: "move", ...picked() });
  const isListed = () => !moves || moves.some((each) => each.tile === picked().tile && each.rotation === rotation);
  const ready = () => (first() ? square && port : isListed());

  function render() {
    if (!request) return refresh(tray, []);
    const pictures = request.tiles.map((tile, i) => {
      const drawing = svg(
        "svg",
        { viewBox: `-2 -2 ${SQUARE + 4} ${SQUARE + 4}`, class: "tsuro", "aria-hidden": "true" },
        tileDrawing({ tile, rotation }),
      );
      return button(drawing, () => pick(i), {
        class: "tile-choice",
        "aria-label": t("tsuro.pick", { n: i + 1 }),
        "aria-pressed": String(i === index),
      });
    });
    const shown = [
      ...pictures,
      button("↻", turn, { class: "icon", "aria-label": t("tsuro.rotate"), title: t("tsuro.rotate") }),
      first() &&
        square &&
        button("⇢", nextPort, { class: "icon", "aria-label": t("tsuro.next_port"), title: t("tsuro.next_port") }),
      button(t("tsuro.place"), () => play(move()), { class: "main", disabled: !ready() }),
      el("p", { class: "hint" }, t(first() ? "tsuro.hint.first" : isListed() ? "tsuro.hint.move" : "tsuro.forbidden")),
    ];
    refresh(tray, shown.filter(Boolean));
  }

  function pick(i) {
    index = i;
    show();
  }

  function turn() {
    rotation = (rotation + 90) % 360;
    show();
  }

  /** For fingers that are wider than a port on a small board. */
  function nextPort() {
    port = ports[(ports.indexOf(port) + 1) % ports.length];
    show();
  }

  function show() {
    render();
    changed();
  }

  return {
    first,
    picked,
    square: () => square,
    port: () => port,
    turn,
    chooseSquare(chosen, startPorts) {
      square = chosen;
      ports = startPorts;
      if (!ports.includes(port)) [port] = ports;
      show();
    },
    choosePort(letter) {
      port = letter;
      show();
    },
    /** @param {import("../parlor.js").View} view */
    update(view) {
      const isOurs = view.sync?.turn === "my_turn" && view.status === "active" && !view.busy;
      const asked = isOurs ? view.gamestate.request : undefined;
      const isNew = asked?.number !== request?.number || String(asked?.tiles) !== String(request?.tiles);
      request = asked ?? null;
      moves = view.legal_moves ?? (first() ? null : []);
      if (isNew) {
        [index, rotation, square, port] = [0, 0, null, null];
        if (request && moves?.length) ({ rotation } = moves.find((each) => each.tile === request.tiles[0]) ?? moves[0]);
        if (request && moves?.length)
          index = Math.max(
            0,
            request.tiles.indexOf((moves.find((each) => each.tile === request.tiles[0]) ?? moves[0]).tile),
          );
      }
      render();
    },
  };
}
