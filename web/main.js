import { follow, get, post } from "./parlor.js";
import { clock, evolve, headline, isolated } from "./view.js";

const $ = (id) => document.getElementById(id);
const CELLS = Array.from({ length: 9 }, (_, cell) => cell);

let me = null; // the signed-in user
let view = null; // the game on screen, as last told
let heardAt = 0; // when its clocks were told
let stop = () => {}; // ends its stream
let busy = false; // a command is on its way
let settled = 0; // the version that shows our last move
let byKeyboard = false;

// --- screens ---

const gameInAddress = () => /^#\/game\/([\w-]+)$/.exec(location.hash)?.[1];
const path = (command) => `/session/games/${gameInAddress()}/${command}`;

function show(screen) {
  for (const id of ["sign-in", "home", "game"]) $(id).hidden = id !== screen;
  $("account").hidden = !me;
  $("me").textContent = me?.nick ?? "";
  $("link").hidden = screen !== "game";
}

function route() {
  stop();
  stop = () => {};
  view = null;
  settled = 0;
  document.title = "Parlor";
  say("");
  if (!me) {
    show("sign-in");
    $("nick").focus();
  } else if (gameInAddress()) {
    openGame();
  } else {
    show("home");
  }
}

function openGame() {
  render();
  show("game");
  stop = follow(gameInAddress(), {
    onEvent(name, data) {
      if (!view && name !== "snapshot") return;
      view = evolve(view, name, data);
      if (data.waits) heardAt = performance.now();
      render();
    },
    onLink(state) {
      $("link").dataset.state = state;
      $("link").textContent = state;
    },
    onRefused(problem) {
      stop();
      if (problem.status !== 401) show("home");
      explain(problem.status === 404 ? new Error("There is no such game.") : problem);
    },
  });
}

// --- what the server says, on the page ---

function render() {
  const waiting = view?.status === "waiting";
  const active = view?.status === "active";
  const over = Boolean(view) && !waiting && !active;
  const title = view ? headline(view) : "Opening the game…";
  setText($("status"), title);
  document.title = `${title} · Parlor`;
  setText($("last-move"), lastMove());

  const moves = busy || !view || view.version < settled ? [] : (view.legal_moves ?? []);
  CELLS.forEach((cell) => renderCell(cell, moves.some((move) => move.cell === cell)));
  if (byKeyboard && document.activeElement === document.body) document.querySelector(".cell:enabled")?.focus();

  const players = view?.players ?? [];
  $("players").replaceChildren(...players.map(playerRow), ...(waiting ? [openSeatRow()] : []));
  const watchers = view?.watchers ?? [];
  setText($("watchers"), watchers.length ? `Watching: ${watchers.map(({ nick }) => isolated(nick)).join(", ")}` : "");

  $("share").hidden = !view || over;
  $("share-link").value = location.href;
  const toWhom = waiting && view.self ? "Send this link to your opponent" : "Anyone with this link can watch";
  $("share-label").textContent = toWhom;
  $("join").hidden = !waiting || Boolean(view.self);
  $("resign").hidden = !active || !view.self;
  $("again").hidden = !over;
  tick();
}

function renderCell(cell, legal) {
  const button = $("board").children[cell];
  const mark = view?.gamestate.board?.[cell] ?? "";
  button.disabled = !legal;
  button.ariaLabel = `Row ${Math.floor(cell / 3) + 1}, column ${(cell % 3) + 1}: ${mark || "empty"}`;
  button.toggleAttribute("data-last", view?.lastCell === cell);
  if (button.dataset.mark === mark) return;
  button.dataset.mark = mark;
  button.replaceChildren(...drawing(mark));
}

function lastMove() {
  const cell = view?.lastCell;
  if (cell === undefined) return "";
  return `Last move: ${view.gamestate.board[cell]}, row ${Math.floor(cell / 3) + 1}, column ${(cell % 3) + 1}`;
}

