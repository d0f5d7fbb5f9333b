/* One card, on the wall or at the head of a channel: what the hub says of a turn, and what time makes of it.

   Everything is read from the data attributes that the template writes, and only what changed is written back. */
import { attentionOf, isUrgent } from "./attention.js";
import { $, swapIcon } from "./dom.js";
import { Spark } from "./spark.js";
import { visible } from "./visible.js";

const LABELS = { first_token: "First token", idle: "Idle", total: "Total" };
const SPACE = "\u202f";
const NOTES = {
  connecting: "Opening the connection. The clock started when the request was sent.",
  waiting: "Nothing received yet. Keep-alives do not re-arm this clock.",
};

export const thousands = (number) => Math.round(number).toLocaleString("en").replaceAll(",", SPACE);
export function clockTime(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const rest = `${String(Math.floor(seconds / 60) % 60).padStart(seconds < 3600 ? 1 : 2, "0")}:${String(seconds % 60).padStart(2, "0")}`;
  return seconds < 3600 ? rest : `${Math.floor(seconds / 3600)}:${rest}`;
}
const set = (element, text) => { if (element && element.textContent !== text) element.textContent = text; };
const ms = (text) => (text ? Number(text) : null);

export class Card {
  constructor(element) {
    this.element = element;
    const data = element.dataset;
    this.turn = data.turn;
    this.channel = data.channel;
    this.status = data.status;
    this.phase = data.doing;
    this.created = ms(data.created);
    this.progress = ms(data.progress);
    this.ended = ms(data.ended);
    this.asked = ms(data.asked);
    this.clock = { name: data.clock, limit: Number(data.limit), since: ms(data.since) };
    this.thoughts = Number(data.thoughts || 0);
    this.rate = 0;
    this.tool = "";
    this.spark = null;
    this.tail = $("[data-tail]", element);
    this.lostPlace();
    this.waiting = null;
    this.isSeen = true;
  }

  /* A fresh card of the same running turn goes on where the old one was. */
  keep(old) {
    this.rate = old.rate;
    this.tokens = old.tokens;
    this.tool = old.tool;
    if (!old.spark) return;
    this.spark = old.spark;
    const place = $("[data-rate]", this.element);
    if (!place) return;
    place.replaceChildren(...$("[data-rate]", old.element).childNodes);
  }

  get isGone() { return "gone" in this.element.dataset; }
  get isAsked() { return "asked" in this.element.dataset; }
  get name() { return this.element.dataset.name; }

  /* What a search looks through, the text that is not drawn yet included. */
  get words() { return `${this.element.textContent} ${this.waiting?.tail ?? ""}`.toLowerCase(); }

  /* A `card` item of the protocol: it replaces what was known. */
  take(item) {
    if (this.isGone || this.status !== "running") return;
    this.phase = item.phase;
    this.progress = item.progress;
    this.thoughts = item.thoughts;
    this.rate = item.rate;
    this.tokens = item.tokens;
    this.tool = item.tool ?? "";
    if (!this.isAsked) this.clock = item.clock;
    this.waiting = item;
  }

  /* Writes the text that came; the caller scrolls all tails afterwards, so that a tick costs one layout. */
  drawText() {
    const item = this.waiting;
    this.waiting = null;
    if (!item || !this.tail) return;
    const thinks = Boolean(item.thinking) && (item.phase === "thinking" || !item.tail);
    const text = thinks ? item.thinking : item.tail;
    const note = !text;
    this.tail.classList.toggle("tail-note", note);
    this.tail.classList.toggle("tail-thought", thinks && !note);
    $("p", this.tail).classList.toggle("caret", !note);
    set($("bdi", this.tail), note ? NOTES[item.phase] ?? "" : visible(text));
    this.grew = !note;
  }

  scroll() {
    this.tail.scrollTop = this.tail.scrollHeight;
    this.tail.toggleAttribute("data-more", this.tail.scrollTop > 0);
    this.grew = false;
  }

