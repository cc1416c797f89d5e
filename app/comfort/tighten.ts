import type { Rules } from "../policy/rules.ts";
import { hourMs, type MeasuredHour, mostSteps } from "./hour.ts";
import { brokenParts, type ComfortPart } from "./judge.ts";

/** How far the limits are tightened, because hours broke a promise. */
export type Tightening = {
  /** 0: not at all. */
  readonly step: number;
  /** Hours in a row that kept every promise since the last change. */
  readonly goodHours: number;
  /** After so many of them one step is taken back. */
  readonly neededHours: number;
  /** Whether a step was taken back lately. A broken promise then needs a longer proof. */
  readonly eased: boolean;
  /** The last hour that broke a promise, and the first promise that it broke. Null at step 0. */
  readonly cause: { readonly startAt: number; readonly part: ComfortPart } | null;
};

const firstNeededHours = 3;
const mostNeededHours = 48;

/** After so many days without a measured hour one step is taken back: tightened limits may prevent all donation. */
export const easeAfterDays = 3;
export const easeAfterMs = easeAfterDays * 24 * hourMs;

export const untightened: Tightening = {
  step: 0,
  goodHours: 0,
  neededHours: firstNeededHours,
  eased: false,
  cause: null,
};

/**
 * The tightening after one more hour. An hour that breaks a promise adds a step. A row of good hours takes one back. If the
 * promise is broken again after that, the next row has to be twice as long, so that the limits do not swing.
 */
export function tightenAfter(before: Tightening, hour: MeasuredHour): Tightening {
  const [part] = brokenParts(hour);
  if (part !== undefined) {
    const { neededHours } = before;
    return {
      step: Math.min(mostSteps, before.step + 1),
      goodHours: 0,
      neededHours: before.eased ? Math.min(mostNeededHours, 2 * neededHours) : neededHours,
      eased: false,
      cause: { startAt: hour.startAt, part },
    };
  }
  const goodHours = before.goodHours + 1;
  // Most computers never break a promise. Their state stays the same.
  if (before.step === 0 && !before.eased) return before;
  if (goodHours < before.neededHours) return { ...before, goodHours };
  return before.step === 0 ? untightened : stepBack(before);
}

/** The tightening after all these hours, oldest first, and after the times between them. @param now ms since the epoch. */
export function tighteningOf(hours: readonly MeasuredHour[], now: number): Tightening {
  let tightening = untightened;
  let since = now;
  for (const hour of hours) {
    tightening = tightenAfter(easeAfter(tightening, hour.startAt - since), hour);
    since = hour.startAt;
  }
  return easeAfter(tightening, now - since);
}

/** The tightening after a time without a measured hour; ms. Negative: the clock was set back. */
function easeAfter(before: Tightening, ms: number): Tightening {
  let after = before;
  for (let left = ms; left >= easeAfterMs && after.step > 0; left -= easeAfterMs) after = stepBack(after);
  return after;
}

function stepBack(before: Tightening): Tightening {
  const step = before.step - 1;
  return { ...before, step, goodHours: 0, eased: true, cause: step === 0 ? null : before.cause };
}

/**
 * The rules, tightened by some steps. No rule gets looser: each is as strict as before, or stricter. Step 0 returns the same
 * rules.
 * @param mostThreads the threads that this computer gives without a rule.
 */
export function tightenRules(rules: Rules, step: number, mostThreads: number): Rules {
  if (step === 0) return rules;
  const own = Math.min(rules.idle.threads ?? mostThreads, mostThreads);
  const most = Math.max(1, Math.ceil((mostThreads * (mostSteps - step)) / mostSteps));
  const threads = Math.min(own, most);
  const { idleAfterSeconds, modelWarmSeconds } = rules;
  return {
    ...rules,
    inUse: { ...rules.inUse, mode: "off" },
    idle: { ...rules.idle, threads, gpu: rules.idle.gpu && step < mostSteps },
    // If no thread can be spared, the threads rest instead.
    quiet: rules.quiet || step >= 2 || threads === own,
    modelWarmSeconds: step >= 2 ? 0 : modelWarmSeconds,
    idleAfterSeconds:
      step >= 3 ? Math.max(idleAfterSeconds, Math.min(86_400, 2 * idleAfterSeconds)) : idleAfterSeconds,
  };
}
