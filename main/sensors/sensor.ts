import type { Known } from "../../app/policy/facts.ts";

/** One thing that can be known about this computer. */
export type Sensor<T> = {
  /** How often a new sample is worth its cost, in milliseconds; 0: reading costs nothing, ask when needed. */
  readonly everyMs: number;
  /** Never throws: what cannot be known is unknown. */
  readonly sample: () => Known<T> | Promise<Known<T>>;
};
