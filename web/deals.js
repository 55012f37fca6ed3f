// What a game's chance should have been, against what its log says and what the seats were told; see docs/fair-play.md.

/** @typedef {import("./parlor.js").Replay} Replay */
/** @typedef {(label: string) => import("./chance.js").Chance} Dice */

const RANKS = ["6", "7", "8", "9", "10", "J", "Q", "K", "A"];
const DURAK_CARDS = [..."cdhs"].flatMap((suit) => RANKS.map((rank) => rank + suit));
const CABO_CARDS = Array.from({ length: 14 }, (_, value) => Array(value % 13 ? 4 : 2).fill(value)).flat();
const TILES = Array.from({ length: 35 }, (_, tile) => tile);
const HAND = { durak: 6, cabo: 4 };

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
const sameCards = (a, b) => same([...a].sort(), [...b].sort());
const named = (events, ...names) => events.filter(({ event }) => names.includes(event));
const started = (replay) => named(replay.events, "started")[0].data.gamestate;

/** What happened, in order: the events of the log, each with the version that it came with. */
const course = ({ log }) =>
  log.flatMap(({ version, facts }) => facts.flatMap(({ events = [] }) => events.map((each) => ({ ...each, version }))));

const opening = ({ log }) => log.flatMap(({ facts }) => facts).find(({ type }) => type === "started").position;

/** Who has X, or black, and so begins. */
const drawnFirst = (colors) => async (replay, seats, dice) => {
  const first = await dice("setup").below(2);
  const expected = first === 0 ? colors : [...colors].reverse();
  return { colors: [replay, ...seats].every((each) => same(started(each).colors, expected)) };
};

/** Six each, one at a time; the last of the rest is the trump. */
async function durak(replay, seats, dice) {
  const chance = dice("setup");
  const deck = await chance.shuffled(DURAK_CARDS);
  const dealt = seats.map((_, box) => Array.from({ length: HAND.durak }, (_, i) => deck[i * seats.length + box]));
  const stock = deck.slice(HAND.durak * seats.length);
  const trump = deck.at(-1).at(-1);
  const trumps = dealt.flat().filter((card) => card.at(-1) === trump);
  const lowest = DURAK_CARDS.find((card) => trumps.includes(card));
  const attacker = lowest ? dealt.findIndex((hand) => hand.includes(lowest)) : await chance.below(seats.length);
  const position = opening(replay);
  return {
    deal: same(position.hands, dealt) && same(position.deck, stock) && position.attacker === attacker,
    told:
      [replay, ...seats].every((each) => started(each).trump === trump && started(each).attacker === attacker) &&
      seats.every((seat, box) => sameCards(started(seat).hand, dealt[box])) &&
      drawnFrom(stock, new Set(dealt.flat()), seats),
  };
}

/** Cards that nobody has held before come from the stock, in its order from one refill to the next. */
function drawnFrom(stock, held, seats) {
  const hands = seats.flatMap(({ events }) => named(events, "cards"));
  const versions = [...new Set(hands.map(({ version }) => version))].sort((a, b) => a - b);
  return versions.every((version) => {
    const fresh = hands
      .filter((each) => each.version === version)
      .flatMap(({ data }) => data.cards)
      .filter((card) => !held.has(card));
    fresh.forEach((card) => held.add(card));
    return sameCards(fresh, stock.splice(0, fresh.length));
  });
}

/** Each round is shuffled anew; four for each box in turn, the rest is the heap from its top. */
async function cabo(replay, seats, dice) {
  let heap = [];
  let starter = null;
  let chance = null; // one pair of hands shuffles and then names the first player
  const firstTwo = seats.map(() => []);
  const expected = {
    async round_started({ version, deck }) {
      chance = dice(`move ${version}`);
      const shuffled = await chance.shuffled(CABO_CARDS);
      heap = shuffled.slice(HAND.cabo * seats.length);
      seats.forEach((_, box) => firstTwo[box].push(shuffled.slice(HAND.cabo * box, HAND.cabo * box + 2)));
      return same(deck, shuffled);
    },
    turn_started: async ({ seat }) => seat === (starter ?? (await chance.below(seats.length))),
    drawn: ({ value }) => value === heap.shift(),
    shown_replaced: ({ taken, from_heap }) => !from_heap || taken === heap.shift(),
    async round_finished({ version, scores, starter: next }) {
      const best = scores.flatMap((score, box) => (score === 0 ? [box] : []));
      starter = next;
      return next === null || next === best[await dice(`move ${version}`).below(best.length)];
    },
  };
  let deal = true;
  for (const each of course(replay)) deal &&= await (expected[each.event]?.(each) ?? true);
  const seen = ({ events }) => named(events, "FirstTwoCards").map(({ data }) => [data.value1, data.value2]);
  return { deal, told: seats.every((seat, box) => same(seen(seat), firstTwo[box])) };
}

/** All 35 tiles in a shuffled order, and once more whenever they run out. */
async function tsuro(replay, seats, dice) {
  const supply = (label) => (replay.options.supply === "ordered" ? TILES : dice(label).shuffled(TILES));
  const tiles = [...(await supply("setup"))];
  const hands = seats.map(() => []);
  let deal = same(opening(replay).supply, tiles);
  for (const { event, version, tiles: more, seat, hand } of course(replay)) {
    if (event === "supplied") {
      const fresh = await supply(`move ${version}`);
      deal &&= same(more, fresh);
      tiles.push(...fresh);
    } else if (event === "asked") {
      deal &&= same(hand, tiles.splice(0, hand.length));
      hands[seat].push(hand);
    }
  }
  const asked = ({ events }) => named(events, "generate_first_move", "generate_move").map(({ data }) => data.tiles);
  return { deal, told: seats.every((seat, box) => same(asked(seat), hands[box])) };
}

const GAMES = [
  [/^xsos$/, drawnFirst(["X", "O"])],
  [/^(gomoku|go)$/, drawnFirst(["black", "white"])],
  [/^durak/, durak],
  [/^cabo$/, cabo],
  [/^tsuro$/, tsuro],
];

/**
 * Makes the chance of a game again from its seed; a game that nobody has described here has none to check.
 *
 * @param {Replay} replay as a watcher gets it @param {Replay[]} seats the same as each box saw it @param {Dice} dice
 * @returns {Promise<Record<string, boolean>>} whether each check holds
 */
export async function deals(replay, seats, dice) {
  const check = GAMES.find(([pattern]) => pattern.test(replay.game_type))?.[1];
  try {
    return check ? await check(replay, seats, dice) : {};
  } catch (error) {
    console.debug(error);
    return { deal: false }; // a replay without its beginning is no proof of anything
  }
}
