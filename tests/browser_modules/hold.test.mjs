import assert from "node:assert/strict";
import { test } from "node:test";
import { Hold } from "../../static/js/hold.js";

test("a wall that nobody touched does not hold", () => assert.equal(new Hold().isOn(0), false));

test("an act holds the wall for ten seconds, the next one anew", () => {
  const hold = new Hold();
  hold.acted(1000);
  assert.equal(hold.isOn(10999), true);
  assert.equal(hold.isOn(11000), false);
  hold.acted(10000);
  assert.equal(hold.isOn(19999), true);
});
