// The link by which others come to a table.

import { button, el } from "../dom.js";
import { t } from "../i18n.js";

const COPIED_MS = 2_000;

export function share() {
  const label = el("label", { for: "share-link" });
  const link = el("input", { id: "share-link", readonly: true, onfocus: () => link.select() });
  const copy = button(t("share.copy"), async () => {
    link.select();
    try {
      await navigator.clipboard.writeText(link.value);
    } catch {
      document.execCommand("copy"); // without https there is no clipboard object
    }
    copy.textContent = t("share.copied");
    setTimeout(() => (copy.textContent = t("share.copy")), COPIED_MS);
  });
  const node = el("div", { class: "share", hidden: true }, label, el("div", { class: "row" }, link, copy));
  return {
    node,
    /** @param {import("../parlor.js").View} view */
    update({ status, self }) {
      node.hidden = status === "finished" || status === "aborted";
      node.dataset.prominent = String(status === "waiting");
      link.value = location.href;
      label.textContent = t(status === "waiting" && self ? "share.play" : "share.watch");
    },
  };
}
