import type { Doc } from "../../builders.ts";

/**
 * What a job has to wait for first; null when it is ready. In this order: its time, other jobs, its turn. A turn
 * comes last, since whoever has one may run at once.
 */
export function firstWait(facts: {
  readonly delayed: boolean;
  readonly dependent: boolean;
  readonly limited: boolean;
}): NonNullable<Doc<"jobs">["waitsFor"]> | null {
  if (facts.delayed) return "time";
  if (facts.dependent) return "jobs";
  return facts.limited ? "turn" : null;
}
