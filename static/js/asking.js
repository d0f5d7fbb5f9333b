/* When the record may be asked: one question at a time, and after an answer that brought nothing not before a while has
   passed, whatever live frames say meanwhile. Pure; the caller brings the time. */
const AGAIN_MS = 300;
const ANSWER_MS = 3000;

export class Asking {
  constructor() {
    this.askedAt = null;
    this.notBefore = 0;
  }

  /* Whether an answer is still to be hoped for. */
  isOpen(now) { return this.askedAt !== null && now - this.askedAt <= ANSWER_MS; }

  /* How long the next question has to wait. */
  wait(now) { return Math.max(0, this.notBefore - now); }

  asked(now) { this.askedAt = now; }

  answered(now, isEmpty) {
    this.askedAt = null;
    this.notBefore = isEmpty ? now + AGAIN_MS : 0;
  }
}
