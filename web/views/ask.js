// A question that must be answered before anything else.

import { button, el } from "../dom.js";
import { t } from "../i18n.js";

/** @returns {Promise<boolean>} */
export function ask(question, yes) {
  return new Promise((resolve) => {
    const dialog = el("dialog", {
      class: "ask",
      "aria-labelledby": "ask-title",
      onclose: () => {
        dialog.remove();
        resolve(dialog.returnValue === "yes");
      },
    });
    dialog.append(
      el("p", { id: "ask-title" }, question),
      el(
        "div",
        { class: "row" },
        button(yes, () => dialog.close("yes"), { class: "main" }),
        button(t("cancel"), () => dialog.close("")),
      ),
    );
    document.body.append(dialog);
    dialog.showModal();
  });
}
