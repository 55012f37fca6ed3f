// The 35 tiles and where their paths lead: geometry for drawing, no rules.

export const SIZE = 10;
export const SQUARE = 60;
const PORTS = "ABCDEFGH"; // clockwise from the top left, two on each side
const FACING = [5, 4, 7, 6, 1, 0, 3, 2];
const STEP = [
  [0, -1],
  [1, 0],
  [0, 1],
  [-1, 0],
];
const TILES =
  `AE BF CH DG,AE BF CG DH,AF BE CH DG,AE BD CG FH,AH BC DE FG,AE BC DH FG,AE BC DG FH,AD BG CF EH,AD BF CG EH,
AD BE CH FG,AD BE CG FH,AD BC EH FG,AC BH DF EG,AC BH DE FG,AC BG DF EH,AC BG DE FH,AC BF DH EG,AC BF DG EH,AC BE DH FG,
AC BE DG FH,AC BD EH FG,AC BD EG FH,AB CH DG EF,AB CH DF EG,AB CH DE FG,AB CG DH EF,AB CG DF EH,AB CG DE FH,AB CF DH EG,
AB CF DG EH,AB CE DH FG,AB CE DG FH,AB CD EH FG,AB CD EG FH,AB CD EF GH`.split(/,\s*/);

export const portNumber = (letter) => PORTS.indexOf(letter);
export const portLetter = (port) => PORTS[port];
export const sideOf = (port) => Math.floor(port / 2);

/** The pairs of ports that a tile joins, as it lies. @returns {[number, number][]} */
export const pairs = (tile, rotation) =>
  TILES[tile].split(" ").map((pair) => [...pair].map((letter) => (portNumber(letter) + rotation / 45) % 8));

/** Where a port is on its square, from the square's top left corner. */
export function portAt(port) {
  const near = SQUARE / 3;
  const far = (2 * SQUARE) / 3;
  return [
    [near, 0],
    [far, 0],
    [SQUARE, near],
    [SQUARE, far],
    [far, SQUARE],
    [near, SQUARE],
    [0, far],
    [0, near],
  ][port];
}

/** Into the square, away from a port's side. */
const inward = (port) => STEP[sideOf(port)].map((part) => -part);

/** A path between two ports as an SVG curve, without its beginning. */
function curve(a, b, x = 0, y = 0) {
  const bend = SQUARE * 0.42;
  const control = (port) => portAt(port).map((part, i) => part + inward(port)[i] * bend + [x, y][i]);
  const end = portAt(b).map((part, i) => part + [x, y][i]);
  return `C${control(a)} ${control(b)} ${end}`;
}

export const pathOf = ([a, b], x = 0, y = 0) => `M${portAt(a).map((part, i) => part + [x, y][i])}${curve(a, b, x, y)}`;

/** The square and port across the border, or null at the edge of the board. */
export function beyond(x, y, port) {
  const [dx, dy] = STEP[sideOf(port)];
  const [nx, ny] = [x + dx, y + dy];
  return nx < 0 || ny < 0 || nx >= SIZE || ny >= SIZE ? null : { x: nx, y: ny, port: FACING[port] };
}

/**
 * The way of an avatar over the tiles that lie before it.
 *
 * @param {(x: number, y: number) => { tile: number, rotation: number } | undefined} tileAt
 * @returns {{ d: string, end: { x: number, y: number, port: number }, out: boolean } | null} null if no tile lies there
 */
export function journey(tileAt, start) {
  let spot = start;
  let d = `M${portAt(start.port).map((part, i) => part + [start.x, start.y][i] * SQUARE)}`;
  for (let steps = 0; steps < 8 * SIZE * SIZE; steps++) {
    const entered = beyond(spot.x, spot.y, spot.port);
    if (!entered) return steps ? { d, end: spot, out: true } : null;
    const tile = tileAt(entered.x, entered.y);
    if (!tile) return steps ? { d, end: spot, out: false } : null;
    const pair = pairs(tile.tile, tile.rotation).find((each) => each.includes(entered.port));
    const exit = pair[0] === entered.port ? pair[1] : pair[0];
    d += curve(entered.port, exit, entered.x * SQUARE, entered.y * SQUARE);
    spot = { x: entered.x, y: entered.y, port: exit };
    if (spot.x === start.x && spot.y === start.y && spot.port === start.port) break;
  }
  return { d, end: spot, out: false };
}
