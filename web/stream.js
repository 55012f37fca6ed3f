// Server-sent events over fetch: unlike EventSource it can carry a token, see why it was refused, and notice silence.

const SILENCE_MS = 35_000; // the server says something every 15 s; twice that and a little is a dead line
const FIRST_PAUSE_MS = 400;
const LONGEST_PAUSE_MS = 8_000;
const FINAL = [401, 403, 404]; // asking again will not change the answer

/**
 * @typedef {"connecting" | "live" | "reconnecting" | "catching-up" | "closed"} LinkState
 *
 * @typedef {object} StreamHandlers
 * @property {(name: string, data: any, id: string | null) => void} onEvent
 * @property {(state: LinkState) => void} [onState]
 * @property {(problem: import("./parlor.js").Problem) => void} [onRefused] the server will not have us; the stream is over
 */

/**
 * Follows a stream until stopped. After a break it continues behind the last id that it has heard, so that nothing is
 * lost and nothing repeated; if the server no longer keeps that id, it sends a new `snapshot`.
 *
 * @param {() => { url: string, headers: Record<string, string> }} address
 * @param {StreamHandlers} handlers
 * @param {{ refusal: (response: Response) => Promise<any>, cursor?: string, settledBy?: string }} how
 *   `settledBy` names the event that ends the catching up after a resume
 * @returns {() => void} stops it
 */
export function follow(address, { onEvent, onState = () => {}, onRefused = () => {} }, { refusal, cursor, settledBy }) {
  let last = cursor ?? null;
  let stopped = false;
  let connection = new AbortController();
  let pause = FIRST_PAUSE_MS;
  let wake = () => {};

  const say = (state) => !stopped && onState(state);

  async function listen() {
    const { url, headers } = address();
    const resume = last === null ? {} : { "Last-Event-ID": last };
    const response = await fetch(url, {
      headers: { Accept: "text/event-stream", ...headers, ...resume },
      cache: "no-store",
      signal: connection.signal,
    });
    if (!response.ok) throw await refusal(response);
    pause = FIRST_PAUSE_MS;
    say(settledBy && last !== null ? "catching-up" : "live");
    await read(response.body);
  }

  async function read(body) {
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    const parse = parser((name, data, id) => {
      if (stopped) return;
      if (id !== null) last = id;
      onEvent(name, data, id);
      if (name === settledBy || name === "snapshot") say("live");
    });
    let heard = performance.now();
    const bell = setInterval(() => performance.now() - heard > SILENCE_MS && connection.abort(), 5_000);
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        heard = performance.now();
        parse(value);
      }
    } finally {
      clearInterval(bell);
    }
  }

  async function keepListening() {
    say("connecting");
    while (!stopped) {
      connection = new AbortController();
      try {
        await listen();
      } catch (error) {
        if (!stopped && FINAL.includes(error.status)) {
          stop();
          onState("closed");
          onRefused(error);
          return;
        }
      }
      if (stopped) return;
      say("reconnecting");
      await rest();
    }
  }

  /** Waits a little longer each time, but not once the network is back. */
  function rest() {
    return new Promise((resolve) => {
      const timer = setTimeout(
        resolve,
        navigator.onLine === false ? LONGEST_PAUSE_MS : pause * (0.7 + 0.6 * Math.random()),
      );
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
      wake = () => {
        clearTimeout(timer);
        pause = FIRST_PAUSE_MS;
        resolve();
      };
    });
  }

  const offline = () => connection.abort();
  const online = () => wake();
  const stop = () => {
    stopped = true;
    connection.abort();
    wake();
    removeEventListener("offline", offline);
    removeEventListener("online", online);
  };

  addEventListener("offline", offline);
  addEventListener("online", online);
  keepListening();
  return stop;
}

/**
 * Cuts the text of an event stream into events.
 *
 * @param {(name: string, data: any, id: string | null) => void} emit `data` is parsed JSON; `id` is null if it has none
 * @returns {(chunk: string) => void}
 */
export function parser(emit) {
  let rest = "";
  let event = { name: "message", data: [], id: null };

  function line(text) {
    if (text === "") {
      if (event.data.length) emit(event.name, JSON.parse(event.data.join("\n")), event.id);
      event = { name: "message", data: [], id: null };
      return;
    }
    const colon = text.indexOf(":");
    if (colon === 0) return;
    const field = colon < 0 ? text : text.slice(0, colon);
    const value = colon < 0 ? "" : text.slice(colon + 1).replace(/^ /, "");
    if (field === "event") event.name = value;
    else if (field === "data") event.data.push(value);
    else if (field === "id") event.id = value;
  }

  return (chunk) => {
    const lines = (rest + chunk).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop();
    lines.forEach(line);
  };
}
