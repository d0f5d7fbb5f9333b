import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { attentionOf } from "../../static/js/attention.js";

const cases = JSON.parse(readFileSync(new URL("../turns/attention_cases.json", import.meta.url)));
const USUAL = { phase: "", killRequested: false, quietMs: null, clockMs: 0, limitMs: 0 };

for (const { name, now, is } of cases) {
  test(name, () => {
    const shown = attentionOf({ ...USUAL, ...now });
    for (const [key, value] of Object.entries(is)) assert.equal(shown[key], value, key);
  });
}
