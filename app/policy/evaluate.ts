import type { Facts } from "../facts/facts.ts";
import type { DonateReason } from "./declare/activity.ts";
import { type Context, firstVeto, type Veto } from "./declare/check.ts";
import type { StandbyReason } from "./reasons.ts";
import { checks, firmChecks, type Rules } from "./rules.ts";
import { idleness, isDonateNow, restEndsAt, restingSince, typing } from "./rules/idleness.ts";
import { model } from "./rules/models.ts";
import { scheduleEndsAt } from "./rules/schedule.ts";

export type Verdict =
  | ({ readonly kind: "standby" } & Veto<StandbyReason>)
  | {
      readonly kind: "donate";
      readonly reason: Exclude<DonateReason, "finishing">;
      readonly use: "inUse" | "idle";
      readonly recheckAt: number | null;
    };

/** Runs the checks in their order. The first veto is the reason that people read. */
export function evaluate(context: Context<keyof Facts, Rules>): Verdict {
  const { facts, rules } = context;
  const donateNow = isDonateNow(context);
  const vetoed = firstVeto<typeof context, StandbyReason>(donateNow ? firmChecks : checks, context);
  if (vetoed !== null) return { kind: "standby", ...vetoed };

  if (donateNow) {
    const missing = model.veto(context);
    if (missing !== null) return { kind: "standby", ...missing, recheckAt: facts.donateNowUntil };
    return { kind: "donate", reason: "donate-now", use: "idle", recheckAt: facts.donateNowUntil };
  }

  const inUse = idleness.veto(context);
  if (inUse !== null && rules.inUse.mode === "off") return { kind: "standby", ...inUse };
  // Checked before typing, because every change of reason is reported to the organization.
  const missing = model.veto(context);
  if (missing !== null) return { kind: "standby", ...missing };
  const busy = inUse === null ? null : typing.veto(context);
  if (busy !== null) return { kind: "standby", ...busy };

  const endsAt = scheduleEndsAt(rules.schedule, facts.now, facts.minuteOfWeek);
  if (inUse === null) {
    const reason = rules.requireIdle ? "idle" : "unattended";
    return { kind: "donate", reason, use: "idle", recheckAt: endsAt };
  }
  // In use, or perhaps in use: the limits for a computer in use are allowed in either case.
  const rest = restingSince(context.state, facts);
  const runsAt = rest === null ? null : restEndsAt(rest, facts);
  const recheckAt = earlier(earlier(inUse.recheckAt, endsAt), runsAt);
  return { kind: "donate", reason: "within-limits", use: "inUse", recheckAt };
}

function earlier(one: number | null, other: number | null): number | null {
  if (one === null || other === null) return one ?? other;
  return Math.min(one, other);
}