function playerRow({ box, nick, online, away }) {
  const mark = view.gamestate.colors?.[box] ?? "";
  const row = element("li", { "data-box": box });
  const presence = away ? "away" : online ? "online" : "offline";
  const name = element("bdi", {}, nick);
  row.append(
    element("span", { class: "dot", "data-online": Boolean(online) && !away, title: presence }),
    element("span", {}, name, view.self?.box === box ? " (you)" : ""),
    element("span", { class: "unseen" }, `, ${presence}${mark && `, plays ${mark}`}`),
    element("span", { class: "clock", role: "timer" }),
    element("span", { class: "mark", "data-mark": mark }, ...drawing(mark)),
  );
  const ahead = view.result ? view.result.winners.includes(box) : mark && view.gamestate.turn === mark;
  row.toggleAttribute("data-marked", Boolean(ahead));
  return row;
}

const openSeatRow = () => element("li", { class: "open" }, "Open seat");

/** Runs the clocks on from the moment they were told. */
function tick() {
  for (const row of $("players").querySelectorAll("[data-box]")) {
    const shown = clock(view, Number(row.dataset.box), performance.now() - heardAt);
    const face = row.querySelector(".clock");
    setText(face, shown?.text ?? "");
    face.toggleAttribute("data-bank", Boolean(shown?.bank));
  }
}

/** Only a real change is written, so that a live region is read out once. */
function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** Makes an element; strings become text, never markup. */
function element(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

const drawing = (mark) => (mark ? [$(mark).content.cloneNode(true)] : []);

const say = (text) => setText($("error"), text);

function explain(error) {
  if (error.status === 401 && me) {
    me = null;
    route();
    say("Please sign in again.");
  } else if (error instanceof TypeError) {
    say("The server cannot be reached. Try again in a moment.");
  } else {
    say(error.message);
  }
}

// --- what the player does ---

/** Sends one command at a time; what it changes comes back on the game's stream. */
async function command(work) {
  if (busy) return;
  setBusy(true);
  say("");
  try {
    await work();
  } catch (error) {
    explain(error);
  }
  setBusy(false);
}

function setBusy(value) {
  busy = value;
  for (const button of document.querySelectorAll("main button:not(.cell, #copy)")) button.disabled = busy;
  if (view) render();
}

const newGame = () =>
  command(async () => {
    const { id } = await post("/session/games", { game_type: "xsos", seats: ["me", "open"] });
    location.hash = `#/game/${id}`;
  });

const play = (cell) =>
  command(async () => {
    const game = view.id;
    const move = view.legal_moves.find((move) => move.cell === cell);
    const { version } = await post(path("moves"), move);
    if (view?.id === game) settled = version;
  });

$("board").append(
  ...CELLS.map((cell) => {
    const button = element("button", { class: "cell", type: "button", disabled: "" });
    button.onclick = () => play(cell);
    return button;
  }),
);
$("guest").onsubmit = (event) => {
  event.preventDefault();
  command(async () => {
    me = (await post("/lobby/auth/guest", { nick: $("nick").value.trim() })).user;
    route();
  });
};
$("sign-out").onclick = () =>
  command(async () => {
    await post("/lobby/auth/logout");
    me = null;
    location.hash = "#/";
    route();
  });
$("new-game").onclick = newGame;
$("again").onclick = newGame;
$("join").onclick = () => command(() => post(path("join")));
$("resign").onclick = () => confirm("Resign this game?") && command(() => post(path("resign")));
$("copy").onclick = async () => {
  $("share-link").select();
  try {
    await navigator.clipboard.writeText($("share-link").value);
  } catch {
    document.execCommand("copy"); // without https there is no clipboard object
  }
  $("copy").textContent = "Copied";
  setTimeout(() => ($("copy").textContent = "Copy link"), 2000);
};
addEventListener("click", (event) => (byKeyboard = event.detail === 0), { capture: true });
addEventListener("hashchange", route);
setInterval(tick, 250);

try {
  me = (await get("/lobby/me")).user;
  route();
} catch (error) {
  if (error.status === 401) route();
  else explain(error);
}
