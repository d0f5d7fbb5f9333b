/* The wall's cards: which there are, where they stand, which are shown. The wall holds still: a card changes place only
   when nobody acts on a card and at most every 5 s; new ones are added at the end. */
import { Card } from "./card.js";
import { $, $$ } from "./dom.js";
import { insertEnded } from "./feed.js";
import { Hold } from "./hold.js";

const LINGERS_MS = 20000;
const NEEDS_YOU_MS = 300000;
const PLACES_MS = 5000;
const FEED_ROWS = 12;
const STEPS = { act: 0, watch: 1 };
// What "Kill all" ends: LIVE of streamhub/turns/state.py.
const LIVE = new Set(["queued", "running"]);
// A key that moves the focus to a card goes down elsewhere and comes up there.
const ACTS = ["pointermove", "pointerdown", "keydown", "keyup"];

const part = (name) => $(`[data-part="${name}"]`);

export class Board {
  constructor(onEvent, onSeen) {
    this.cards = new Map();
    this.rows = new Map();
    this.onEvent = onEvent;
    this.placed = 0;
    this.isStill = false;
    this.hold = new Hold();
    for (const act of ACTS) document.addEventListener(act, (event) => this.notice(event), { passive: true });
    this.eyes = new IntersectionObserver((entries) => this.look(entries, onSeen), { rootMargin: "200px" });
    this.show = $('.count[aria-pressed="true"]')?.dataset.filter ?? "all";
    this.text = $("[data-find]")?.value ?? "";
    for (const element of $$(".stream")) this.adopt(element);
  }

  notice(event) {
    if (event.target.closest?.(".stream")) this.hold.acted(Date.now());
  }

  adopt(element) {
    const card = new Card(element);
    this.cards.set(card.turn, card);
    this.eyes.observe(element);
  }

  /* Cards out of view keep what they get and draw it when they come into view. */
  look(entries, onSeen) {
    for (const { target, isIntersecting } of entries) {
      const card = this.cards.get(target.dataset.turn);
      if (card?.element !== target) { this.eyes.unobserve(target); continue; }
      card.isSeen = isIntersecting;
      if (!isIntersecting) continue;
      card.lostPlace();
      onSeen(card);
    }
  }

  /* Puts cards and feed rows that the hub rendered in place of what is shown of the same turns. */
  put(markup) {
    const box = document.createElement("template");
    box.innerHTML = markup;
    for (const row of $$("li[data-turn]", box.content)) this.rows.set(row.dataset.turn, row);
    for (const element of $$(".stream", box.content)) this.putCard(element);
    this.arrange();
  }

  putCard(element) {
    const old = this.cards.get(element.dataset.turn);
    const fresh = new Card(element);
    this.onEvent(fresh, old);
    if (old && $(".confirm", old.element) && $("[data-kill]", element)) return;
    this.cards.set(fresh.turn, fresh);
    this.eyes.observe(element);
    if (!old) { this.homeOf(fresh).append(element); return; }
    const focused = document.activeElement;
    const isWithin = old.element.contains(focused);
    if (fresh.status === "running" && old.status === "running") fresh.keep(old);
    old.element.replaceWith(element);
    if (isWithin) ((focused.matches(".btn-kill") && $(".btn-kill", element)) || $("h3 a", element)).focus({ preventScroll: true });
  }

  /* The whole wall as the hub has it now: what is gone there goes here. */
  replace(page) {
    const fresh = new Set();
    for (const element of $$(".stream", page)) {
      fresh.add(element.dataset.turn);
      this.putCard(document.adoptNode(element));
    }
    for (const [turn, card] of this.cards) if (!fresh.has(turn)) this.drop(turn, card);
    const feed = $(".feed", page);
    if (feed) $(".feed").replaceChildren(...feed.children);
    this.arrange(true);
  }

  drop(turn, card) {
    card.element.remove();
    this.cards.delete(turn);
  }

  homeOf(card) {
    return $(".wall", part("loud" in card.element.dataset ? "attn" : "running"));
  }

  /* Ended turns move to the feed, cards to their section and place. */
  arrange(now = false) {
    const time = Date.now();
    if (now || (!this.isStill && !this.hold.isOn(time) && time - this.placed >= PLACES_MS)) {
      this.placed = time;
      this.retire();
      this.place();
    }
    this.count();
    this.filter();
  }

