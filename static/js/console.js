/* Behaviour shared by all pages. Everything it adds has a plain form or link underneath. */
import { $, $$, remember, swapIcon } from "./dom.js";
import "./keys.js";
import "./kill.js";
import { say } from "./status.js";

/* Theme: system, light, dark */
const NEXT = { auto: "light", light: "dark", dark: "auto" };
const WORDS = { auto: "as the system", light: "light", dark: "dark" };
const SIGNS = { auto: "auto", light: "sun", dark: "moon" };
const theme = () => document.documentElement.dataset.theme || "auto";
const themeButton = $("[data-theme-toggle]");

function showTheme() {
  swapIcon(themeButton, SIGNS[theme()]);
  themeButton.setAttribute("aria-label", `Theme: ${WORDS[theme()]}. Change to ${WORDS[NEXT[theme()]]}`);
}

if (themeButton) {
  showTheme();
  themeButton.addEventListener("click", () => {
    const next = NEXT[theme()];
    if (next === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = next;
    remember("theme", next);
    showTheme();
    say(`Theme: ${WORDS[next]}.`, SIGNS[next]);
  });
}

/* Dialogs: the browser gives focus back to the opener */
document.addEventListener("click", (event) => {
  const opener = event.target.closest("[data-dialog]");
  if (opener) $(`#${opener.dataset.dialog}`).showModal();
  const closer = event.target.closest("[data-close]");
  if (closer) closer.closest("dialog").close();
  if (event.target.matches("dialog")) event.target.close();
});

/* Tabs: arrows move, Home and End jump */
function openTab(tabs, tab) {
  for (const other of tabs) {
    const on = other === tab;
    other.setAttribute("aria-selected", on);
    other.tabIndex = on ? 0 : -1;
    document.getElementById(other.getAttribute("aria-controls")).hidden = !on;
  }
}

for (const list of $$('[role="tablist"]')) {
  const tabs = $$('[role="tab"]', list);
  list.addEventListener("click", (event) => {
    const tab = event.target.closest('[role="tab"]');
    if (tab) openTab(tabs, tab);
  });
  list.addEventListener("keydown", (event) => {
    const at = tabs.indexOf(document.activeElement);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const tab = tabs[(to + tabs.length) % tabs.length];
    openTab(tabs, tab);
    tab.focus();
  });
}

/* Radio groups that show one of several blocks, such as summary or raw thoughts */
for (const group of $$("[data-shows]")) {
  group.addEventListener("change", (event) => {
    for (const block of $$(group.dataset.shows)) block.hidden = block.dataset.view !== event.target.value;
  });
}

/* htmx: focus comes back after a swap, and a save that failed is said and taken back */
let focused = null;
document.addEventListener("htmx:beforeSwap", (event) => {
  const inside = event.detail.target.contains(document.activeElement);
  focused = inside ? { id: document.activeElement.id, within: event.detail.target.id } : null;
});
document.addEventListener("htmx:afterSettle", () => {
  if (!focused || document.activeElement !== document.body) return;
  const within = document.getElementById(focused.within);
  const back = (focused.id && document.getElementById(focused.id)) || (within && $("input:checked, input:not([type=hidden]), button, a", within));
  back?.focus({ preventScroll: true });
  focused = null;
});

function takeBack(element, text) {
  const form = element.closest("form");
  if (form?.matches("[data-saves]")) form.reset();
  say(text, "failed");
}
document.addEventListener("htmx:responseError", (event) =>
  takeBack(event.detail.elt, `Not saved: the hub answered ${event.detail.xhr.status}. Reload the page and try again.`));
document.addEventListener("htmx:sendError", (event) =>
  takeBack(event.detail.elt, "Not saved: the hub cannot be reached."));

/* A switch that was pressed while the scripts were still on their way is saved now */
const isTouched = (input) => input.checked !== input.defaultChecked;
document.addEventListener("DOMContentLoaded", () => {
  for (const form of $$("form[data-saves]")) {
    const touched = $$("input[type=checkbox], input[type=radio]", form).find(isTouched);
    touched?.dispatchEvent(new Event("change", { bubbles: true }));
  }
});
