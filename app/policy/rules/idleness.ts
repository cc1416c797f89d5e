import { type Facts, isTrue } from "../../facts/facts.ts";
import type { Donating, Standby } from "../declare/activity.ts";
import { check, type Context, type Reason, veto } from "../declare/check.ts";
import { allowed, number, type ValuesOf, yesOrNo } from "../declare/rule.ts";

export const idlenessRules = {
  /** Off where nobody sits at the machine (a server, a lab machine): idleness is then not required. */
  requireIdle: yesOrNo({
    section: "when",
    title: "Only while nobody uses it",
    hint: "Off for machines that nobody sits at, such as servers.",
    default: true,
  }),
  idleAfterSeconds: number({
    section: "when",
    title: "Idle after",
    hint: "How long without input until a computer counts as idle.",
    default: 120,
    unit: "seconds",
    min: 10,
    max: 86_400,
    choices: [30, 60, 120, 300, 600, 900, 1_800, 3_600],
  }),
  idleWhenLocked: yesOrNo({
    section: "when",
    title: "Idle sooner when locked",
    hint: "A locked computer counts as idle ten seconds after the last input, if the time above is longer.",
    default: true,
  }),
  /** Whether "donate now" may override idleness and the rules about a calm computer. */
  allowDonateNow: allowed({
    section: "when",
    title: "“Donate now”",
    hint: "Whether it may be told to donate for a while even though somebody uses the computer.",
    default: true,
  }),
};

type IdlenessRules = Pick<
  ValuesOf<typeof idlenessRules>,
  "requireIdle" | "idleAfterSeconds" | "idleWhenLocked"
>;
type InputFacts = Pick<Facts, "now" | "idleSeconds">;

/** A person who locks the computer leaves it. This many seconds without input are then enough. */
const lockedIdleSeconds = 10;

/** Idle clocks count whole seconds. An earlier recheck than this would only spin. */
const minimumRecheckMs = 250;

const inUse: Reason = {
  short: "You are using it",
  brief: "Gleaner waits until you are away.",
  sentence: "You are using this computer. Gleaner waits until you have been away for a while.",
  toOthers: {
    short: "In use",
    sentence: "Somebody is using this computer. Gleaner waits until they have been away for a while.",
  },
  facts: ["idleSeconds", "locked"],
};

export const idleness = check({
  reasons: {
    "in-use": inUse,
    "idle-unknown": {
      short: "Cannot tell if idle",
      brief: "Gleaner cannot tell whether you are away, so it waits.",
      sentence: "This system does not say whether somebody is using it, so Gleaner stays out of the way.",
      facts: ["idleSeconds", "locked"],
    },
  },
  needs: () => ["idleSeconds", "locked"],
  donateNowOverrides: ["requireIdle", "idleAfterSeconds", "idleWhenLocked"],
  veto: ({ facts, rules }: Context<"now" | "idleSeconds" | "locked", IdlenessRules>) => {
    if (!rules.requireIdle) return null;
    if (!facts.idleSeconds.known) return veto("idle-unknown");
    const locked = rules.idleWhenLocked && isTrue(facts.locked);
    const required = locked ? Math.min(lockedIdleSeconds, rules.idleAfterSeconds) : rules.idleAfterSeconds;
    const missingSeconds = required - facts.idleSeconds.value;
    if (missingSeconds <= 0) return null;
    return veto("in-use", facts.now + Math.max(minimumRecheckMs, Math.ceil(missingSeconds * 1_000)));
  },
});

/** Whether its person asked to donate now and the rules allow it. */
export function isDonateNow({
  facts,
  rules,
}: Context<"now" | "donateNowUntil", { readonly allowDonateNow: boolean }>): boolean {
  return rules.allowDonateNow && facts.donateNowUntil !== null && facts.donateNowUntil > facts.now;
}

/** The threads rest for this long after the last input, in seconds. Some systems report whole seconds only. */
const restSeconds = 2;

/** If input continues for longer than this, the jobs are better off on another device. */
const longestRestMs = 10_000;

/** Long enough that pauses in typing do not start work. */
const calmSeconds = 10;

/**
 * For a computer in use: work starts only while nobody types, and the jobs go back if somebody keeps typing.
 * An unknown idle time vetoes nothing.
 */
export const typing = check({
  reasons: { "in-use": inUse },
  needs: () => ["idleSeconds"],
  donateNowOverrides: ["inUse"],
  veto: ({ state, facts }: Context<"now" | "idleSeconds">) => {
    if (!facts.idleSeconds.known) return null;
    const calmAt = facts.now + (calmSeconds - facts.idleSeconds.value) * 1_000;
    if (state?.kind !== "donating") return calmAt > facts.now ? veto("in-use", Math.ceil(calmAt)) : null;
    const since = restingSince(state, facts);
    return since !== null && facts.now - since >= longestRestMs ? veto("in-use", Math.ceil(calmAt)) : null;
  },
});

/**
 * The start of the threads' rest on a computer in use, in ms since the epoch; null while they run. They rest from an input
 * until there was none for `restSeconds`.
 */
export function restingSince(
  state: Donating | Standby | null,
  { now, idleSeconds }: InputFacts,
): number | null {
  if (!idleSeconds.known || idleSeconds.value >= restSeconds) return null;
  const since = state?.kind === "donating" ? state.limits.stillSince : null;
  // A clock that was set back must not lengthen the rest.
  return Math.min(now, since ?? now);
}

/** When to check the rest again: always later than now. */
export function restEndsAt(since: number, { now, idleSeconds }: InputFacts): number {
  const idle = idleSeconds.known ? idleSeconds.value : 0;
  return Math.ceil(Math.min(now + (restSeconds - idle) * 1_000, Math.max(now + 1, since + longestRestMs)));
}
