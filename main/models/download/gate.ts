import type { Facts } from "../../../app/facts/facts.ts";
import type { WaitReason } from "../../../app/models/wait-reasons.ts";
import { type Check, type Context, firstVeto } from "../../../app/policy/declare/check.ts";
import type { StandbyReason } from "../../../app/policy/reasons.ts";
import type { Rules } from "../../../app/policy/rules.ts";
import { connection, membership, pause, sleep } from "../../../app/policy/rules/availability.ts";
import { idleness, isDonateNow } from "../../../app/policy/rules/idleness.ts";
import { metered, requiredNetwork } from "../../../app/policy/rules/network.ts";
import { power } from "../../../app/policy/rules/power.ts";

/** The policy's reasons that forbid network use, with the reason that a waiting model shows. */
const waitReasons = {
  "not-enrolled": "not-a-member",
  "awaiting-approval": "not-a-member",
  "paused-by-server": "not-a-member",
  "paused-in-console": "paused",
  outdated: "not-a-member",
  "other-key": "not-a-member",
  retired: "not-a-member",
  "paused-by-you": "paused",
  suspended: "offline",
  offline: "offline",
  "wrong-server": "offline",
  "other-network": "other-network",
  "network-unknown": "other-network",
  metered: "metered",
  "on-battery": "on-battery",
  "battery-low": "on-battery",
  "power-unknown": "on-battery",
  "in-use": "in-use",
  "idle-unknown": "in-use",
} as const satisfies { readonly [Reason in StandbyReason]?: WaitReason };

type GateCheck = Pick<Check<Context<keyof Facts, Rules>, never, keyof typeof waitReasons>, "veto">;

const checks: readonly GateCheck[] = [membership, pause, sleep, connection, requiredNetwork, metered, power];

/**
 * The reason why models may not use the network now, or null. Pure.
 *
 * Uses the policy's checks without their hysteresis, since a download that stops and resumes loses nothing. The
 * network of a computer in use stays free, unless the rules allow work while in use.
 */
export function networkHold(facts: Facts, rules: Rules): WaitReason | null {
  const context = { state: null, facts, rules };
  const mayDisturb = rules.inUse.mode === "limited" || isDonateNow(context);
  const found = firstVeto(mayDisturb ? checks : [...checks, idleness], context);
  return found === null ? null : waitReasons[found.reason];
}

/** Whether the day's allowance for the internet is used up. Models from devices in the office do not count. */
export function budgetSpent(spentBytes: number, rules: Rules): boolean {
  const { networkBudgetMbPerDay: budget } = rules;
  return budget !== null && spentBytes >= budget * 2 ** 20;
}
