// Small pictures of the games, drawn once and coloured by the theme.

import { svg } from "../dom.js";

const path = (d, attributes = {}) => svg("path", { d, ...attributes });
const dot = (cx, cy, r, cls) => svg("circle", { cx, cy, r, class: cls });

const lines = (from, to, step) => {
  let d = "";
  for (let at = from; at <= to; at += step) d += `M${from} ${at}H${to}M${at} ${from}V${to}`;
  return path(d, { class: "lines" });
};

const DRAWINGS = {
  xsos: () => [
    path("M24 6V58M40 6V58M6 24H58M6 40H58", { class: "lines" }),
    path("m10 10 8 8m0-8-8 8M28 28l8 8m0-8-8 8", { class: "x" }),
    svg("circle", { cx: 50, cy: 14, r: 5, class: "o" }),
    svg("circle", { cx: 14, cy: 50, r: 5, class: "o" }),
  ],
  gomoku: () => [
    lines(8, 56, 12),
    dot(20, 44, 5, "black"),
    dot(32, 32, 5, "black"),
    dot(44, 20, 5, "black"),
    dot(20, 20, 5, "white"),
    dot(32, 20, 5, "white"),
    dot(44, 44, 5, "white"),
  ],
  go: () => [
    lines(8, 56, 16),
    dot(24, 24, 7, "black"),
    dot(40, 24, 7, "white"),
    dot(24, 40, 7, "white"),
    dot(40, 40, 7, "black"),
    dot(56, 24, 7, "black"),
  ],
  tsuro: () => [
    svg("rect", { x: 7, y: 7, width: 50, height: 50, rx: 4, class: "tile" }),
    path("M24 7C24 26 57 22 57 40M40 7C40 18 46 24 57 24M7 24C24 24 24 40 24 57M7 40C20 40 40 34 40 57", {
      class: "path",
    }),
    dot(57, 40, 4, "x-fill"),
  ],
  cabo: () => [
    svg("rect", { x: 8, y: 14, width: 26, height: 38, rx: 4, class: "card-back", transform: "rotate(-9 21 33)" }),
    svg("rect", { x: 28, y: 12, width: 26, height: 38, rx: 4, class: "card-face", transform: "rotate(7 41 31)" }),
    svg("text", { x: 41, y: 37, "text-anchor": "middle", class: "card-number", transform: "rotate(7 41 31)" }, "7"),
  ],
  durak: () => [
    svg("rect", { x: 8, y: 14, width: 26, height: 38, rx: 4, class: "card-face", transform: "rotate(-10 21 33)" }),
    path("M21 29c-6-8-14 2 0 12 14-10 6-20 0-12", { class: "red", transform: "rotate(-10 21 33)" }),
    svg("rect", { x: 28, y: 12, width: 26, height: 38, rx: 4, class: "card-face", transform: "rotate(8 41 31)" }),
    path("M41 22c3 6 12 9 9 15-2 4-7 3-8 0l2 6h-6l2-6c-1 3-6 4-8 0-3-6 6-9 9-15", {
      class: "ink",
      transform: "rotate(8 41 31)",
    }),
  ],
};

const other = () => [
  svg("rect", { x: 12, y: 12, width: 40, height: 40, rx: 9, class: "tile" }),
  dot(24, 24, 4, "black"),
  dot(40, 40, 4, "black"),
  dot(32, 32, 4, "black"),
];

export const emblem = (name) => svg("svg", { viewBox: "0 0 64 64" }, ...(DRAWINGS[name] ?? other)());
