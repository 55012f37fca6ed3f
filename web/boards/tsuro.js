// Tsuro: tiles on a board, paths, and stones that travel along them.

import { animate, shortName, svg } from "../dom.js";
import { has, t, word } from "../i18n.js";
import { beyond, journey, pairs, pathOf, portAt, portLetter, portNumber, sideOf, SIZE, SQUARE } from "./tsuro-tiles.js";
import { tileTray } from "./tsuro-tray.js";

const MARGIN = 14;
const TRAVEL_MS = 900;

/** A tile's drawing, from its top left corner. */
export function tileDrawing({ tile, rotation }, attributes = {}) {
  const paths = pairs(tile, rotation).map((pair) => pathOf(pair));
  return svg(
    "g",
    { class: "tile", ...attributes },
    svg("rect", { width: SQUARE, height: SQUARE, rx: 3 }),
    paths.map((d) => svg("path", { class: "under", d })),
    paths.map((d) => svg("path", { class: "path", d })),
  );
}

/** @param {HTMLElement} host @param {import("./index.js").Hands} hands @returns {import("./index.js").Board} */
export function board(host, { play, tray }) {
  let view = null;
  let latest = null; // the square of the tile that was laid last
  const whole = SIZE * SQUARE + 2 * MARGIN;
  const cells = svg("path", {
    class: "cells",
    d: Array.from(
      { length: SIZE + 1 },
      (_, i) => `M0 ${i * SQUARE}H${SIZE * SQUARE}M${i * SQUARE} 0V${SIZE * SQUARE}`,
    ).join(""),
  });
  const squares = svg("g", { class: "squares" });
  const tiles = svg("g");
  const plan = svg("g", { class: "plan" });
  const stones = svg("g");
  const laid = new Map();
  const standing = new Map();
  const ground = svg(
    "g",
    { transform: `translate(${MARGIN} ${MARGIN})` },
    svg("rect", { class: "ground", width: SIZE * SQUARE, height: SIZE * SQUARE }),
    cells,
    tiles,
    squares,
    plan,
    stones,
  );
  host.append(
    svg(
      "svg",
      { class: "tsuro", viewBox: `0 0 ${whole} ${whole}`, role: "group", "aria-label": t("board.label") },
      svg("rect", { class: "frame", width: whole, height: whole, rx: 12 }),
      ground,
    ),
  );
  const choice = tileTray(tray, { changed: () => draw(), play });

  const tileAt = (x, y) => laid.get(`${x},${y}`)?.tile;
  const spotOf = ({ x, y, port }) => ({ x, y, port: portNumber(port) });
  const point = ({ x, y, port }) => portAt(port).map((part, i) => part + [x, y][i] * SQUARE);

  function lay(news) {
    if (news?.name === "tile_placed") latest = `${news.data.x},${news.data.y}`;
    if (news?.name === "snapshot") latest = null;
    const there = new Set();
    for (const tile of view.gamestate.board.tiles) {
      const key = `${tile.x},${tile.y}`;
      there.add(key);
      if (laid.has(key)) continue;
      const node = svg("g", { transform: `translate(${tile.x * SQUARE} ${tile.y * SQUARE})` }, tileDrawing(tile));
      laid.set(key, { tile, node });
      tiles.append(node);
      animate(node.firstChild, [{ opacity: 0, transform: "scale(1.3)" }, {}], { duration: 250 });
    }
    for (const [key, { node }] of laid) {
      if (there.has(key)) continue;
      node.remove();
      laid.delete(key);
    }
    for (const [key, { node }] of laid) node.classList.toggle("latest", key === latest);
  }

  function stand() {
    const there = new Set();
    for (const avatar of view.gamestate.board.avatars) {
      there.add(avatar.box);
      const spot = spotOf(avatar);
      const known = standing.get(avatar.box);
      const nick = shortName(view.players.find(({ box }) => box === avatar.box)?.nick ?? "");
      const node =
        known?.node ??
        svg(
          "g",
          {
            class: "avatar",
            role: "img",
            "aria-label": t("tsuro.stone", { nick, color: word("color", avatar.color) }),
          },
          svg("circle", { r: 9, class: `pawn ${avatar.color}` }),
          svg("circle", { r: 3, class: "pip" }),
        );
      if (!known) stones.append(node);
      node.classList.toggle("mine", avatar.box === view.self?.box);
      if (known && String(point(known.spot)) !== String(point(spot))) travel(node, known.spot);
      node.setAttribute("transform", `translate(${point(spot)})`);
      standing.set(avatar.box, { node, spot });
    }
    for (const [box, { node, spot }] of standing) {
      if (there.has(box)) continue;
      standing.delete(box);
      const way = travel(node, spot, true);
      if (way) way.onfinish = () => node.remove();
      else node.remove();
    }
  }

  /** Lets a stone run along its path to where it stands now. */
  function travel(node, from, leaving = false) {
    const way = journey(tileAt, from);
    if (!way) return null;
    const path = svg("path", { d: way.d });
    const length = path.getTotalLength();
    const [ex, ey] = point(way.end);
    const frames = Array.from({ length: 25 }, (_, i) => {
      const { x, y } = path.getPointAtLength((length * i) / 24);
      const [ox, oy] = leaving ? point(from) : [ex, ey];
      return { transform: `translate(${x - ox}px, ${y - oy}px)`, opacity: leaving && i === 24 ? 0 : 1 };
    });
    return (
      animate(node.firstChild, frames, { duration: TRAVEL_MS, easing: "ease-in-out" }) &&
      animate(node.lastChild, frames, { duration: TRAVEL_MS, easing: "ease-in-out" })
    );
  }

  // --- our own move, as planned ---

  const isEmpty = (x, y) => x >= 0 && y >= 0 && x < SIZE && y < SIZE && !tileAt(x, y);
  const nearTile = (x, y) =>
    [0, 2, 4, 6].some((port) => {
      const next = beyond(x, y, port);
      return next && tileAt(next.x, next.y);
    });
  /** The server lists no first moves, they are thousands; it still has the last word on what is sent. */
  const startSquares = () => {
    const all = [];
    for (let y = 0; y < SIZE; y++)
      for (let x = 0; x < SIZE; x++)
        if ((x % (SIZE - 1) === 0 || y % (SIZE - 1) === 0) && isEmpty(x, y) && !nearTile(x, y)) all.push({ x, y });
    return all;
  };
  const startPorts = ({ x, y }) => Array.from({ length: 8 }, (_, port) => port).filter((port) => beyond(x, y, port));

  function planned() {
    const picked = choice.picked();
    if (!picked) return [];
    const square = choice.first() ? choice.square() : target();
    if (!square) return [];
    const ghost = press(
      svg(
        "g",
        { class: "ghost", transform: `translate(${square.x * SQUARE} ${square.y * SQUARE})` },
        tileDrawing(picked),
      ),
      t("tsuro.rotate"),
      choice.turn,
    );
    if (choice.first()) return [ghost, ...startPorts(square).map((port) => portButton(square, port))];
    const me = standing.get(view.self.box);
    const way = journey((x, y) => (x === square.x && y === square.y ? picked : tileAt(x, y)), me.spot);
    return [ghost, way && svg("path", { class: way.out ? "way out" : "way", d: way.d })].filter(Boolean);
  }

  /** The square that our stone faces. */
  function target() {
    const me = standing.get(view.self?.box);
    return me && beyond(me.spot.x, me.spot.y, me.spot.port);
  }

  function portButton(square, port) {
    const [x, y] = point({ ...square, port });
    const act = () => choice.choosePort(portLetter(port));
    return press(
      svg("circle", { class: "port", cx: x, cy: y, r: 9, "data-chosen": choice.port() === portLetter(port) }),
      t("tsuro.port", { side: t(`tsuro.side.${sideOf(port)}`), way: t(`tsuro.way.${port % 2}`) }),
      act,
    );
  }

  function press(node, label, act) {
    node.onclick = act;
    node.onkeydown = (event) => (event.key === "Enter" || event.key === " ") && (event.preventDefault(), act());
    for (const [name, value] of Object.entries({ role: "button", tabindex: 0, "aria-label": label }))
      node.setAttribute(name, value);
    return node;
  }

  function draw() {
    if (!view.gamestate.board) return;
    const focused = ground.contains(document.activeElement) && document.activeElement.getAttribute("aria-label");
    const open = choice.first() ? startSquares() : [];
    squares.replaceChildren(
      ...open.map(({ x, y }) =>
        press(
          svg("rect", {
            class: "start",
            x: x * SQUARE + 3,
            y: y * SQUARE + 3,
            width: SQUARE - 6,
            height: SQUARE - 6,
            rx: 6,
          }),
          t("tsuro.square", { x: x + 1, y: y + 1 }),
          () => choice.chooseSquare({ x, y }, startPorts({ x, y }).map(portLetter)),
        ),
      ),
    );
    plan.replaceChildren(...planned());
    if (focused) ground.querySelector(`[role=button][aria-label="${CSS.escape(focused)}"]`)?.focus();
  }

  return {
    update(next, news) {
      view = next;
      if (!view.gamestate.board) return;
      lay(news);
      stand();
      choice.update(view);
      if (news?.name !== "presence") draw();
    },
    mark: ({ gamestate }, box) =>
      gamestate.colors &&
      svg(
        "svg",
        { viewBox: "-12 -12 24 24", class: "tsuro" },
        svg("circle", { r: 9, class: `pawn ${gamestate.colors[box]}` }),
      ),
    note({ gamestate }, box) {
      if (!gamestate.colors) return "";
      const fate = gamestate.out.includes(box)
        ? t("tsuro.out")
        : gamestate.looped.includes(box)
          ? t("tsuro.looped")
          : "";
      return [fate, word("color", gamestate.colors[box])].filter(Boolean).join(", ");
    },
    tell({ name, data }, _, nick) {
      return has(`tsuro.did.${name}`)
        ? t(`tsuro.did.${name}`, { nick: nick(data.box), x: data.x + 1, y: data.y + 1 })
        : "";
    },
  };
}
