import type { Activity } from "../decision.ts";
import type { Facts } from "../facts.ts";
import type { HoldReason } from "../reasons.ts";
import type { Rules } from "../rules.ts";

/** What a check looks at: `state` only for its hysteresis. */
export type Look = { readonly state: Activity; readonly facts: Facts; readonly rules: Rules };

/** `recheckAt`: later than now, in ms since the epoch; null when only a changed fact can end it. */
export type Hold = { readonly reason: HoldReason; readonly recheckAt: number | null };

/** One concern's "not now"; null where it has nothing against donating. */
export type Check = (look: Look) => Hold | null;

export function hold(reason: HoldReason, recheckAt: number | null = null): Hold {
  return { reason, recheckAt };
}

/** Whether it holds for this reason already: then the way back is a little longer than the way in. */
export function heldFor(state: Activity, reason: HoldReason): boolean {
  return state.kind === "holding" && state.reason === reason;
}
