// Whether a finished game's chance was fixed before it began; the rules of docs/fair-play.md.

import { Chance } from "./chance.js";
import { deals } from "./deals.js";
import { sha256 } from "./sha256.js";

const fromHex = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
const toHex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/**
 * Checks a replay; each check is a word and whether it holds.
 *
 * @param {import("./parlor.js").Replay} replay as a watcher gets it
 * @param {import("./parlor.js").Replay[]} seats the same as each box saw it
 * @param {string} [noted] the commitment as it was shown at the beginning
 * @returns {Promise<{ check: "commitment" | "noted" | "colors" | "deal" | "told", holds: boolean }[]>}
 */
export async function verify(replay, seats, noted) {
  const seed = fromHex(replay.seed);
  const found = {
    commitment: toHex(await sha256(seed)) === replay.commitment,
    ...(noted && { noted: noted === replay.commitment }),
    ...(await deals(replay, seats, (label) => new Chance(seed, label))),
  };
  return Object.entries(found).map(([check, holds]) => ({ check, holds }));
}
