import type { Policy } from "./policy.ts";
import { randomSlots } from "./random-slots.ts";
import { ring } from "./ring.ts";

const both = [false, true];

/** The alternatives to a policy's constants. `--compare NAME` runs them. */
export const variants: Readonly<Record<string, readonly Policy[]>> = {
  "local-scan": both.flatMap((affinity) =>
    [0, 0.25, 1, 4].map((localSlots) => ring(affinity, { localSlots, suffix: `-local-scan-${localSlots}` })),
  ),
  "full-scan": both.flatMap((affinity) =>
    [1, 16, 64, 256, 65_536].map((fullSlots) =>
      ring(affinity, { fullSlots, suffix: `-full-scan-${fullSlots}` }),
    ),
  ),
  "hand-over": both.flatMap((affinity) =>
    [true, false].map((handsOver) =>
      ring(affinity, { handsOver, suffix: handsOver ? "-handed" : "-claimed" }),
    ),
  ),
  positions: both.flatMap((affinity) =>
    (["hash", "gaps"] as const).map((positions) => ring(affinity, { positions, suffix: `-${positions}` })),
  ),
  "devices-per-slot": both.flatMap((affinity) => [1, 2, 4, 8].map((count) => randomSlots(affinity, count))),
};
