/* Puts the chunks of one turn in order: nothing is drawn twice, nothing is left out. Pure; no page, no clock.

   The record is the truth, frames only come early. So a repeat is skipped, a frame that comes too early is held (up to
   `limit` ops, then dropped: the record has it), and `ask` says when the record must be asked, with `since` = `last`. */
export class Sequence {
  constructor(last = 0, limit = 4000) {
    this.last = last;
    this.limit = limit;
    this.held = [];
    this.heldOps = 0;
    this.behind = false;
  }

  /* Takes a `chunks` item; returns {ops, ask}: what to draw now, in order, and whether to ask the record. */
  take({ first, last, ops, more = false, recorded = false }) {
    const drawn = [];
    if (first > this.last + 1) this.hold({ first, last, ops });
    else this.accept(last, ops, drawn);
    this.drain(drawn);
    this.behind = more || this.heldOps > 0 || this.lost > this.last;
    return { ops: drawn, ask: this.behind, again: recorded && this.behind && drawn.length === 0 };
  }

  accept(last, ops, drawn) {
    if (last <= this.last) return;
    for (const op of ops) if (op[0] > this.last) drawn.push(op);
    this.last = last;
  }

  hold(frame) {
    if (this.heldOps + frame.ops.length + 1 > this.limit) {
      this.lost = Math.max(this.lost ?? 0, frame.last);
      return;
    }
    const at = this.held.findIndex((other) => other.first > frame.first);
    this.held.splice(at < 0 ? this.held.length : at, 0, frame);
    this.heldOps += frame.ops.length + 1;
  }

  drain(drawn) {
    while (this.held.length && this.held[0].first <= this.last + 1) {
      const { last, ops } = this.held.shift();
      this.heldOps -= ops.length + 1;
      this.accept(last, ops, drawn);
    }
  }
}