  retire() {
    const busy = new Set([...this.cards.values()].filter((card) => !card.isGone).map((card) => card.channel));
    for (const [turn, card] of this.cards) {
      if (!card.isGone) continue;
      const age = Date.now() - card.ended;
      const needed = "loud" in card.element.dataset && !busy.has(card.channel);
      if (age < (needed ? NEEDS_YOU_MS : LINGERS_MS)) continue;
      const isFocused = card.element.contains(document.activeElement);
      this.drop(turn, card);
      const row = this.toFeed(turn);
      if (isFocused && row) $("a", row).focus({ preventScroll: true });
    }
  }

  toFeed(turn) {
    const row = this.rows.get(turn);
    this.rows.delete(turn);
    if (!row) return null;
    const feed = $(".feed");
    insertEnded(feed, row);
    while (feed.children.length > FEED_ROWS) feed.lastElementChild.remove();
    part("ended").hidden = false;
    return row;
  }

  /* The caller scrolls the tails of what moved, once all is in place. */
  place() {
    const ranked = [...this.cards.values()].map((card) => [this.rank(card), card]);
    ranked.sort(([a], [b]) => compare(a, b));
    const focused = document.activeElement;
    const next = new Map();
    for (const [, card] of ranked) {
      const home = this.homeOf(card);
      const at = next.has(home) ? next.get(home) : home.firstElementChild;
      if (card.element === at) next.set(home, at.nextElementSibling);
      else {
        home.insertBefore(card.element, at);
        card.lostPlace();
        next.set(home, at);
      }
    }
    if (document.activeElement !== focused) focused.focus({ preventScroll: true });  // what moves loses it
  }

  rank(card) {
    const sort = $("#sort")?.value ?? "attention";
    if (sort === "channel") return [card.name.toLowerCase(), card.created];
    if (sort === "age") return [Number(card.isGone), card.created];
    const step = STEPS[card.element.dataset.loud] ?? 2;
    const fires = step < 2 && card.clock.since ? card.clock.since + card.clock.limit * 1000 : Infinity;
    return [step, Number(card.isGone), Number(card.status === "queued"), fires, card.created];
  }

  groups(card) {
    const { loud, group } = card.element.dataset;
    return ["all", loud ? "attn" : "", group];
  }

  count() {
    const all = [...this.cards.values()];
    for (const counter of $$(".count")) {
      const group = counter.dataset.filter;
      const number = all.filter((card) => this.groups(card).includes(group)).length;
      $("b", counter).textContent = number;
      if (group === "attn") counter.toggleAttribute("data-loud", false);
      if (group === "attn" && number) counter.dataset.loud = "act";
    }
    const killable = all.reduce((sum, card) => sum + Number(LIVE.has(card.status) && !card.isAsked) + Number(card.element.dataset.waiting), 0);
    for (const place of $$("[data-killable-count]")) place.textContent = killable;
    const button = $("[data-kill-all]");
    if (button) button.hidden = killable === 0;
    this.countParts(all);
  }

  /* Ended turns rest where they ran, but only those that need somebody are counted. */
  countParts(all) {
    const needed = all.filter((card) => "loud" in card.element.dataset).length;
    const going = all.filter((card) => !card.isGone && !("loud" in card.element.dataset)).length;
    const running = all.filter((card) => card.status === "running").length;
    const waiting = all.reduce((sum, card) => sum + Number(card.status === "queued") + Number(card.element.dataset.waiting), 0);
    $(".n", part("attn")).textContent = needed;
    $(".n", part("running")).textContent = going;
    $("[data-live]").textContent = running;
    $("[data-queued]").textContent = waiting;
  }

  filter() {
    const text = this.text.trim().toLowerCase();
    let shown = 0;
    for (const card of this.cards.values()) {
      const fits = this.groups(card).includes(this.show) && (!text || card.words.includes(text));
      card.element.hidden = !fits;
      shown += Number(fits);
    }
    for (const name of ["attn", "running"]) part(name).hidden = !$(".stream:not([hidden])", part(name));
    $("#no-match").hidden = shown > 0 || this.cards.size === 0;
  }
}

function compare(a, b) {
  for (let index = 0; index < a.length; index += 1) {
    if (a[index] < b[index]) return -1;
    if (a[index] > b[index]) return 1;
  }
  return 0;
}
