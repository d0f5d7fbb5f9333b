import assert from "node:assert/strict";
import { test } from "node:test";
import { visible } from "../../static/js/visible.js";

test("escape sequences are shown, not interpreted", () => {
  assert.equal(visible("\u001b[31mred\u001b[0m"), "\u241b[31mred\u241b[0m");
  assert.equal(visible("\u009b31m"), "\u241b[31m");
  assert.equal(visible("a\u0000b\u007f"), "a\u2400b\u2421");
});

test("line ends, tabs, emoji and right-to-left text stay as they are", () => {
  const text = "a\tb\nc\r\n\u{1f469}\u200d\u{1f692} \u202eabc\u202c \u05e9\u05dc\u05d5\u05dd";
  assert.equal(visible(text), text);
});
