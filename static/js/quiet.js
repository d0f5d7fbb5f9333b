/* The hub only hints, and a hint may be lost. A live turn of which nothing new came for a while is to be asked for,
   each time after twice as long, so that streams which really stand still cost little. No page; the caller brings the time. */
const FIRST_MS = 5000;
const LONGEST_MS = 40000;
const markOf = (card) => `${card.status} ${card.isAsked} ${card.progress}`;

export class Quiet {
  constructor() { this.looks = new Map(); }

  /* The turns among `cards` that are due to be asked for at `now`; each is due once. */
  due(cards, now) {
    const looks = new Map();
    const turns = [];
    for (const card of cards) {
      if (!card.status || card.isGone) continue;
      const mark = markOf(card);
      let look = this.looks.get(card.turn);
      if (look?.mark !== mark) look = { mark, at: now, wait: FIRST_MS };
      if (now - look.at >= look.wait) {
        turns.push(card.turn);
        look = { mark, at: now, wait: Math.min(LONGEST_MS, look.wait * 2) };
      }
      looks.set(card.turn, look);
    }
    this.looks = looks;
    return turns;
  }
}
