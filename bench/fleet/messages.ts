import type { CallKind, SideName } from "../side.ts";

/** How often the calls of a fleet's workers came to what. */
export type CallCounts = { readonly [Kind in CallKind]: number };

export const noCalls: CallCounts = { claim: 0, empty: 0, completion: 0, failure: 0, other: 0 };

/** What a process of workers is told. `spreadMs`: over how long its workers start. */
export type ToFleet =
  | {
      readonly kind: "start";
      readonly side: SideName;
      readonly url: string;
      readonly keys: readonly string[];
      readonly spreadMs: number;
    }
  | { readonly kind: "ask" };

/** What it tells. Times are of the system's monotonic clock, in ms: the same in all processes. */
export type FromFleet =
  | { readonly kind: "begun" }
  | { readonly kind: "started"; readonly number: number; readonly at: number }
  | { readonly kind: "completed"; readonly at: number }
  | {
      readonly kind: "state";
      /** No call is under way, and all are connected. */
      readonly quiet: boolean;
      readonly calls: CallCounts;
      /** What the first failures said. */
      readonly failures: readonly string[];
    };

/** Milliseconds of a clock that all processes of this machine share. */
export function sharedNow(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
