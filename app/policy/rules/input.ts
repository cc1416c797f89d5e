import type { Activity } from "../decision.ts";
import type { Facts } from "../../facts/facts.ts";
import { type Check, hold } from "../declare/check.ts";

/** So long after the last input the threads stand still, in seconds. Some systems tell whole ones only. */
const stillSeconds = 2;

/** Where input goes on for longer than this, its jobs are better off elsewhere. */
const longestStillMs = 10_000;

/** And it begins where none came for so long: who writes and thinks in turns should not get it each time. */
const calmSeconds = 10;

type Input = Pick<Facts, "now" | "idleSeconds">;

/**
 * On a computer in use it begins only where nobody types, and gives its jobs back where somebody goes on typing. Unknown,
 * it holds nothing: there is no input to give way to.
 */
export const input: Check<"now" | "idleSeconds", never, "in-use"> = ({ state, facts }) => {
  if (!facts.idleSeconds.known) return null;
  const calmAt = facts.now + (calmSeconds - facts.idleSeconds.value) * 1_000;
  if (state?.kind !== "donating") return calmAt > facts.now ? hold("in-use", Math.ceil(calmAt)) : null;
  const since = stillSince(state, facts);
  return since !== null && facts.now - since >= longestStillMs ? hold("in-use", Math.ceil(calmAt)) : null;
};

/**
 * Since when the threads stand still for input on a computer in use, in ms since the epoch: from the first input until
 * there was none for a moment. null: they run.
 */
export function stillSince(state: Activity | null, { now, idleSeconds }: Input): number | null {
  if (!idleSeconds.known || idleSeconds.value >= stillSeconds) return null;
  const since = state?.kind === "donating" ? state.limits.stillSince : null;
  // A clock that was set back does not lengthen it.
  return Math.min(now, since ?? now);
}

/** When standing still is to be looked at again: later than now. */
export function stillUntil(since: number, { now, idleSeconds }: Input): number {
  const idle = idleSeconds.known ? idleSeconds.value : 0;
  return Math.ceil(Math.min(now + (stillSeconds - idle) * 1_000, Math.max(now + 1, since + longestStillMs)));
}
