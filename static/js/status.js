/* The one polite status line: started, ended, killed, failed and saved are said here once. Tokens never pass through. */
import { $, icon } from "./dom.js";

const REST_AFTER_MS = 6000;
let rest;

export function say(text, sign = "info") {
  const line = $("#status-say");
  if (!line) return;
  const words = document.createElement("span");
  words.textContent = text;
  line.replaceChildren(icon(sign), words);
  rouse(line);
}

/* On phones the line floats above the tabs: it shows itself, then leaves. */
function rouse(line) {
  const bar = line.closest(".status");
  delete bar.dataset.rest;
  clearTimeout(rest);
  rest = setTimeout(() => { bar.dataset.rest = ""; }, REST_AFTER_MS);
}

/* A server's answer may carry {"hub:say": {text, sign}} in HX-Trigger, as replies.py writes it. */
export function sayAnswer(response) {
  const header = response.headers.get("HX-Trigger");
  const said = header && JSON.parse(header)["hub:say"];
  if (said) say(said.text, said.sign);
}

document.addEventListener("hub:say", (event) => say(event.detail.text, event.detail.sign));

/* A message that came with the page is set again once the line exists, so that screen readers hear it too; unless
   something newer was said meanwhile. */
const waiting = $("#status-say > span");
if (waiting) {
  const sign = $("#status-say use")?.getAttribute("href").split("#")[1];
  setTimeout(() => { if (waiting.isConnected) say(waiting.textContent, sign); }, 300);
}
