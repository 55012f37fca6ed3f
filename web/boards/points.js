// Points of a board that can be clicked, tapped, and walked with the arrow keys.

import { set, svg } from "../dom.js";

const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/**
 * A grid of buttons over a drawing; one of them is in the tab order, the arrow keys go to the others.
 *
 * @param {number} columns @param {number} rows
 * @param {(x: number, y: number) => SVGElement[]} shape what a point is drawn with
 * @param {(x: number, y: number) => void} choose
 */
export function points(columns, rows, shape, choose) {
  let here = [Math.floor(columns / 2), Math.floor(rows / 2)];
  const grid = Array.from({ length: rows }, (_, y) => Array.from({ length: columns }, (_, x) => point(x, y)));
  const group = svg("g", { class: "points" }, grid);

  function point(x, y) {
    const node = svg("g", { class: "point", role: "button", tabindex: -1, "aria-disabled": "true" }, shape(x, y));
    node.onclick = () => act(x, y);
    node.onkeydown = (event) => {
      if (STEPS[event.key]) {
        event.preventDefault();
        walk(x + STEPS[event.key][0], y + STEPS[event.key][1]);
      } else if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        act(x, y);
      }
    };
    return node;
  }

  const isOpen = (x, y) => grid[y][x].getAttribute("aria-disabled") === "false";
  const act = (x, y) => isOpen(x, y) && choose(x, y);

  function walk(x, y) {
    if (x < 0 || y < 0 || x >= columns || y >= rows) return;
    stand(x, y);
    grid[y][x].focus();
  }

  function stand(x, y) {
    grid[here[1]][here[0]].setAttribute("tabindex", "-1");
    here = [x, y];
    grid[y][x].setAttribute("tabindex", "0");
  }
  stand(...here);

  return {
    group,
    at: (x, y) => grid[y][x],
    /** @param {(x: number, y: number) => { label: string, open: boolean, [attribute: string]: any }} describe */
    update(describe) {
      grid.forEach((row, y) =>
        row.forEach((node, x) => {
          const { label, open, ...rest } = describe(x, y);
          set(node, { "aria-label": label, "aria-disabled": String(!open), ...rest });
        }),
      );
    },
  };
}