  /* Its element is new, moved or was not shown: the text stands at its beginning until it is scrolled. */
  lostPlace() { this.grew = Boolean(this.tail && !this.tail.matches(".tail-note")); }

  situation(now) {
    return {
      status: this.status,
      phase: this.phase,
      killRequested: this.isAsked,
      quietMs: this.progress === null ? null : now - this.progress,
      clockMs: this.clock.since === null ? 0 : now - this.clock.since,
      limitMs: this.clock.limit * 1000,
    };
  }

  /* Once a second, and after a `card`: phase, age and clock as time makes them. Returns true if its place may change. */
  drawTime(now, second) {
    if (this.isGone || !this.status) return false;
    const situation = this.situation(now);
    const attention = attentionOf(situation);
    const moved = this.drawAttention(attention);
    if (!this.isSeen) return moved;
    set($("[data-detail]", this.element), this.detail(attention, situation));
    set($("[data-age]", this.element), clockTime(now - this.created));
    set($("[data-waited]", this.element), clockTime(now - this.created));
    if (this.isAsked) set($("[data-asked-ago]", this.element), clockTime(now - this.asked));
    this.drawClock(situation);
    if (second && this.status === "running") this.drawRate();
    return moved;
  }

  drawAttention({ phase, icon, word, loud, group }) {
    const data = this.element.dataset;
    if (data.phase === phase && (data.loud ?? "") === loud) return false;
    data.phase = phase;
    if (loud) data.loud = loud; else delete data.loud;
    data.group = group;
    swapIcon($(".mark", this.element), icon);
    set($("[data-word]", this.element), word);
    return true;
  }

  detail({ phase, word }, { quietMs }) {
    const old = $("[data-detail]", this.element)?.textContent ?? "";
    if (phase === "stalled") return `for ${Math.floor(quietMs / 1000)} s`;
    if (phase === "stopping") return "closing upstream";
    if (phase === "thinking") return `${thousands(this.thoughts)} chars`;
    if (phase === "speaking") return "";
    if (word === "Waiting" && this.status === "running") return "for the first token";
    return phase === "tool" && this.status === "running" ? visible(this.tool) : old;
  }

  drawClock({ clockMs, limitMs }) {
    const box = $(".clock[role]", this.element);
    const { name, limit } = this.clock;
    if (!box || !limitMs) return;
    const value = Math.min(limit, Math.max(0, clockMs / 1000));
    const urgent = isUrgent(clockMs, limitMs);
    const bar = $("svg", box);
    if (box.dataset.name !== name) {
      box.dataset.name = name;
      box.setAttribute("aria-label", `${LABELS[name]} clock, seconds`);
      box.setAttribute("aria-valuemax", limit);
      bar.setAttribute("viewBox", `0 0 ${limit} 6`);
      $("path", bar).setAttribute("d", [0.25, 0.5, 0.75].map((share) => `M${limit * share} 0v6`).join(""));
      set($("[data-label]", box), LABELS[name]);
      set($("[data-limit]", box), String(limit));
    }
    const whole = String(Math.floor(value));
    if (box.getAttribute("aria-valuenow") !== whole) {
      box.setAttribute("aria-valuenow", whole);
      $("rect", bar).setAttribute("width", whole);
      set($("[data-v]", box), whole);
    }
    box.dataset.level = urgent ? "urgent" : "ok";
    this.drawFires($("[data-fires]", box), urgent, Math.ceil(limit - value));
  }

  drawFires(place, urgent, left) {
    if (!place) return;
    if (urgent) set(place, `fires in ${left} s`);
    else set(place, this.tokens ? `${thousands(this.tokens)} tokens` : "");
  }

  drawRate() {
    const place = $("[data-rate]", this.element);
    set($("[data-rate-number]", this.element), String(Math.round(this.rate)));
    if (!place || (!this.spark && !this.rate)) return;
    this.spark ??= new Spark(place);
    this.spark.draw(this.isAsked ? 0 : this.rate);
  }
}
