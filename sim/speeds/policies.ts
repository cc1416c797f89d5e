import { isSlow, patienceMs } from "../../packages/queue/component/model/speed.ts";
import type { JobSize, Rate } from "../../packages/queue/shared/validators.ts";

export type SpeedPolicy = {
  readonly name: string;
  /** The waiting devices near a job that a submission compares. 0: it takes the first one, whatever its speed. */
  readonly compared: number;
  /** Whether a device waits in the ring of slow ones. A submission hands over to the ring of fast ones only. */
  readonly isSlow: (own: Rate, reference: Rate) => boolean;
  /** How long a slow device leaves a job to faster ones, ms. */
  readonly patienceMs: (size: JobSize, own: Rate, reference: Rate) => number;
};

const times =
  (factor: number) =>
  (size: JobSize, own: Rate, reference: Rate): number =>
    factor * patienceMs(size, own, reference);

const never = (): boolean => false;

export const speedPolicies: readonly SpeedPolicy[] = [
  { name: "blind", compared: 0, isSlow: never, patienceMs: times(0) },
  { name: "fastest of 4", compared: 4, isSlow: never, patienceMs: times(0) },
  { name: "fastest of 4, patience", compared: 4, isSlow: never, patienceMs },
  { name: "two rings", compared: 4, isSlow, patienceMs: times(0) },
  { name: "as built: both", compared: 4, isSlow, patienceMs },
  { name: "both, 2 × patience", compared: 4, isSlow, patienceMs: times(2) },
  { name: "both, 4 × patience", compared: 4, isSlow, patienceMs: times(4) },
  { name: "both, fastest of 8", compared: 8, isSlow, patienceMs },
];
