/* The live wall: frames in, at most five draws a second out. First all text is written, then all tails scroll. */
import { Board } from "./board.js";
import { RULE } from "./attention.js";
import { ageOffline, showConnection } from "./connection.js";
import { $, $$, calm, recall, remember, swapIcon } from "./dom.js";
import { hubAnswer } from "./hub.js";
import { LiveSocket } from "./live-socket.js";
import { Quiet } from "./quiet.js";
import { say } from "./status.js";

const DRAW_MS = calm.matches ? 1000 : 200;
const GATHER_MS = 60;
const live = $("#live");
const empty = $(".firstrun") !== null;
const board = empty ? null : new Board(announce, (card) => { dirty.add(card); draw(); });
const dirty = new Set();
const changed = new Set();
const quiet = new Quiet();
let paused = false;
let held = 0;
let drawing = null;
let gathering = false;
let isOld = false;

function take(items) {
  let draws = false;
  if (paused) held += 1;
  for (const item of items) {
    if (item.k === "card") draws = takeCard(item) || draws;
    else if (item.k === "changed") ask(item.turn);
    else if (item.k === "resync") reload();
    else if (item.k === "hello") greet(item);
  }
  return draws ? draw() : undefined;
}

function greet(item) {
  RULE.stalledMs = item.stalled_ms;
  RULE.lateShare = item.late_share;
  reload();
}

function takeCard(item) {
  const card = board?.cards.get(item.turn);
  if (!card || card.status === "queued") { ask(item.turn); return false; }
  card.take(item);
  dirty.add(card);
  return true;
}

/* Resolves once everything taken in so far is on the screen. A hidden tab draws nothing, so nothing is acknowledged. */
function draw() {
  if (paused) return undefined;
  drawing ??= new Promise((resolve) => setTimeout(() => requestAnimationFrame(() => { drawNow(); resolve(); }), DRAW_MS));
  return drawing;
}

function drawNow() {
  drawing = null;
  if (paused) return;
  const now = socket.now();
  let moved = false;
  const seen = [...dirty].filter((card) => card.isSeen);
  dirty.clear();
  for (const card of seen) {
    card.drawText();
    moved = card.drawTime(now, false) || moved;
  }
  if (moved) board.arrange();
  scrollAll();
}

function ask(turn) {
  changed.add(turn);
  gather();
}

/* Changed turns are gathered for a moment and fetched together, one answer after the other; while paused, not at all. */
async function gather() {
  if (gathering) return;
  gathering = true;
  try {
    while (changed.size && !paused) {
      await new Promise((resolve) => setTimeout(resolve, GATHER_MS));
      if (!paused) await fetchCards();
    }
  } finally { gathering = false; }
}

async function fetchCards() {
  if (!board) { location.reload(); return; }
  const ids = [...changed].slice(0, 100);
  for (const id of ids) changed.delete(id);
  const address = new URL(live.dataset.cards, location.href);
  address.searchParams.set("ids", ids.join(","));
  if (live.dataset.slug) address.searchParams.set("server", live.dataset.slug);
  const markup = await hubAnswer(address, { "HX-Request": "true" });
  if (paused) for (const id of ids) changed.add(id);
  else if (markup) show(markup);
}

function show(markup) {
  board.put(markup);
  scrollAll();
}

async function reload() {
  if (!board) return;
  const markup = paused ? null : await hubAnswer(location.href, { Accept: "text/html" });
  if (paused) { isOld = true; return; }
  if (markup === null) return;
  const page = new DOMParser().parseFromString(markup, "text/html");
  if (!$(".feed", page)) { location.reload(); return; }
  board.replace(page);
  scrollAll();
}

function scrollAll() {
  for (const card of board.cards.values()) if (card.grew && card.isSeen) card.scroll();
}

/* Started, ended and killed are said once each; what was there when the page came is not news. */
function announce(card, old) {
  if (!old || old.status === card.status) return;
  const words = $("[data-word]", card.element).textContent;
  const detail = $("[data-detail]", card.element).textContent;
  if (card.isGone) say(`${card.name}: ${words} ${detail}`.trim(), $(".mark use", card.element).getAttribute("href").split("#")[1]);
  else if (card.status === "running") say(`${card.name} started.`, "connecting");
}

function tick() {
  if (document.hidden) return;
  ageOffline(socket.state);
  if (!board || paused || socket.state.name === "offline") return;
  const now = socket.now();
  let moved = false;
  for (const card of board.cards.values()) moved = card.drawTime(now, true) || moved;
  for (const turn of quiet.due(board.cards.values(), Date.now())) ask(turn);
  if (moved || Date.now() - board.placed > 5000) board.arrange();
  scrollAll();
}

function pause() {
  paused = !paused;
  const button = $("[data-pause]");
  button.setAttribute("aria-pressed", paused);
  $("span", button).textContent = paused ? "Resume" : "Pause";
  swapIcon(button, paused ? "play" : "pause");
  say(paused ? "Paused. Streams go on; the wall holds still." : `Live again. ${held} updates caught up.`, paused ? "pause" : "live");
  held = 0;
  if (board) board.isStill = paused;
  if (!paused) resume();
}

/* Shows what came while the wall stood still. */
function resume() {
  if (isOld) reload();
  isOld = false;
  gather();
  draw();
}

/* Filters live in the address, so that a view can be kept and sent to others. */
function choose(group, text) {
  board.show = group;
  board.text = text;
  for (const counter of $$(".count")) counter.setAttribute("aria-pressed", counter.dataset.filter === group);
  const address = new URL(location.href);
  for (const [name, value, usual] of [["show", group, "all"], ["q", text.trim(), ""], ["sort", $("#sort").value, "attention"]]) {
    if (value === usual) address.searchParams.delete(name); else address.searchParams.set(name, value);
  }
  history.replaceState(null, "", address);
  board.filter();
}

function density(compact) {
  if (compact) document.documentElement.dataset.density = "compact";
  else delete document.documentElement.dataset.density;
  $("[data-density-toggle]")?.setAttribute("aria-pressed", compact);
}

function listen() {
  $("#wall-tools").addEventListener("submit", (event) => {
    event.preventDefault();
    const group = event.submitter?.dataset.filter;
    choose(group === undefined ? board.show : group === board.show ? "all" : group, board.text);
  });
  $("[data-find]").addEventListener("input", (event) => choose(board.show, event.target.value));
  $("#sort").addEventListener("change", () => { choose(board.show, board.text); board.arrange(true); scrollAll(); });
  $("[data-clear-filters]").addEventListener("click", (event) => {
    event.preventDefault();
    $("[data-find]").value = "";
    choose("all", "");
    $("[data-find]").focus();
  });
  $("[data-density-toggle]").addEventListener("click", () => {
    const compact = document.documentElement.dataset.density !== "compact";
    density(compact);
    remember("density", compact ? "compact" : "");
  });
  scrollAll();
}

$("#server")?.addEventListener("change", (event) => event.target.form.requestSubmit());
$('[data-asks="kill-all"]')?.addEventListener("submit", (event) => { event.preventDefault(); $("#kill-all").showModal(); });
$("[data-pause]").addEventListener("click", pause);
document.addEventListener("hub:pause", pause);
document.addEventListener("hub:killed", (event) => { if (board && event.detail.html) show(event.detail.html); });
density(recall("density") === "compact");
if (board) listen();

const socket = new LiveSocket({
  watch: { watch: "wall", server: live.dataset.server ? Number(live.dataset.server) : null },
  onItems: take,
  onState: showConnection,
});
setInterval(tick, 1000);
