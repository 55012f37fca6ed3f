// Whether a finished game's chance was fixed before it began; the rules of docs/fair-play.md.

import { sha256 } from "./sha256.js";

const fromHex = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
const toHex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
const FIRST_MOVERS = { xsos: ["X", "O"], gomoku: ["black", "white"], go: ["black", "white"] };

/** The first number below `n` that the seed gives for a label. */
async function drawn(seed, label, n) {
  const most = 2n ** 64n - (2n ** 64n % BigInt(n));
  for (let block = 0; ; block++) {
    const digest = await sha256(new Uint8Array([...seed, ...new TextEncoder().encode(`${label}:${block}`)]));
    const data = new DataView(digest.buffer);
    for (let at = 0; at < 32; at += 8) {
      const number = data.getBigUint64(at);
      if (number < most) return Number(number % BigInt(n));
    }
  }
}

/**
 * Checks a replay; each check is a word and whether it holds.
 *
 * @param {import("./parlor.js").Replay} replay @param {string} [noted] the commitment as it was shown at the beginning
 * @returns {Promise<{ check: "commitment" | "noted" | "colors", holds: boolean }[]>}
 */
export async function verify(replay, noted) {
  const seed = fromHex(replay.seed);
  const checks = [{ check: "commitment", holds: toHex(await sha256(seed)) === replay.commitment }];
  if (noted) checks.push({ check: "noted", holds: noted === replay.commitment });
  const colors = FIRST_MOVERS[replay.game_type];
  const shown = replay.events.find(({ event }) => event === "started")?.data.gamestate.colors;
  if (colors && shown) {
    const first = await drawn(seed, "setup", 2);
    checks.push({ check: "colors", holds: shown[first] === colors[0] && shown[1 - first] === colors[1] });
  }
  return checks;
}
