import { type Check, hold, type Look } from "../declare/check.ts";

/** Whoever locks the computer leaves it: so long without input is then enough, in seconds. */
const lockedIdleSeconds = 10;

/** Idle clocks tick in whole seconds: looking again sooner than this would only spin. */
const minimumRecheckMs = 250;

export const idleness: Check<
  "now" | "idleSeconds" | "locked",
  "requireIdle" | "idleAfterSeconds" | "idleWhenLocked",
  "in-use" | "idle-unknown"
> = ({ facts, rules }) => {
  if (!rules.requireIdle) return null;
  if (!facts.idleSeconds.known) return hold("idle-unknown");
  const locked = rules.idleWhenLocked && facts.locked.known && facts.locked.value;
  const asked = locked ? Math.min(lockedIdleSeconds, rules.idleAfterSeconds) : rules.idleAfterSeconds;
  const missingSeconds = asked - facts.idleSeconds.value;
  if (missingSeconds <= 0) return null;
  return hold("in-use", facts.now + Math.max(minimumRecheckMs, Math.ceil(missingSeconds * 1_000)));
};

/** Whether its person asked for it now, idle or not, where the rules let them. */
export function isAskedFor({ facts, rules }: Look<"now" | "donateNowUntil", "allowDonateNow">): boolean {
  return rules.allowDonateNow && facts.donateNowUntil !== null && facts.donateNowUntil > facts.now;
}
