// A table on which things lie under keys and move when their place changes.

import { animate, set, svg } from "../dom.js";

const MOVE_MS = 380;

/**
 * @typedef {object} Place
 * @property {number} x
 * @property {number} y
 * @property {number} [turn] degrees
 * @property {number} [scale]
 */

export const transform = ({ x, y, turn = 0, scale = 1 }) =>
  `translate(${x}px, ${y}px) rotate(${turn}deg) scale(${scale})`;

export class Stage {
  /** @param {SVGElement} layer where the things are drawn, the later above the earlier */
  constructor(layer) {
    this.layer = layer;
    /** @type {Map<string, { node: SVGElement, place: Place, face: string }>} */
    this.things = new Map();
  }

  /**
   * Shows exactly these things, in this order. Those that were there move, new ones come from `from`, the others go to
   * `to` or vanish.
   *
   * @param {{ key: string, place: Place, face: string, draw: () => Node[], from?: Place, attributes?: object }[]} wanted
   * @param {(key: string) => Place | null} [goneTo]
   */
  show(wanted, goneTo = () => null) {
    const focused = document.activeElement?.closest?.("[data-key]")?.dataset.key;
    const keys = new Set(wanted.map(({ key }) => key));
    for (const [key, thing] of this.things) if (!keys.has(key)) this.remove(key, thing, goneTo(key));
    wanted.forEach((each, i) => this.put(each, i));
    if (focused && document.activeElement?.dataset?.key !== focused) this.things.get(focused)?.node.focus();
  }

  put({ key, place, face, draw, from, attributes = {} }, i) {
    const thing = this.things.get(key) ?? this.add(key);
    if (thing.face !== face) {
      thing.node.replaceChildren(...draw());
      thing.face = face;
    }
    set(thing.node, attributes);
    if (this.layer.children[i] !== thing.node) this.layer.insertBefore(thing.node, this.layer.children[i] ?? null);
    this.move(thing, place, thing.place ?? from);
  }

  add(key) {
    const node = svg("g", { class: "thing" });
    node.dataset.key = key;
    const thing = { node, place: null, face: null };
    this.things.set(key, thing);
    return thing;
  }

  move(thing, place, before) {
    const next = transform(place);
    thing.place = place;
    if (thing.node.style.transform === next) return;
    thing.node.style.transform = next;
    if (before) animate(thing.node, [{ transform: transform(before) }, { transform: next }], { duration: MOVE_MS });
    else animate(thing.node, [{ opacity: 0 }, { opacity: 1 }], { duration: MOVE_MS / 2 });
  }

  remove(key, thing, to) {
    this.things.delete(key);
    const leaving =
      to &&
      animate(thing.node, [{ transform: transform(thing.place) }, { transform: transform(to), opacity: 0.4 }], {
        duration: MOVE_MS,
      });
    if (!leaving) return thing.node.remove();
    thing.node.removeAttribute("data-key");
    set(thing.node, { role: null, tabindex: null, "aria-label": null, "aria-hidden": "true" });
    this.layer.append(thing.node);
    leaving.onfinish = leaving.oncancel = () => thing.node.remove();
  }

  /** Something passes over the table and is gone. */
  fly(nodes, from, to) {
    const node = svg("g", { class: "thing passing", "aria-hidden": "true" }, nodes);
    node.style.transform = transform(to);
    const flight = animate(
      node,
      [
        { transform: transform(from) },
        { transform: transform(to), opacity: 1, offset: 0.85 },
        { transform: transform(to), opacity: 0 },
      ],
      { duration: MOVE_MS * 1.3 },
    );
    if (!flight) return;
    this.layer.append(node);
    flight.onfinish = flight.oncancel = () => node.remove();
  }
}

/** Attributes that make a drawn thing a button, or leave it a picture. */
export function pressable(label, act) {
  if (!act)
    return { role: "img", tabindex: null, "aria-label": label, "data-open": false, onclick: null, onkeydown: null };
  const onkeydown = (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    act();
  };
  return { role: "button", tabindex: 0, "aria-label": label, "data-open": true, onclick: act, onkeydown };
}

const WIDE_PX = 560;
const BELOW_PX = 116; // for two rows of buttons under the table

/**
 * Keeps a drawing's own size in step with the room it has: wide on a desk; on a phone as tall as the screen leaves room,
 * so that the own hand is in sight.
 *
 * @param {{ wide: [number, number], tall: [number, number, number] }} sizes width and height; the width and the least and
 *   the greatest height
 */
export function responsive(host, picture, { wide, tall }, redraw) {
  let room = 0;
  let screen = 0;
  let above = 0; // what stands there may grow, by notes on the players for one
  let shown = "";
  const look = () => {
    if (host.clientWidth !== room) [room, screen, above] = [host.clientWidth, innerHeight, 0]; // no mere address bar
    above = Math.max(above, offset(host)); // and a table that has made room keeps its height
    const isWide = room > WIDE_PX;
    const [least, height] = isWide ? wide : [tall[0], fitting(tall, screen - above - BELOW_PX, room)];
    const lowest = parseFloat(getComputedStyle(picture).maxHeight) || Infinity;
    const width = Math.max(least, Math.round((height * room) / lowest)); // where it may not grow down it spreads
    const box = `0 0 ${width} ${height}`;
    if (box === shown) return;
    shown = box;
    picture.setAttribute("viewBox", box);
    redraw({ width, height, wide: isWide });
  };
  const watch = new ResizeObserver(look);
  for (const each of [host, host.previousElementSibling]) if (each) watch.observe(each);
  look();
}

const offset = (host) => host.getBoundingClientRect().top + scrollY;

const fitting = ([width, least, most], free, room) =>
  Math.round(Math.min(most, Math.max(least, (free * width) / Math.max(1, room))));
