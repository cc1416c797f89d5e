import { patienceMs } from "../../packages/queue/component/model/speed.ts";
import type { JobSize, Rate } from "../../packages/queue/shared/validators.ts";

export type SpeedPolicy = {
  readonly name: string;
  /** The waiting devices near a job that a submission compares. 0: it takes the first one, whatever its speed. */
  readonly compared: number;
  /** How long a slow device leaves a job to faster ones, ms. */
  readonly patienceMs: (size: JobSize, own: Rate, reference: Rate) => number;
};

const times =
  (factor: number) =>
  (size: JobSize, own: Rate, reference: Rate): number =>
    factor * patienceMs(size, own, reference);

export const speedPolicies: readonly SpeedPolicy[] = [
  { name: "blind", compared: 0, patienceMs: times(0) },
  { name: "fastest of 4", compared: 4, patienceMs: times(0) },
  { name: "as built: of 4, patient", compared: 4, patienceMs: patienceMs },
  { name: "of 4, 0.4 × patience", compared: 4, patienceMs: times(0.4) },
  { name: "of 4, 2 × patience", compared: 4, patienceMs: times(2) },
  { name: "of 4, 4 × patience", compared: 4, patienceMs: times(4) },
  { name: "of 8, patient", compared: 8, patienceMs: patienceMs },
  { name: "of all, patient", compared: Infinity, patienceMs: patienceMs },
];
