// The bar at the top: where we are connected, who we are, and what can be set.

import { button, el, nameOf, set, setText } from "./dom.js";
import { chooseLanguage, language, languages, t } from "./i18n.js";
import { chooseSound, chooseTheme, soundOn, theme, THEMES } from "./settings.js";
import { sound } from "./sound.js";

/** @param {import("./main.js").App} app @param {() => void} again shows the present view anew */
export function header(app, again) {
  const host = document.querySelector("header");
  const badge = el("span", { class: "badge", role: "status", hidden: true });

  function render() {
    const brand = el(
      "a",
      { class: "brand", href: "#/" },
      el("img", { src: "/favicon.svg", alt: "", width: 28, height: 28 }),
      el("span", {}, "Parlor"),
    );
    const who = app.me && el("a", { class: "who", href: "#/me", title: t("profile.title") }, nameOf(app.me.nick));
    const menu = el(
      "button",
      { type: "button", class: "plain icon", popovertarget: "menu", "aria-label": t("menu.title") },
      "☰",
    );
    const wasOpen = host.querySelector("#menu")?.matches(":popover-open");
    host.replaceChildren(brand, badge, who || "", menu, settings());
    if (wasOpen) host.querySelector("#menu").showPopover();
  }

  function settings() {
    const panel = el("div", { id: "menu", popover: "auto", class: "menu" });
    const row = (name, control) => el("label", { class: "setting" }, el("span", {}, name), control);
    const pickTheme = select(
      THEMES.map((name) => [name, t(`theme.${name}`)]),
      theme(),
      chooseTheme,
    );
    const pickLanguage = select([[language(), ownName(language())]], language(), async (name) => {
      await chooseLanguage(name);
      render();
      again();
    });
    const sounds = el("input", {
      type: "checkbox",
      checked: soundOn(),
      onchange: (event) => {
        chooseSound(event.target.checked);
        sound("move");
      },
    });
    panel.addEventListener("beforetoggle", () => offerLanguages(pickLanguage), { once: true });
    panel.append(row(t("menu.language"), pickLanguage), row(t("menu.theme"), pickTheme), row(t("menu.sound"), sounds));
    if (app.me) panel.append(account());
    return panel;
  }

  function account() {
    const out = button(t("account.sign_out"), () => app.signOut());
    return el(
      "div",
      { class: "row" },
      el("a", { class: "button plain", href: "#/me" }, t("profile.title")),
      app.lobby.available && el("a", { class: "button plain", href: "#/leaders" }, t("leaders.title")),
      out,
    );
  }

  return {
    render,
    /** Shows how the view's stream is doing; null when it has none. @param {import("./stream.js").LinkState | null} state */
    link(state) {
      set(badge, { hidden: state === null, "data-state": state });
      setText(badge, state === null ? "" : t(`link.${state}`));
    },
  };
}

function select(options, chosen, onpick) {
  const made = options.map(([value, text]) => el("option", { value, selected: value === chosen }, text));
  return el("select", { onchange: (event) => onpick(event.target.value) }, made);
}

const ownName = (tag) => {
  const name = new Intl.DisplayNames([tag], { type: "language" }).of(tag);
  return name[0].toLocaleUpperCase(tag) + name.slice(1);
};

async function offerLanguages(list) {
  const others = (await languages()).filter((tag) => tag !== language());
  list.append(...others.map((tag) => el("option", { value: tag, lang: tag }, ownName(tag))));
}
