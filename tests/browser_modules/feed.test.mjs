import assert from "node:assert/strict";
import { test } from "node:test";
import { placeOf } from "../../static/js/feed.js";

test("the newest goes first, the oldest last, others between", () => {
  assert.equal(placeOf(50, [40, 30, 10]), 0);
  assert.equal(placeOf(20, [40, 30, 10]), 2);
  assert.equal(placeOf(5, [40, 30, 10]), 3);
  assert.equal(placeOf(5, []), 0);
});

test("of turns that ended together, the one that came later stands first", () => assert.equal(placeOf(30, [40, 30, 30]), 1));
