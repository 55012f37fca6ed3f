// Playing cards, drawn around their own middle.

import { svg } from "../dom.js";

export const WIDTH = 64;
export const HEIGHT = 92;

const SUITS = {
  h: "M0 8C-11-1-9-10-4.500-10-2-10-.5-8 0-6.500.5-8 2-10 4.500-10 9-10 11-1 0 8",
  d: "M0-10 7.500-1 0 8-7.500-1Z",
  s: "M0-10C3-3 9.500-1 8.500 4 7.600 8 2.500 7.500 1 4.500L2.500 9H-2.500L-1 4.500C-2.500 7.500-7.600 8-8.500 4-9.500-1-3-3 0-10",
  c: "M0-10A4.300 4.300 0 0 1 3.600-3.500 4.400 4.400 0 1 1 1.200 3.500L2.500 9H-2.500L-1.200 3.500A4.400 4.400 0 1 1-3.600-3.500 4.300 4.300 0 0 1 0-10",
};
export const SYMBOLS = { h: "♥", d: "♦", s: "♠", c: "♣" };

const paper = (cls) => svg("rect", { class: cls, x: -WIDTH / 2, y: -HEIGHT / 2, width: WIDTH, height: HEIGHT, rx: 7 });

export const suitOf = (card) => card.at(-1);
export const rankOf = (card) => card.slice(0, -1);
export const cardName = (card) => `${rankOf(card)}${SYMBOLS[suitOf(card)]}`;

export const suit = (name, scale = 1, x = 0, y = 0) =>
  svg("path", {
    class: `suit ${name === "h" || name === "d" ? "red" : "ink"}`,
    d: SUITS[name],
    transform: `translate(${x} ${y}) scale(${scale})`,
  });

/** A card as `10h` or `Ks`. */
export function face(card) {
  const name = suitOf(card);
  const color = name === "h" || name === "d" ? "red" : "ink";
  const corner = (turn) =>
    svg(
      "g",
      { transform: `rotate(${turn})` },
      svg(
        "text",
        { class: `rank ${color}`, x: rankOf(card) === "10" ? -17 : -20, y: -HEIGHT / 2 + 19, "text-anchor": "middle" },
        rankOf(card),
      ),
      suit(name, 0.62, -WIDTH / 2 + 12, -HEIGHT / 2 + 30),
    );
  return [paper("card-face"), corner(0), corner(180), suit(name, 1.75)];
}

/** A card with a number, as in Cabo. `power` is a small sign of what it can do. */
export function numbered(value, power = "") {
  const hue = value <= 3 ? "low" : value >= 10 ? "high" : "middle";
  return [
    paper("card-face"),
    svg("rect", {
      class: `band ${hue}`,
      x: -WIDTH / 2 + 5,
      y: -HEIGHT / 2 + 5,
      width: WIDTH - 10,
      height: HEIGHT - 10,
      rx: 5,
    }),
    svg("text", { class: "number", y: 11, "text-anchor": "middle" }, value),
    power && svg("text", { class: "power", y: HEIGHT / 2 - 12, "text-anchor": "middle" }, power),
  ].filter(Boolean);
}

/** The back; `pencil` is what one remembers of it. */
export function back(pencil = null) {
  const lattice = svg("path", { class: "lattice", d: "M0-34 24 0 0 34-24 0ZM0-20 14 0 0 20-14 0Z" });
  const note =
    pencil === null
      ? []
      : [
          svg("circle", { class: "pencil", r: 15 }),
          svg("text", { class: "pencil-text", y: 7, "text-anchor": "middle" }, pencil),
        ];
  return [
    paper("card-back"),
    svg("rect", {
      class: "card-back-edge",
      x: -WIDTH / 2 + 4,
      y: -HEIGHT / 2 + 4,
      width: WIDTH - 8,
      height: HEIGHT - 8,
      rx: 5,
    }),
    lattice,
    ...note,
  ];
}

export const slot = () => [
  svg("rect", { class: "slot", x: -WIDTH / 2, y: -HEIGHT / 2, width: WIDTH, height: HEIGHT, rx: 7 }),
];
