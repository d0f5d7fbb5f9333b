import assert from "node:assert/strict";
import { test } from "node:test";
import { Asking } from "../../static/js/asking.js";

test("the first question may be asked at once, and is open until it is answered", () => {
  const asking = new Asking();
  assert.deepEqual([asking.isOpen(1000), asking.wait(1000)], [false, 0]);
  asking.asked(1000);
  assert.equal(asking.isOpen(1100), true);
  asking.answered(1200, false);
  assert.deepEqual([asking.isOpen(1200), asking.wait(1200)], [false, 0]);
});

test("after an answer that brought nothing the next question waits, however often it is wanted", () => {
  const asking = new Asking();
  asking.asked(1000);
  asking.answered(1050, true);
  for (const now of [1050, 1100, 1200, 1349]) assert.equal(now + asking.wait(now), 1350);
  assert.equal(asking.wait(1400), 0);
});

test("an answer that never comes is not waited for without end", () => {
  const asking = new Asking();
  asking.asked(1000);
  assert.equal(asking.isOpen(4000), true);
  assert.equal(asking.isOpen(4001), false);
});
