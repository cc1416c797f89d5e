import type { ComfortHour } from "./hour.ts";
import type { Tightening } from "./tighten.ts";

/** The comfort of this computer, as its person sees it. */
export type ComfortView = {
  /** The last hour with enough donation. Null before the first one. */
  readonly hour: ComfortHour | null;
  /** The hours of the last seven days, and how many of them kept every promise. */
  readonly week: { readonly hours: number; readonly keptHours: number };
  readonly tightening: Tightening;
  /** The threads that this computer gives without a rule. */
  readonly mostThreads: number;
};
