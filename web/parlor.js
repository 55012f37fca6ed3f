// The little of Parlor's HTTP contract that this page needs. The sign-in cookie goes along by itself.

const GAME_EVENTS = ["snapshot", "joined", "started", "response", "sync", "game_over", "aborted", "presence"];
const ATTEMPTS = 6; // with the pauses between them about 15 s: longer than a restart

/** What the server refused: an RFC 9457 problem, whose `code` is the word to switch on. */
export class Problem extends Error {
  constructor(status, { code, detail, title } = {}) {
    super(detail || title || `The server answered ${status}.`);
    this.status = status;
    this.code = code;
  }
}

/** Asks until an answer comes: through a lost network, a lost answer or a server that is just starting. */
async function request(path, options) {
  for (let attempt = 1; ; attempt++) {
    try {
      const response = await fetch(path, options);
      const body = await response.json().catch(() => undefined);
      if (!response.ok) throw new Problem(response.status, body);
      return body;
    } catch (error) {
      const passing = !(error instanceof Problem) || error.status === 503;
      if (!passing || attempt === ATTEMPTS) throw error;
      await pause(250 * 2 ** attempt);
    }
  }
}

export const get = (path) => request(path);

/** Posts a command under a key of its own, so that asking again cannot do it twice. */
export const post = (path, body = {}) =>
  request(path, {
    method: "POST",
    headers: { "Content-Type": "application/json", "Idempotency-Key": newKey() },
    body: JSON.stringify(body),
  });

// crypto.randomUUID exists only on https and localhost; a game on the home network has neither.
const newKey = () => crypto.getRandomValues(new Uint32Array(4)).join("-");

/** Waits, but no longer than until the network is back. */
function pause(ms) {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      removeEventListener("online", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    addEventListener("online", done);
  });
}

/**
 * Follows a game: `onEvent(name, data)` for each message, `onLink("connecting" | "live" | "reconnecting")`,
 * and `onRefused(problem)` when the server will not have us. Returns the function that stops it.
 *
 * The browser resumes a broken stream by itself with Last-Event-ID. It gives up for good on an answer other than
 * 200, and a silent cut it may not notice at all: then the stream is opened anew and begins with a snapshot.
 */
export function follow(gameId, { onEvent, onLink, onRefused }) {
  const path = `/session/games/${encodeURIComponent(gameId)}`;
  let source;
  let stopped = false;

  function open() {
    source?.close();
    source = new EventSource(`${path}/events`);
    source.onopen = () => onLink("live");
    source.onerror = () => {
      onLink("reconnecting");
      if (source.readyState === EventSource.CLOSED) askWhy();
    };
    for (const name of GAME_EVENTS) {
      source.addEventListener(name, (event) => onEvent(name, JSON.parse(event.data)));
    }
  }

  async function askWhy() {
    try {
      await get(path);
    } catch (error) {
      if ([401, 403, 404].includes(error.status)) {
        if (!stopped) onRefused(error);
        return;
      }
    }
    await pause(1500);
    if (!stopped && source.readyState === EventSource.CLOSED) open();
  }

  const cut = () => {
    source.close();
    onLink("reconnecting");
  };

  onLink("connecting");
  open();
  addEventListener("offline", cut);
  addEventListener("online", open);
  return () => {
    stopped = true;
    source.close();
    removeEventListener("offline", cut);
    removeEventListener("online", open);
  };
}
