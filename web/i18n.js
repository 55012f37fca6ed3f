// Messages in the reader's language. A language is a file in i18n/; what it lacks is said in English.

import english from "./i18n/en.js";

const KEY = "parlor.language";
let messages = english;
let plural = new Intl.PluralRules("en");

/** The languages that the server has files for. */
export async function languages() {
  try {
    return await (await fetch("/i18n/index.json")).json();
  } catch {
    return ["en"];
  }
}

/** Loads the language that was chosen before, or the first of the browser's that we have. */
export async function loadLanguage() {
  const wanted = [localStorage.getItem(KEY), ...navigator.languages].filter(Boolean).map((tag) => tag.split("-")[0]);
  if (wanted[0] !== "en") {
    const known = await languages();
    await use(wanted.find((language) => known.includes(language)) ?? "en");
  }
}

export async function chooseLanguage(language) {
  localStorage.setItem(KEY, language);
  await use(language);
}

async function use(language) {
  messages = language === "en" ? english : { ...english, ...(await import(`./i18n/${language}.js`)).default };
  plural = new Intl.PluralRules(language);
  document.documentElement.lang = language;
}

export const language = () => document.documentElement.lang;

/**
 * A message with its blanks filled in. One that counts has a form for each plural category of the language, chosen by `n`.
 *
 * @param {string} key @param {Record<string, string | number>} [values]
 */
export function t(key, values = {}) {
  const message = messages[key] ?? key;
  const text = typeof message === "string" ? message : (message[plural.select(Number(values.n))] ?? message.other);
  return text.replace(/\{(\w+)\}/g, (blank, name) => values[name] ?? blank);
}

/** Whether there is such a message. */
export const has = (key) => key in messages;

/** The name of one of many kinds, such as a game type or an ending, or the word itself if nobody has named it. */
export const word = (kind, name) => (has(`${kind}.${name}`) ? t(`${kind}.${name}`) : String(name));
