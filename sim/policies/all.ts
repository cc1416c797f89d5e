import { homeSlots } from "./home-slots.ts";
import type { Policy } from "./policy.ts";
import { randomSlots, twoChoices } from "./random-slots.ts";
import { ring } from "./ring.ts";
import { sharedHead } from "./shared-head.ts";

export const policies: readonly Policy[] = [false, true].flatMap((affinity) => [
  sharedHead(affinity),
  randomSlots(affinity),
  twoChoices(affinity),
  homeSlots(affinity, "back"),
  homeSlots(affinity, "random point"),
  ring(affinity),
]);
