/* How a turn is shown, as time passes: the rule of streamhub/turns/attention.py, held equal to it by
   tests/turns/attention_cases.json. Pure. The thresholds come from the hub, in `hello`. */
export const RULE = { stalledMs: 15000, lateShare: 0.8 };

const shown = (phase, icon, word, loud = "", group = "") => ({ phase, icon, word, loud, group });

const SHOWN = {
  queued: shown("queued", "queued", "Queued", "", "queued"),
  tool_calls: shown("tool", "tool", "Waiting", "", "tool"),
  completed: shown("completed", "completed", "Completed", "", "ended"),
  failed: shown("failed", "failed", "Failed", "act", "ended"),
  timed_out: shown("timedout", "timedout", "Timed out", "act", "ended"),
  killed: shown("killed", "killed", "Killed", "", "ended"),
  lost: shown("lost", "lost", "Lost", "act", "ended"),
  connecting: shown("connecting", "connecting", "Connecting", "", "waiting"),
  waiting: shown("waiting", "waiting", "Waiting", "", "waiting"),
  thinking: shown("thinking", "thinking", "Thinking", "", "thinking"),
  speaking: shown("speaking", "speaking", "Speaking", "", "speaking"),
  tool: shown("tool", "tool", "Running a tool", "", "tool"),
  settling: shown("settling", "stopping", "Settling", "", "speaking"),
};
const STOPPING = shown("stopping", "stopping", "Stopping", "watch");
const STALLED = shown("stalled", "stalled", "Stalled", "act");
const LATE = {
  connecting: shown("late", "connecting", "Connecting", "act", "waiting"),
  waiting: shown("late", "waiting", "Waiting", "act", "waiting"),
};

export const isUrgent = (clockMs, limitMs, rule = RULE) => limitMs > 0 && clockMs >= limitMs * rule.lateShare;

/* `now` is {status, phase, killRequested, quietMs or null, clockMs, limitMs}. */
export function attentionOf(now, rule = RULE) {
  if (now.killRequested && (now.status === "queued" || now.status === "running")) return STOPPING;
  if (now.status !== "running") return SHOWN[now.status];
  const phase = now.phase || "connecting";
  if (LATE[phase] && isUrgent(now.clockMs, now.limitMs, rule)) return LATE[phase];
  const talks = phase === "thinking" || phase === "speaking";
  if (talks && now.quietMs !== null && now.quietMs >= rule.stalledMs) return STALLED;
  return SHOWN[phase];
}
