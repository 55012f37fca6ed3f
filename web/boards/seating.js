// Where people sit around a card table: we below, the others in turn along the upper side.

/**
 * @param {number} count seats at the table @param {number} self the box that is drawn below
 * @param {{ width: number, height: number }} size
 * @returns {{ x: number, y: number, below: boolean }[]} by box
 */
export function seating(count, self, { width, height }) {
  const others = count - 1;
  return Array.from({ length: count }, (_, box) => {
    const place = (box - self + count) % count;
    if (place === 0) return { x: width / 2, y: height - 64, below: true };
    const share = others === 1 ? 0.5 : (place - 1) / (others - 1);
    const inset = others < 4 ? Math.min(width * 0.19, 120) : Math.min(width * 0.12, 100);
    const bow = others < 3 ? 0 : Math.abs(share - 0.5) * 2;
    return { x: inset + share * (width - 2 * inset), y: 62 + bow * 34, below: false };
  });
}
