import type { Doc } from "../../builders.ts";

export type Counts = Pick<Doc<"batches">, "succeeded" | "failed" | "canceled" | "expired">;

/** What was counted, and ends that were not. */
export function withEnds(counted: Counts, ends: readonly Pick<Doc<"batchEnds">, "outcome">[]): Counts {
  const { succeeded, failed, canceled, expired } = counted;
  const sum = { succeeded, failed, canceled, expired };
  for (const { outcome } of ends) sum[outcome] += 1;
  return sum;
}

/** Whether every job of it is final, and none can come. */
export function isComplete(batch: Pick<Doc<"batches">, "status" | "total">, counts: Counts): boolean {
  const ended = counts.succeeded + counts.failed + counts.canceled + counts.expired;
  return batch.status === "sealed" && ended === batch.total;
}
