/* The channel page: every chunk of the channel's turn, in order and once; its head and queue as the hub has them. */
import { RULE } from "./attention.js";
import { Asking } from "./asking.js";
import { Card, thousands } from "./card.js";
import { ageOffline, showConnection } from "./connection.js";
import { $, icon, swapIcon } from "./dom.js";
import { hubAnswer } from "./hub.js";
import { LiveSocket } from "./live-socket.js";
import { Pane } from "./pane.js";
import { Quiet } from "./quiet.js";
import { Sequence } from "./sequence.js";
import { say } from "./status.js";
import { visible } from "./visible.js";

const GATHER_MS = 60;
const live = $("#live");
const follow = $("#follow");
const quiet = new Quiet();
const text = new Pane($("#pane"), follow);
const panes = { t: text, r: new Pane($("#thoughts-raw"), follow), s: new Pane($("#thoughts-summary"), follow) };
const all = Object.values(panes);
let turn = $("#pane").dataset.turn;
let sequence = new Sequence(Number($("#pane").dataset.seq));
let head = new Card($("#turnhead"));
let calls = $("#calls").children.length;
let question = null;
let asking = new Asking();
let fetching = false;
let stateIsOld = false;
let drawing = null;

if ("cut" in $("#pane").dataset) begin(turn);

/* Another turn, or the same one from the start: nothing drawn yet. */
function begin(id) {
  turn = id;
  sequence = new Sequence();
  asking = new Asking();
  for (const pane of all) pane.clear();
  $("#calls").replaceChildren();
  calls = 0;
}

function take(items) {
  for (const item of items) {
    if (item.k === "chunks") takeChunks(item);
    else if (item.k === "card") takeCard(item);
    else if (item.k === "changed" || item.k === "resync") fetchState();
    else if (item.k === "hello") greet(item);
    if (item.k === "resync") ask();
  }
  return draw();
}

function greet(item) {
  RULE.stalledMs = item.stalled_ms;
  RULE.lateShare = item.late_share;
  fetchState();
}

function takeCard(item) {
  if (item.channel !== Number(live.dataset.channel)) return;
  if (item.turn === head.turn && head.status === "running") head.take(item);
  else fetchState();
}

function takeChunks(item) {
  if (item.turn !== turn) { if (item.channel === Number(live.dataset.channel)) fetchState(); return; }
  const { ops, ask: behind, again } = sequence.take(item);
  if (item.recorded) asking.answered(Date.now(), again);
  for (const op of ops) apply(op);
  if (behind && !asking.isOpen(Date.now())) ask();
}

/* Asks the record for what comes after the last seq, as soon as that may be asked. */
function ask() {
  clearTimeout(question);
  if (!turn) return;
  question = setTimeout(() => {
    asking.asked(Date.now());
    socket.ask({ since: { [turn]: sequence.last } });
  }, asking.wait(Date.now()));
}

function apply([, op, value]) {
  if (panes[op]) panes[op].text(value);
  else if (op === "c") addCall(value);
  else if (op === "g") text.note(`${value.guard.replaceAll("_", " ")} guard took out ${[...value.text].length} characters`, "guard");
  else if (op === "e") text.note(`${value.code || value.type}: ${value.message}`, "failed");
}

function addCall({ name, args, truncated }) {
  const item = document.createElement("li");
  const mark = document.createElement("span");
  const words = document.createElement("div");
  const title = document.createElement("p");
  const code = document.createElement("code");
  item.className = "call";
  mark.className = "mark mark-s";
  mark.dataset.phase = "tool";
  mark.append(icon("tool"));
  title.append(Object.assign(document.createElement("b"), { textContent: visible(name) }));
  if (truncated) title.append(" arguments were cut, not run");
  code.className = "code";
  code.textContent = visible(JSON.stringify(args));
  words.append(title, code);
  item.append(mark, words);
  $("#calls").append(item);
  calls += 1;
}

