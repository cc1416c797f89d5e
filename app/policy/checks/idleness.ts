import { type Check, hold } from "./check.ts";

/** Whoever locks the computer leaves it: so long without input is then enough, in seconds. */
const lockedIdleSeconds = 10;

/** Idle clocks tick in whole seconds: looking again sooner than this would only spin. */
const minimumRecheckMs = 250;

export const idleness: Check = ({ facts, rules }) => {
  if (!rules.requireIdle) return null;
  if (!facts.idleSeconds.known) return hold("idle-unknown");
  const locked = rules.idleWhenLocked && facts.locked.known && facts.locked.value;
  const asked = locked ? Math.min(lockedIdleSeconds, rules.idleAfterSeconds) : rules.idleAfterSeconds;
  const missingSeconds = asked - facts.idleSeconds.value;
  if (missingSeconds <= 0) return null;
  return hold("in-use", facts.now + Math.max(minimumRecheckMs, Math.ceil(missingSeconds * 1_000)));
};
