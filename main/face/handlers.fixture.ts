import { calls, refused } from "../../app/contract/donor-calls.ts";
import type { DonorHandlers } from "./answer-call.ts";

/** A donor that refuses every call but these. */
export function fakeHandlers(own: Partial<DonorHandlers>): DonorHandlers {
  const refusing = Object.keys(calls).map((name) => [name, () => refused("Not now.")]);
  return { ...Object.fromEntries(refusing), ...own } as DonorHandlers;
}
