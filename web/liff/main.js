import { relay } from "/relay.js";
import { fresh, headline, heard, isMyTurn, outcome, played, X } from "./game.js";

const $ = (id) => document.getElementById(id);
const CELLS = Array.from({ length: 9 }, (_, cell) => cell);
const FINISHED = ["over", "left", "deserted"];

let me = null; // { token, user }: of this window, so that two windows are two players
let room = null;
let socket = null;
let game = fresh();

// --- what survives a reload, and ends with the window ---

const load = (key) => JSON.parse(sessionStorage.getItem(`liff:${key}`));
const save = (key, value) => sessionStorage.setItem(`liff:${key}`, JSON.stringify(value));

function become(next) {
  game = next;
  save(`game:${room}`, game);
  render();
}

// --- messages ---

function send(action, fields = {}) {
  const message = { version: 3, seq: game.seq, from: me.user.id, utouId: room, action, ...fields };
  become({ ...game, seq: game.seq + 1 });
  socket.emit("client_msg", message);
}

const introduced = (action) => send(action, { name: me.user.nick });

function join() {
  become(fresh());
  introduced("join");
}

function play(cell) {
  if (!isMyTurn(game) || game.board[cell]) return;
  become(played(game, cell));
  send("update_game", { game: game.board });
}

function leave() {
  send("leave_game");
  become({ ...game, stage: "left" });
}

function open() {
  socket = relay({ token: me.token, room });
  socket.on("server_msg", (message) => {
    const [next, answers] = heard(game, message);
    become(next);
    for (const action of answers) action === "start_game" ? introduced(action) : send(action);
  });
  socket.on("refused", (message, problem) => {
    // A game that the other has ended refuses what was on its way; the stream tells how it ended.
    if (problem.code !== "wrong_state") say(problem.code === "room_full" ? "This room is full." : problem.detail);
  });
  socket.on("rejected", (problem) => say(problem.detail));
  socket.on("link", (state) => {
    $("link").dataset.state = state;
    $("link").textContent = state;
  });
  const known = load(`game:${room}`);
  if (known) become(known);
  else join();
}

// --- the page ---

function render() {
  const title = headline(game);
  setText($("status"), title);
  document.title = `${title} · Parlor`;
  CELLS.forEach(renderCell);
  const rows = [[`${me.user.nick} (you)`, game.mark], ...(game.peer ? [[game.peer.name, game.mark && -game.mark]] : [])];
  $("players").replaceChildren(...rows.map(([name, mark]) => playerRow(name, mark)));
  $("again").hidden = !FINISHED.includes(game.stage);
  $("leave").hidden = FINISHED.includes(game.stage);
  $("share").hidden = game.stage !== "waiting";
  $("share-link").value = location.href;
}

function renderCell(cell) {
  const button = $("board").children[cell];
  const mark = letter(game.board[cell]);
  button.disabled = !isMyTurn(game) || Boolean(mark);
  button.ariaLabel = `Row ${Math.floor(cell / 3) + 1}, column ${(cell % 3) + 1}: ${mark || "empty"}`;
  if (button.dataset.mark === mark) return;
  button.dataset.mark = mark;
  button.replaceChildren(...drawing(mark));
}

function playerRow(name, mark) {
  const row = document.createElement("li");
  const label = document.createElement("bdi");
  label.textContent = name;
  const drawn = document.createElement("span");
  drawn.className = "mark clock";
  drawn.dataset.mark = letter(mark);
  drawn.append(...drawing(letter(mark)));
  row.append(label, drawn);
  const ahead = game.stage === "playing" ? game.turn : outcome(game.board);
  row.toggleAttribute("data-marked", Boolean(mark) && mark === ahead);
  return row;
}

const letter = (mark) => (mark ? (mark === X ? "X" : "O") : "");
const drawing = (mark) => (mark ? [$(mark).content.cloneNode(true)] : []);
const say = (text) => setText($("error"), text);

function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

function show(screen) {
  for (const id of ["sign-in", "game"]) $(id).hidden = id !== screen;
  $("link").hidden = screen !== "game";
}

function enter() {
  say("");
  if (me) {
    show("game");
    open();
  } else {
    show("sign-in");
    $("nick").focus();
  }
}

/** A guest of this window only: the cookie that the rest of the site uses is left alone. */
async function signIn(nick) {
  const response = await fetch("/lobby/auth/guest", {
    method: "POST",
    credentials: "omit",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ nick }),
  });
  const body = await response.json();
  if (!response.ok) throw new Error(body.detail);
  return body;
}

function route() {
  room = decodeURIComponent(location.hash.slice(1));
  if (!room) {
    room = [...crypto.getRandomValues(new Uint8Array(15))].map((n) => n.toString(36)).join("");
    history.replaceState(null, "", `#${room}`);
  }
  socket?.disconnect();
  enter();
}

$("board").append(
  ...CELLS.map((cell) => {
    const button = document.createElement("button");
    button.className = "cell";
    button.type = "button";
    button.onclick = () => play(cell);
    return button;
  }),
);
$("guest").onsubmit = async (event) => {
  event.preventDefault();
  try {
    me = await signIn($("nick").value.trim());
    save("me", me);
    enter();
  } catch (error) {
    say(error instanceof TypeError ? "The server cannot be reached. Try again in a moment." : error.message);
  }
};
$("again").onclick = join;
$("leave").onclick = leave;
addEventListener("hashchange", route);

me = load("me");
route();
