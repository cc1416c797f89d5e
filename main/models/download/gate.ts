import type { Facts } from "../../../app/policy/facts.ts";
import type { Rules } from "../../../app/policy/rules.ts";
import type { WaitReason } from "../../../app/models/wait-reasons.ts";

/** What the gate looks at, of the facts that the policy decides by. */
export type GateFacts = Pick<
  Facts,
  | "now"
  | "connection"
  | "membership"
  | "pause"
  | "donateNowUntil"
  | "suspended"
  | "idleSeconds"
  | "locked"
  | "power"
  | "batteryPercent"
  | "metered"
  | "networks"
>;

export type GateRules = Pick<
  Rules,
  | "requireIdle"
  | "idleAfterSeconds"
  | "idleWhenLocked"
  | "allowDonateNow"
  | "inUse"
  | "allowOnBattery"
  | "batteryFloorPercent"
  | "allowMetered"
  | "requiredNetworks"
  | "networkBudgetMbPerDay"
>;

/**
 * Why models may not be moved over the network now; null: they may. Pure.
 *
 * A network that is metered, or none of those that the rules ask for, is left alone; so is one that a person is using,
 * unless the rules let a used computer work. Whether a network is metered is not known on every system: there it counts
 * as not metered, since most are not, and `requiredNetworks` can say which ones are meant.
 */
export function networkHold(facts: GateFacts, rules: GateRules): WaitReason | null {
  if (facts.membership !== "active") return "not-a-member";
  if (facts.pause !== null && (facts.pause.until === null || facts.pause.until > facts.now)) return "paused";
  if (facts.suspended || facts.connection === "offline") return "offline";
  if (!rules.allowMetered && facts.metered.known && facts.metered.value) return "metered";
  if (!onRequiredNetwork(facts, rules)) return "other-network";
  if (drainsBattery(facts, rules)) return "on-battery";
  return isInUse(facts, rules) ? "in-use" : null;
}

/** Whether what may be fetched from the internet on one day is used up. Models from devices in the office do not count. */
export function budgetSpent(spentBytes: number, rules: GateRules): boolean {
  const { networkBudgetMbPerDay: budget } = rules;
  return budget !== null && spentBytes >= budget * 2 ** 20;
}

/** As for jobs: where it may run on battery, its floor has to be known to be kept. */
function drainsBattery({ power, batteryPercent }: GateFacts, rules: GateRules): boolean {
  if (power.known && power.value === "ac") return false;
  if (!rules.allowOnBattery || !batteryPercent.known) return true;
  return batteryPercent.value < rules.batteryFloorPercent;
}

/** Names of networks are compared in any case. Where none is known, the rule is not met. */
function onRequiredNetwork({ networks }: GateFacts, { requiredNetworks }: GateRules): boolean {
  if (requiredNetworks.length === 0) return true;
  if (!networks.known) return false;
  const here = new Set(networks.value.map((name) => name.toLowerCase()));
  return requiredNetworks.some((name) => here.has(name.toLowerCase()));
}

/** A locked computer is idle after this long. */
const lockedIdleSeconds = 10;

function isInUse(facts: GateFacts, rules: GateRules): boolean {
  if (!rules.requireIdle || rules.inUse.mode === "limited") return false;
  if (rules.allowDonateNow && facts.donateNowUntil !== null && facts.donateNowUntil > facts.now) return false;
  if (!facts.idleSeconds.known) return true;
  const locked = rules.idleWhenLocked && facts.locked.known && facts.locked.value;
  const enough = locked ? Math.min(lockedIdleSeconds, rules.idleAfterSeconds) : rules.idleAfterSeconds;
  return facts.idleSeconds.value < enough;
}
