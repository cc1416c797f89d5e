import type { Limits } from "./decision.ts";
import { sayRule } from "./say-rule.ts";

/** What a donating computer gives just now, in a sentence. */
export function sayLimits({ dutyCycle, stillSince, ...limits }: Limits): string {
  if (stillSince !== null) return "Stands still while you type or move the mouse.";
  const share = dutyCycle === 1 ? "" : `, ${Math.round(dutyCycle * 100)} % of the time`;
  return `Gives ${sayRule("idle", limits)}${share}.`;
}
