/* When the wall holds still: while somebody acts on a card, and for a while after. Where the focus rests is no act.
   Pure; the caller brings the time. */
const HOLD_MS = 10000;

export class Hold {
  constructor() { this.actedAt = -Infinity; }

  acted(now) { this.actedAt = now; }

  isOn(now) { return now - this.actedAt < HOLD_MS; }
}
