// The numbers that a game's seed gives; the rules of docs/fair-play.md.

import { sha256 } from "./sha256.js";

const ALL = 2n ** 64n;

/** The dice under one label of a seed, thrown in the order in which they are asked for. */
export class Chance {
  /** @param {Uint8Array} seed @param {string} label such as `setup` or `move 7` */
  constructor(seed, label) {
    this.numbers = numbers(seed, label);
  }

  /** A number below `n`, each equally likely. */
  async below(n) {
    const fair = ALL - (ALL % BigInt(n));
    for (;;) {
      const { value } = await this.numbers.next();
      if (value < fair) return Number(value % BigInt(n));
    }
  }

  /** @template T @param {T[]} items @returns {Promise<T[]>} */
  async shuffled(items) {
    const order = [...items];
    for (let i = order.length - 1; i > 0; i--) {
      const j = await this.below(i + 1);
      [order[i], order[j]] = [order[j], order[i]];
    }
    return order;
  }
}

async function* numbers(seed, label) {
  for (let block = 0; ; block++) {
    const { buffer } = await sha256(new Uint8Array([...seed, ...new TextEncoder().encode(`${label}:${block}`)]));
    for (let at = 0; at < 32; at += 8) yield new DataView(buffer).getBigUint64(at);
  }
}
