import { calls, refused } from "../../app/contract/donor-calls.ts";
import type { DonorHandlers } from "./answer-call.ts";

/** A donor with these handlers. It refuses every other call. */
export function fakeHandlers(own: Partial<DonorHandlers>): DonorHandlers {
  const refusing = Object.keys(calls).map((name) => [name, () => refused("Not now.")]);
  return { ...Object.fromEntries(refusing), ...own } as DonorHandlers;
}
