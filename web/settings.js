// What a person has chosen on this device: theme, sound, name, and the games to come back to.

const read = (name, fallback) => {
  try {
    return JSON.parse(localStorage.getItem(`parlor.${name}`)) ?? fallback;
  } catch {
    return fallback;
  }
};
const write = (name, value) => localStorage.setItem(`parlor.${name}`, JSON.stringify(value));

// --- theme ---

export const THEMES = ["auto", "light", "dark"];
export const theme = () => read("theme", "auto");

export function chooseTheme(name) {
  write("theme", name);
  restoreTheme();
}

export function restoreTheme() {
  document.documentElement.dataset.theme = theme();
}

// --- sound ---

export const soundOn = () => read("sound", false);
export const chooseSound = (on) => write("sound", on);

// --- name ---

export const nickname = () => read("nick", "");
export const rememberNick = (nick) => write("nick", nick);

// --- games ---

const KEPT = 12;

/** Games that were opened here, the latest first: `{ id, type, user, over, commitment }`. */
export const recentGames = (user) => read("games", []).filter((game) => game.user === user);

/** @param {{ id: string, type: string, user: string, over: boolean, commitment: string }} game */
export function rememberGame(game) {
  const before = read("games", []);
  const same = before.find(({ id, user }) => id === game.id && user === game.user);
  if (same && same.over === game.over && before[0] === same) return;
  const noted = same?.commitment ?? game.commitment; // the first one is what counts
  write("games", [{ ...game, commitment: noted }, ...before.filter((other) => other !== same)].slice(0, KEPT));
}

export const forgetGame = (id) =>
  write(
    "games",
    read("games", []).filter((game) => game.id !== id),
  );

/** The commitment that we were shown when we first saw a game, if we did before it was over. */
export const notedCommitment = (id) => read("games", []).find((game) => game.id === id)?.commitment;
