import type { CallKind, SideName } from "../side.ts";

/** The number of a fleet's calls by kind. */
export type CallCounts = { readonly [Kind in CallKind]: number };

export const noCalls: CallCounts = { claim: 0, empty: 0, completion: 0, failure: 0, other: 0 };

/** Messages to a process of workers. Its workers start over `spreadMs`. */
export type ToFleet =
  | {
      readonly kind: "start";
      readonly side: SideName;
      readonly url: string;
      readonly keys: readonly string[];
      readonly spreadMs: number;
    }
  | { readonly kind: "ask" };

/**
 * Messages from a process of workers. Times are of the system's monotonic clock, in ms, which all processes
 * share.
 */
export type FromFleet =
  | { readonly kind: "begun" }
  | { readonly kind: "started"; readonly number: number; readonly at: number }
  | { readonly kind: "completed"; readonly at: number }
  | {
      readonly kind: "state";
      /** Whether all are connected and no call is in flight. */
      readonly quiet: boolean;
      readonly calls: CallCounts;
      /** The messages of the first failures. */
      readonly failures: readonly string[];
    };

/** The time of a clock that all processes of this machine share, in ms. */
export function sharedNow(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
