import { isOutOfService } from "../policy/reasons.ts";
import type { DonorSnapshot } from "./snapshot.ts";

type Shown = Pick<DonorSnapshot, "activity" | "donateNowUntil" | "rules" | "organization">;

/** Whether a person is offered to donate now: the rules allow it, and it could do something. */
export function offersDonateNow({ activity, donateNowUntil, rules, organization }: Shown): boolean {
  if (donateNowUntil !== null || !rules.allowDonateNow || isOutOfService(activity.reason)) return false;
  // Without a list of models that this computer accepts there is no work.
  return !(activity.reason === "no-model" && organization?.problem != null);
}
