/* Single-key shortcuts. They rest while somebody types and may be turned off in the list that "?" opens.

   `a[data-move]` are the entries that j and k walk through; `[data-find]` is the page's search; a page that draws
   live streams listens for "hub:pause". */
import { $, $$, recall, remember } from "./dom.js";
import { askKill } from "./kill.js";

const TYPING = "input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]";
const chooser = $("[data-shortcuts]");
let enabled = recall("shortcuts") !== "off";

function move(step) {
  const entries = $$("a[data-move]").filter((entry) => entry.checkVisibility());
  const group = (element) => element.closest("[data-killable]") ?? element;
  const at = entries.findIndex((entry) => group(entry).contains(document.activeElement));
  const to = at < 0 ? (step > 0 ? 0 : entries.length - 1) : at + step;
  entries[Math.max(0, Math.min(entries.length - 1, to))]?.focus();
}

function kill() {
  const around = document.activeElement.closest("[data-killable]");
  const all = $$("[data-killable]");
  const card = around ?? (all.length === 1 ? all[0] : null);
  const form = card && $("form[data-kill]", card);
  if (form) askKill(form);
}

function search() {
  const find = $("[data-find]");
  find?.focus();
  find?.select();
}

/* The browser gives focus back when the list closes, unless what had it was redrawn meanwhile. */
function list() {
  const within = document.activeElement.closest("[data-killable]")?.id;
  const dialog = $("#keys");
  dialog.showModal();
  dialog.addEventListener("close", () => {
    const isLost = document.activeElement === document.body || dialog.contains(document.activeElement);
    if (within && isLost) $("a[data-move]", document.getElementById(within))?.focus();
  }, { once: true });
}

const ACTIONS = {
  j: () => move(1),
  k: () => move(-1),
  x: kill,
  p: () => document.dispatchEvent(new CustomEvent("hub:pause")),
  "/": search,
  "?": list,
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || $("dialog[open]")) return;
  if (event.target.matches(TYPING)) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  const action = enabled && Object.hasOwn(ACTIONS, event.key) && ACTIONS[event.key];
  if (!action) return;
  event.preventDefault();
  action();
});

if (chooser) {
  chooser.checked = enabled;
  chooser.addEventListener("change", () => {
    enabled = chooser.checked;
    remember("shortcuts", enabled ? "on" : "off");
  });
}
