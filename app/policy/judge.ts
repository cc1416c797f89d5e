import { type Check, firstOf, type Hold, type Look } from "./declare/check.ts";
import { heat } from "./rules/heat.ts";
import { idleness, isAskedFor } from "./rules/idleness.ts";
import { input, stillSince, stillUntil } from "./rules/input.ts";
import { memory, processorLoad } from "./rules/load.ts";
import { model } from "./rules/models.ts";
import { metered, requiredNetwork } from "./rules/network.ts";
import { lid, power } from "./rules/power.ts";
import { call, fullScreen, media } from "./rules/presence.ts";
import { excludedPrograms } from "./rules/programs.ts";
import { schedule, scheduleEndsAt } from "./rules/schedule.ts";
import { connection, membership, pause, sleep } from "./rules/availability.ts";
import type { DonateReason } from "./reasons.ts";

export type Verdict =
  | ({ readonly kind: "hold" } & Hold)
  | {
      readonly kind: "donate";
      readonly reason: Exclude<DonateReason, "finishing">;
      readonly use: "inUse" | "idle";
      readonly recheckAt: number | null;
    };

/** Nothing stands for these: "donate now" neither empties a battery nor warms a computer that is too hot. */
const always: readonly Check[] = [
  membership,
  pause,
  sleep,
  connection,
  requiredNetwork,
  metered,
  power,
  lid,
  heat,
  excludedPrograms,
  memory,
];

/** "Donate now" stands for these, and for idleness: rule-layers.ts names the same, by their rules. */
const unlessAsked: readonly Check[] = [schedule, fullScreen, call, media, processorLoad];

/** Whether anything is against donating now; the first that says no is the reason shown. */
export function judge(look: Look): Verdict {
  const { facts, rules } = look;
  const against = firstOf(always, look);
  if (against !== null) return { kind: "hold", ...against };

  if (isAskedFor(look)) {
    const missing = model(look);
    if (missing !== null) return { kind: "hold", ...missing, recheckAt: facts.donateNowUntil };
    return { kind: "donate", reason: "donate-now", use: "idle", recheckAt: facts.donateNowUntil };
  }

  const disturbing = firstOf(unlessAsked, look);
  if (disturbing !== null) return { kind: "hold", ...disturbing };
  const inUse = idleness(look);
  if (inUse !== null && rules.inUse.mode === "off") return { kind: "hold", ...inUse };
  // Before what comes and goes with each input: that is told to the organization.
  const missing = model(look);
  if (missing !== null) return { kind: "hold", ...missing };
  const typing = inUse === null ? null : input(look);
  if (typing !== null) return { kind: "hold", ...typing };

  const endsAt = scheduleEndsAt(rules.schedule, facts.now, facts.minuteOfWeek);
  // Not known to be idle, it keeps to the limits of a computer in use: they are allowed in either case.
  if (inUse !== null) {
    const still = stillSince(look.state, facts);
    const runsAt = still === null ? null : stillUntil(still, facts);
    const recheckAt = earlier(earlier(inUse.recheckAt, endsAt), runsAt);
    return { kind: "donate", reason: "within-limits", use: "inUse", recheckAt };
  }
  const reason = rules.requireIdle ? "idle" : "unattended";
  return { kind: "donate", reason, use: "idle", recheckAt: endsAt };
}

function earlier(one: number | null, other: number | null): number | null {
  if (one === null || other === null) return one ?? other;
  return Math.min(one, other);
}
