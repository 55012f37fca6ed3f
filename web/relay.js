// A client of Parlor's relay with the face of a socket: no dependencies, nothing to build.
//
//   import { relay } from "/relay.js";
//   const socket = relay();
//   socket.on("server_msg", (payload) => …);
//   socket.emit("client_msg", { version: 3, seq: 0, from, utouId, action: "join", name });
//
// What is emitted is sent in order, again and again until it is answered, also after a reload of the page. What the
// other player sends arrives once and in order, whatever the network does meanwhile.

const SHORTEST_PAUSE = 250; // ms
const LONGEST_PAUSE = 8000;
const SILENCE = 30000; // the server says something every 15 s; after twice that the connection is dead

/**
 * Options: `url` of the server (this page's by default), `token` (else the sign-in cookie is used), `room`, a utouId to
 * follow from the start (else that of the first message emitted), and `storage` for what must survive a reload.
 *
 * Events: `server_msg` (payload) · `answer` (payload, {roomVersion, status, expected}) · `refused` (payload, problem) ·
 * `snapshot` (the room's view) · `presence` · `link` ("connecting" | "live" | "reconnecting") ·
 * `rejected` (problem: the room will not have us).
 */
export function relay({ url = "", token, room, storage = sessionStorage } = {}) {
  const listeners = new Map();
  const controller = new AbortController();
  const headers = token ? { Authorization: `Bearer ${token}` } : {};
  let memory; // what a reload must not lose: { cursor, waiting: [{ key, payload }] }
  let following = null; // the room that is followed
  let sending = false;

  const tell = (event, ...data) => [...(listeners.get(event) ?? [])].forEach((listener) => listener(...data));

  const place = () => `parlor-relay:${following}`;
  const remember = () => storage.setItem(place(), JSON.stringify(memory));

  /** Takes up a room, with what an earlier life of this page left undone in it. */
  function enter(utouId) {
    if (following === utouId) return;
    if (following !== null) throw new Error("A socket stays in one room; make another for another room.");
    following = utouId;
    memory = JSON.parse(storage.getItem(place())) ?? { cursor: null, waiting: [] };
    if (memory.cursor !== null) follow();
    flush();
  }

  function emit(event, payload) {
    if (event !== "client_msg") throw new Error(`A relay takes client_msg, not ${event}.`);
    enter(payload.utouId);
    memory.waiting.push({ key: newKey(), payload });
    remember();
    flush();
  }

  /** Sends what waits, one after the other; each under a key of its own, so that a repeat cannot count twice. */
  async function flush() {
    if (sending) return;
    sending = true;
    while (memory.waiting.length && !controller.signal.aborted) {
      const { key, payload } = memory.waiting[0];
      const response = await post(key, payload);
      if (!response) break; // closed meanwhile
      memory.waiting.shift();
      if (response.ok) settle(payload, response.body);
      remember();
      if (response.ok) tell("answer", payload, response.body);
      else tell("refused", payload, response.body);
    }
    sending = false;
  }

  /** A join that opened or completed a game is where the stream begins; else with what we have not been sent yet. */
  function settle(payload, { roomVersion, status }) {
    if (memory.cursor === null) {
      memory.cursor = payload.action === "join" && status !== "duplicate" ? String(roomVersion) : "";
      follow();
    }
  }

  async function post(key, payload) {
    for (let pause = SHORTEST_PAUSE; !controller.signal.aborted; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
      try {
        const response = await fetch(`${url}/relay/client_msg`, {
          method: "POST",
          headers: { ...headers, "Content-Type": "application/json", "Idempotency-Key": key },
          body: JSON.stringify(payload),
          signal: controller.signal,
        });
        const body = await response.json();
        if (response.status !== 429 && response.status < 500) return { ok: response.ok, body };
        pause = Math.max(pause, 1000 * Number(response.headers.get("Retry-After")));
      } catch {
        // The network is away, or the answer was cut short: asking again cannot do harm.
      }
      await rest(pause, controller.signal);
    }
    return null;
  }

  // --- the stream ---

  let followed = false;

  async function follow() {
    if (followed) return;
    followed = true;
    tell("link", "connecting");
    for (let pause = SHORTEST_PAUSE; !controller.signal.aborted; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
      const outcome = await listen();
      if (controller.signal.aborted) return;
      if (outcome.problem) {
        followed = false;
        tell("rejected", outcome.problem);
        return;
      }
      if (outcome.heard) pause = SHORTEST_PAUSE;
      tell("link", "reconnecting");
      await rest(pause * (0.5 + Math.random()), controller.signal); // not all clients at once
    }
  }

  /** One connection, until it ends. EventSource could neither send a token nor tell why it was refused. */
  async function listen() {
    const attempt = new AbortController();
    const abort = () => attempt.abort();
    let watchdog = setTimeout(abort, SILENCE);
    let heard = false;
    controller.signal.addEventListener("abort", abort);
    addEventListener("offline", abort);
    try {
      const cursor = memory.cursor ? { "Last-Event-ID": memory.cursor } : {};
      const response = await fetch(`${url}/relay/rooms/${encodeURIComponent(following)}/events`, {
        headers: { ...headers, ...cursor },
        signal: attempt.signal,
      });
      if ([401, 403, 404].includes(response.status)) return { problem: await response.json() };
      if (!response.ok) return { heard };
      tell("link", "live");
      const take = parser(dispatch);
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
        heard = true;
        clearTimeout(watchdog);
        watchdog = setTimeout(abort, SILENCE);
        take(chunk.value);
      }
    } catch {
      // Cut: the next connection goes on after the cursor.
    } finally {
      clearTimeout(watchdog);
      controller.signal.removeEventListener("abort", abort);
      removeEventListener("offline", abort);
    }
    return { heard };
  }

  function dispatch({ event, data, id }) {
    if (controller.signal.aborted) return;
    tell(event, JSON.parse(data));
    if (id !== undefined) {
      memory.cursor = id; // only now: a listener that the page's end cut short hears it again
      remember();
    }
  }

  const socket = {
    on(event, listener) {
      listeners.set(event, [...(listeners.get(event) ?? []), listener]);
      return socket;
    },
    off(event, listener) {
      listeners.set(event, listener ? (listeners.get(event) ?? []).filter((each) => each !== listener) : []);
      return socket;
    },
    emit(event, payload) {
      emit(event, payload);
      return socket;
    },
    /** Nothing is heard or sent any more; what was not sent yet waits for a next socket in this room. */
    disconnect() {
      controller.abort();
      return socket;
    },
    /** Forget what this page knew of the room, for example when the user changes. */
    forget() {
      if (following !== null) storage.removeItem(place());
      return socket.disconnect();
    },
  };
  // In a task of its own, so that whoever called us can say first what it listens to.
  if (room !== undefined) queueMicrotask(() => controller.signal.aborted || enter(room));
  return socket;
}

export default relay;

/** Turns the ID token of a LIFF app (`liff.getIDToken()`) into a token for `relay`; throws the problem if refused. */
export async function signIn(idToken, url = "") {
  const response = await fetch(`${url}/relay/auth/liff`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ id_token: idToken }),
  });
  const body = await response.json();
  if (!response.ok) throw Object.assign(new Error(body.detail), body);
  return body;
}

/** Calls back for each event in the pieces of text that it is given. */
function parser(callback) {
  let rest = "";
  let event = {};
  return (text) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      const colon = line.indexOf(":");
      if (line === "") {
        if (event.data !== undefined) callback(event);
        event = {};
      } else if (colon > 0) {
        event[line.slice(0, colon)] = line.slice(colon + 1).trimStart();
      }
    }
  };
}

// crypto.randomUUID exists only on https and localhost.
const newKey = () => crypto.getRandomValues(new Uint32Array(4)).join("-");

/** Waits, but no longer than until the network is back or the socket is closed. */
function rest(ms, signal) {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      removeEventListener("online", done);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    addEventListener("online", done);
    signal.addEventListener("abort", done);
  });
}