/* Resolves once all that was taken in is on the screen: a burst is written over several frames. */
function draw() {
  drawing ??= new Promise((resolve) => requestAnimationFrame(function step() {
    const now = socket.now();
    for (const pane of all) if (!pane.isDrawn) pane.draw();
    head.drawTime(now, false);
    head.waiting = null;
    $("[data-text-chars]").textContent = thousands(text.chars);
    for (const pane of all) pane.scroll();
    $("[data-call-count]").textContent = calls;
    if (all.some((pane) => !pane.isDrawn)) { requestAnimationFrame(step); return; }
    drawing = null;
    resolve();
  }));
  return drawing;
}

/* Head and queue come from the hub, one answer after the other; a turn that follows takes the panes over. */
async function fetchState() {
  stateIsOld = true;
  if (fetching) return;
  fetching = true;
  try {
    while (stateIsOld) {
      await new Promise((resolve) => setTimeout(resolve, GATHER_MS));
      stateIsOld = false;
      const markup = await hubAnswer(live.dataset.state, { "HX-Request": "true" });
      if (markup) show(markup);
    }
  } finally { fetching = false; }
}

function show(markup) {
  const box = document.createElement("template");
  box.innerHTML = markup;
  const fresh = $("#turnhead", box.content);
  const queue = $("#queue", box.content);
  if (!fresh || !queue) return;
  if (queue.textContent !== $("#queue").textContent && !$("#queue .confirm")) $("#queue").replaceWith(queue);
  const next = new Card(fresh);
  announce(next, $("#last", box.content));
  if (!($("#turnhead .confirm") && $("[data-kill]", fresh))) replaceHead(next);
  if (next.turn && next.turn !== turn) { begin(next.turn); ask(); }
  const failure = $("#failure", box.content);
  if (failure && failure.textContent !== $("#failure").textContent) $("#failure").replaceWith(failure);
  $("[data-provider-name]").textContent = fresh.dataset.provider || "not known yet";
  const runs = !next.isGone && next.status === "running";
  if (runs) $("#pane").setAttribute("aria-busy", "true"); else $("#pane").removeAttribute("aria-busy");
  if (next.isGone && sequence.last < Number(next.element.dataset.seq)) ask();
}

function replaceHead(next) {
  const focused = head.element.contains(document.activeElement);
  if (next.turn === head.turn && next.status === "running") next.keep(head);
  head.element.replaceWith(next.element);
  head = next;
  if (focused) ($("button, a", next.element) ?? $("#main")).focus({ preventScroll: true });
}

/* Started, ended and killed are said once each. */
function announce(next, last) {
  if (next.turn === head.turn && next.status === head.status) return;
  if (!head.isGone && last?.dataset.turn === head.turn && next.turn !== head.turn) {
    say(`${head.name}: ${last.textContent.trim()}. The next turn started.`, last.dataset.sign);
    return;
  }
  const word = $("[data-word]", next.element)?.textContent;
  const detail = $("[data-detail]", next.element)?.textContent ?? "";
  const sign = $(".mark use", next.element).getAttribute("href").split("#")[1];
  if (next.isGone) say(`${next.name}: ${word} ${detail}`.trim(), sign);
  else if (next.status === "running") say(`${next.name}: a turn started.`, sign);
}

function tick() {
  if (document.hidden) return;
  ageOffline(socket.state);
  if (socket.state.name === "offline") return;
  head.drawTime(socket.now(), true);
  if (quiet.due([head], Date.now()).length) { fetchState(); ask(); }
}

follow.addEventListener("change", () => { for (const pane of all) pane.scroll(); });
document.addEventListener("hub:killed", fetchState);
$("[data-copy]").addEventListener("click", async (event) => {
  await navigator.clipboard.writeText($("#pane").textContent);
  swapIcon(event.currentTarget, "completed");
  say("Text copied.", "copy");
});
document.addEventListener("htmx:afterSwap", (event) => { if (event.target.id === "composer" || event.detail.elt?.id === "composer") fetchState(); });
for (const pane of all) pane.scroll();

const socket = new LiveSocket({
  watch: { watch: "channel", channel: Number(live.dataset.channel) },
  onItems: take,
  onState: showConnection,
  onOpen: () => ask(),
});
setInterval(tick, 1000);
