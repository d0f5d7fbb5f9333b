/* Says how fresh the page is: live, catching up (how far behind), offline (since when). */
import { $, swapIcon } from "./dom.js";

const sign = $("[data-conn]");
const banner = $("#offline");
const place = $("#main");
const WORDS = { live: ["live", "Live"], catching: ["catchup", "Catching up"], offline: ["offline", "Offline"] };
let shown = "";

const clockTime = (ms) => new Date(ms).toLocaleTimeString("en-GB");

export function showConnection({ name, since, behindMs, reason }) {
  const [icon, words] = WORDS[name];
  const extra = name === "offline" ? `since ${clockTime(since)}` : `${(behindMs / 1000).toFixed(1)} s behind`;
  if (shown !== name) {
    shown = name;
    sign.dataset.state = name;
    swapIcon(sign, icon);
    $("b", sign).textContent = words;
    if (name === "offline") place.dataset.conn = "offline"; else delete place.dataset.conn;
    banner.hidden = name !== "offline";
    if (name === "offline") $("[data-offline-since]", banner).textContent = clockTime(since);
  }
  $("[data-extra]", sign).textContent = extra;
  if (reason === "login") location.reload();
}

/* Once a second while offline: how old what is shown has become. */
export function ageOffline({ name, since }) {
  if (name !== "offline") return;
  const seconds = Math.round((Date.now() - since) / 1000);
  $("[data-offline-for]", banner).textContent = seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min`;
}
