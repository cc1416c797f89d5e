import { onAttempt } from "./attempts.ts";
import { isClaiming, isRequesting } from "./capacity.ts";
import { compareHeld, noteForeign } from "./held-rows.ts";
import { giveBack, isGivenBack } from "./releases.ts";
import { setWatched } from "./text-stream.ts";
import type { Turn } from "./turn.ts";

/**
 * Forces one comparison with `held`, even if no job runs long enough to need it.
 * @param attemptId an attempt whose end the queue did not accept: compares until the queue no longer lists it.
 */
export function recheckHeld(t: Turn, attemptId = ""): void {
  t.set({ unsettled: new Set(t.state.unsettled).add(attemptId), compareHeld: true });
}

/** Subscribes to `held` while a job lasts longer than a moment. A short one ends before it could be canceled. */
export function followHeld(t: Turn): void {
  const { attempts, unsettled, followsHeld, times } = t.state;
  const oldest = Math.min(...[...attempts.values()].map(({ since }) => since));
  const on = unsettled.size > 0 || t.due(oldest + times.heldAfterMs);
  if (on === followsHeld) return;
  t.set({ followsHeld: on, heldRows: null });
  t.effect({ kind: "follow-held", on });
}

/**
 * Drops attempts that the queue no longer lists: they were canceled, stolen or fenced. Gives back attempts that it lists
 * and that are unknown here.
 */
export function compareWithHeld(t: Turn): void {
  const { heldRows: rows, compareHeld: isNews, attempts } = t.state;
  if (rows === null || !isNews) return;
  const { gone, foreign, watched } = compareHeld(rows, new Set(attempts.keys()));
  for (const attemptId of gone) onAttempt(t, attemptId, { kind: "gone" });
  for (const [attemptId, isWatched] of watched) {
    const attempt = t.state.attempts.get(attemptId);
    if (attempt !== undefined) t.setAttempt(attemptId, { text: setWatched(attempt.text, isWatched) });
  }
  // The rows may list jobs that an unanswered call brings.
  if (isRequesting(t.state) || isClaiming(t.state) || !t.due(t.state.leftToOtherUntil)) return;
  t.set({ compareHeld: false });
  t.set({ unsettled: new Set([...t.state.unsettled].filter((attemptId) => watched.has(attemptId))) });
  const unknown = foreign.filter((attemptId) => !isGivenBack(t.state, attemptId));
  const noted = noteForeign(t.state.foreign, unknown, t.now);
  t.set({ foreign: noted.attempts });
  // Two programs that give back each other's jobs would finish none.
  if (noted.usedElsewhere) leaveToOther(t);
  else
    for (const attemptId of unknown) {
      t.log("info", "attempt.returned", { attemptId });
      giveBack(t, attemptId, "not working on it");
    }
}

function leaveToOther(t: Turn): void {
  const { usedElsewhereMs: restMs } = t.state.times;
  const until = t.now + restMs;
  t.set({ leftToOtherUntil: until, takingPausedUntil: Math.max(t.state.takingPausedUntil, until) });
  t.log("error", "device-key.used-elsewhere", { restMs });
  t.tell({ kind: "key-used-elsewhere" });
}
