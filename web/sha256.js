// SHA-256: the browser's own where it has one, which is on https and localhost only, else this one.

const FIRST_PRIMES = [];
for (let n = 2; FIRST_PRIMES.length < 64; n++) if (FIRST_PRIMES.every((prime) => n % prime)) FIRST_PRIMES.push(n);
const fraction = (number) => ((number - Math.floor(number)) * 2 ** 32) | 0;

/** @param {Uint8Array} bytes @returns {Promise<Uint8Array>} */
export async function sha256(bytes) {
  if (globalThis.crypto?.subtle) return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return plainSha256(bytes);
}

/** The same by hand (FIPS 180-4). @param {Uint8Array} bytes */
export function plainSha256(bytes) {
  const round = FIRST_PRIMES.map((prime) => fraction(Math.cbrt(prime)));
  const hash = FIRST_PRIMES.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));
  const padded = new Uint8Array(((bytes.length + 8) >> 6) * 64 + 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const data = new DataView(padded.buffer);
  data.setUint32(padded.length - 8, Math.floor(bytes.length / 2 ** 29));
  data.setUint32(padded.length - 4, bytes.length * 8);
  for (let at = 0; at < padded.length; at += 64) compress(hash, round, data, at);
  const out = new DataView(new ArrayBuffer(32));
  hash.forEach((word, i) => out.setInt32(4 * i, word));
  return new Uint8Array(out.buffer);
}

const turned = (word, by) => (word >>> by) | (word << (32 - by));

function compress(hash, round, data, at) {
  const w = Array.from({ length: 16 }, (_, i) => data.getInt32(at + 4 * i));
  for (let i = 16; i < 64; i++) {
    const s0 = turned(w[i - 15], 7) ^ turned(w[i - 15], 18) ^ (w[i - 15] >>> 3);
    const s1 = turned(w[i - 2], 17) ^ turned(w[i - 2], 19) ^ (w[i - 2] >>> 10);
    w[i] = (w[i - 16] + s0 + w[i - 7] + s1) | 0;
  }
  let [a, b, c, d, e, f, g, h] = hash;
  for (let i = 0; i < 64; i++) {
    const t1 = (h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g)) + round[i] + w[i]) | 0;
    const t2 = ((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + t2) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((word, i) => (hash[i] = (hash[i] + word) | 0));
}
