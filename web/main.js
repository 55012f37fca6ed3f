// The page: who we are, which view the address asks for, and what every view shares.

import { dock } from "./dock.js";
import { header } from "./header.js";
import { loadLanguage, t } from "./i18n.js";
import { Lobby } from "./lobby.js";
import { Parlor } from "./parlor.js";
import { restoreTheme } from "./settings.js";
import { toast } from "./toast.js";

const ROUTES = [
  [/^#?\/?$/, () => import("./views/home.js")],
  [/^#\/new\/([\w-]+)$/, () => import("./views/new-game.js")],
  [/^#\/game\/([\w-]+)$/, () => import("./views/table.js"), "signed in"],
  [/^#\/replay\/([\w-]+)$/, () => import("./views/replay.js"), "signed in"],
  [/^#\/room\/([\w-]+)$/, () => import("./views/room.js"), "signed in"],
  [/^#\/leaders(?:\/([\w-]+))?$/, () => import("./views/leaders.js"), "signed in"],
  [/^#\/me$/, () => import("./views/profile.js"), "signed in"],
  [/^#\/user\/([\w-]+)$/, () => import("./views/profile.js"), "signed in"],
];

/**
 * What the views share.
 *
 * @typedef {object} App
 * @property {Parlor} api
 * @property {Lobby} lobby
 * @property {import("./parlor.js").User | null} me
 * @property {(address: string) => void} go
 * @property {(user: import("./parlor.js").User | null) => void} signedIn
 * @property {() => Promise<void>} signOut
 * @property {(error: Error) => void} explain
 * @property {ReturnType<typeof header>} header
 */

/** @type {App} */
const app = {
  api: new Parlor(),
  me: null,
  go(address) {
    if (location.hash === address) route();
    else location.hash = address;
  },
  signedIn(user) {
    app.me = user;
    app.header.render();
    app.lobby.follow(Boolean(user));
  },
  /** The view is left and the channels are let go first, or both would hear of it as if somebody had thrown us out. */
  async signOut() {
    leave();
    leave = () => {};
    app.lobby.follow(false);
    try {
      await app.api.logout();
    } catch (error) {
      app.signedIn(app.me);
      route();
      return explain(error);
    }
    app.signedIn(null);
    app.go("#/");
  },
  explain,
};
app.lobby = new Lobby(app);
dock(app);

let leave = () => {};
let visit = 0;

async function route() {
  leave();
  leave = () => {};
  const mine = ++visit;
  const main = document.getElementById("main");
  const [, load, who, params] = match(location.hash);
  document.title = "Parlor";
  app.header.link(null);
  try {
    const view = who && !app.me ? await import("./views/sign-in.js") : await load();
    if (mine !== visit) return;
    main.replaceChildren();
    leave = view.open(main, app, ...params) ?? leave;
    scrollTo(0, 0);
  } catch (error) {
    explain(error);
  }
}

function match(hash) {
  for (const [pattern, load, who] of ROUTES) {
    const found = pattern.exec(hash);
    if (found) return [pattern, load, who, found.slice(1)];
  }
  return [null, ROUTES[0][1], undefined, []];
}

/** Tells the person what went wrong, in words that they can do something with. */
function explain(error) {
  if (error.status === 401 && app.me) {
    app.signedIn(null);
    route();
    toast(t("error.signed_out"), "bad");
  } else if (error instanceof TypeError) {
    console.debug(error);
    toast(t("error.unreachable"), "bad");
  } else {
    toast(t(`error.${error.code}`) === `error.${error.code}` ? error.message : t(`error.${error.code}`), "bad");
  }
}

async function begin() {
  restoreTheme();
  const me = app.api.me();
  await Promise.allSettled([me, loadLanguage()]);
  document.querySelector(".skip").textContent = t("skip");
  document.querySelector(".skip").onclick = (event) => {
    event.preventDefault();
    document.getElementById("main").focus();
  };
  app.header = header(app, () => route());
  try {
    app.me = await me;
  } catch (error) {
    explain(error);
  }
  app.signedIn(app.me);
  addEventListener("hashchange", route);
  await route();
}

begin();
