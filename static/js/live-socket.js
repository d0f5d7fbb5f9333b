/* The one websocket of a page (docs/live-protocol.md): connects, reconnects with back-off, acknowledges what was drawn.

   `onItems(items)` takes a frame in at once; it may return a promise, and the frame is acknowledged when that is done,
   which is when it was drawn. While the tab is hidden nothing is drawn and nothing acknowledged, so the hub soon sends nothing until somebody looks. */
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15000;
const NEVER_AGAIN = new Set([4400, 4401, 4403]);
const CATCHING_UP_MS = 1500;
const NO_ANSWER_MS = 3000;

export class LiveSocket {
  constructor({ watch, onItems, onState, onOpen = () => {} }) {
    this.watch = watch;
    this.onOpen = onOpen;
    this.onItems = onItems;
    this.onState = onState;
    this.failures = 0;
    this.skew = null;
    this.state = { name: "catching", since: Date.now(), behindMs: 0, reason: "" };
    addEventListener("online", () => this.retryNow());
    addEventListener("pagehide", () => this.leave());
    addEventListener("pageshow", (event) => { if (event.persisted) this.connect(); });
    document.addEventListener("visibilitychange", () => { if (!document.hidden) this.retryNow(); });
    this.connect();
  }

  connect() {
    clearTimeout(this.timer);
    this.drawn = 0;
    const address = new URL("/ws/live/", location.href);
    address.protocol = address.protocol.replace("http", "ws");
    const socket = new WebSocket(address);
    this.socket = socket;
    socket.addEventListener("open", () => { this.ask(this.watch); this.onOpen(); });
    socket.addEventListener("message", (event) => this.receive(socket, JSON.parse(event.data)));
    socket.addEventListener("close", (event) => this.closed(socket, event.code));
  }

  send(message) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  /* Sends what the hub answers. Without any frame in a while, an acknowledgement may have been lost, and it is sent
     again; after another while the line is taken for dead, and a new one opened. */
  ask(message) {
    this.send(message);
    clearTimeout(this.patience);
    if (document.hidden) return;
    this.patience = setTimeout(() => {
      if (this.drawn) this.send({ ack: this.drawn });
      this.patience = setTimeout(() => this.renew(), NO_ANSWER_MS);
    }, NO_ANSWER_MS);
  }

  renew() {
    if (!this.socket) return;
    this.leave();
    this.connect();
  }

  receive(socket, { n, at, items }) {
    if (socket !== this.socket) return;
    clearTimeout(this.patience);
    this.failures = 0;
    this.measure(at);
    const acknowledge = () => {
      if (socket !== this.socket) return;
      this.drawn = n;
      this.send({ ack: n });
    };
    Promise.resolve(this.onItems(items)).then(acknowledge);
  }

  /* The hub's clock against ours: the least delay ever seen counts as none. */
  measure(at) {
    const delay = Date.now() - at;
    this.skew = this.skew === null ? delay : Math.min(this.skew, delay);
    const behindMs = delay - this.skew;
    this.say(behindMs > CATCHING_UP_MS ? "catching" : "live", { behindMs });
  }

  /* The hub's time now, as far as it is known. */
  now() {
    return Date.now() - (this.skew ?? 0);
  }

  closed(socket, code) {
    if (socket !== this.socket) return;
    this.socket = null;
    this.say("offline", { reason: { 4401: "login", 4403: "right" }[code] ?? "" });
    if (NEVER_AGAIN.has(code)) return;
    const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** this.failures);
    this.failures += 1;
    this.timer = setTimeout(() => this.connect(), wait * (0.75 + Math.random() / 2));
  }

  retryNow() {
    if (this.socket || this.state.reason) return;
    this.failures = 0;
    this.connect();
  }

  leave() {
    clearTimeout(this.timer);
    clearTimeout(this.patience);
    const socket = this.socket;
    this.socket = null;
    socket?.close();
  }

  say(name, { behindMs = 0, reason = "" } = {}) {
    const changed = name !== this.state.name;
    this.state = { name, since: changed ? Date.now() : this.state.since, behindMs, reason };
    this.onState(this.state, changed);
  }
}
