import assert from "node:assert/strict";
import { test } from "node:test";
import { Sequence } from "../../static/js/sequence.js";

const frame = (first, last, more = {}) => ({
  first, last, ops: Array.from({ length: last - first + 1 }, (_, index) => [first + index, "t", `${first + index} `]), ...more,
});
const seqs = (taken) => taken.ops.map((op) => op[0]);

test("frames in order are drawn as they come", () => {
  const sequence = new Sequence();
  assert.deepEqual(seqs(sequence.take(frame(1, 3))), [1, 2, 3]);
  assert.deepEqual(seqs(sequence.take(frame(4, 4))), [4]);
  assert.equal(sequence.last, 4);
});

test("a repeat is skipped, also when it overlaps", () => {
  const sequence = new Sequence(3);
  assert.deepEqual(seqs(sequence.take(frame(1, 3))), []);
  assert.deepEqual(seqs(sequence.take(frame(2, 5))), [4, 5]);
});

test("several ops of one seq come together and are drawn together", () => {
  const sequence = new Sequence();
  const ops = [[1, "r", "a"], [1, "g", {}], [1, "t", "b"]];
  assert.deepEqual(sequence.take({ first: 1, last: 1, ops }).ops, ops);
  assert.deepEqual(sequence.take({ first: 1, last: 1, ops }).ops, []);
});

test("a gap holds the frame and asks; the answer closes it in order", () => {
  const sequence = new Sequence(2);
  const early = sequence.take(frame(5, 6));
  assert.deepEqual([seqs(early), early.ask], [[], true]);
  assert.equal(sequence.take(frame(8, 8)).ask, true);
  const answer = sequence.take(frame(3, 4, { recorded: true }));
  assert.deepEqual([seqs(answer), answer.ask], [[3, 4, 5, 6], true]);
  const rest = sequence.take(frame(7, 7));
  assert.deepEqual([seqs(rest), rest.ask], [[7, 8], false]);
});

test("an empty answer while something is held means: ask again a little later", () => {
  const sequence = new Sequence(2);
  sequence.take(frame(5, 6));
  const empty = sequence.take({ first: 3, last: 2, ops: [], recorded: true });
  assert.deepEqual([empty.ops, empty.ask, empty.again], [[], true, true]);
});

test("an answer with more to come asks for the rest", () => {
  const sequence = new Sequence();
  assert.equal(sequence.take(frame(1, 4, { recorded: true, more: true })).ask, true);
  assert.equal(sequence.take(frame(5, 6, { recorded: true })).ask, false);
});

test("what is held is bounded, and what was dropped is asked for again", () => {
  const sequence = new Sequence(0, 10);
  sequence.take(frame(3, 6));
  sequence.take(frame(7, 30));
  assert.ok(sequence.heldOps <= 10);
  assert.equal(sequence.take(frame(1, 2)).ask, true);
  assert.equal(sequence.last, 6);
  assert.equal(sequence.take(frame(7, 30, { recorded: true })).ask, false);
  assert.equal(sequence.last, 30);
});

test("chunks that say nothing to a viewer still count", () => {
  const sequence = new Sequence();
  sequence.take({ first: 1, last: 9, ops: [[2, "t", "a"]] });
  assert.deepEqual(seqs(sequence.take(frame(10, 10))), [10]);
});

test("whatever is lost, doubled and shuffled, the text is whole and in order", () => {
  let seed = 7;
  const random = () => { seed = (seed * 1103515245 + 12345) % 2147483648; return seed / 2147483648; };
  for (let round = 0; round < 300; round += 1) {
    const total = 1 + Math.floor(random() * 60);
    const frames = [];
    for (let at = 1; at <= total;) { const last = Math.min(total, at + Math.floor(random() * 5)); frames.push(frame(at, last)); at = last + 1; }
    const sent = frames.flatMap((item) => (random() < 0.3 ? [] : random() < 0.2 ? [item, item] : [item]));
    if (random() < 0.5) sent.sort(() => random() - 0.5);
    const sequence = new Sequence(0, 20);
    const drawn = [];
    const recorded = (since) => { const last = Math.min(total, since + 7); return { ...frame(since + 1, last), recorded: true, more: last < total }; };
    for (const item of sent) {
      let taken = sequence.take(item);
      drawn.push(...seqs(taken));
      while (taken.ask) { taken = sequence.take(recorded(sequence.last)); drawn.push(...seqs(taken)); }
    }
    while (sequence.last < total) drawn.push(...seqs(sequence.take(recorded(sequence.last))));
    assert.deepEqual(drawn, Array.from({ length: total }, (_, index) => index + 1));
  }
});
