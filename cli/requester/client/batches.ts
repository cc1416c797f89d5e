import type { Api } from "./api.ts";
import { type Batch, batchObject } from "./wire.ts";

/** The path of a batch. */
export function pathOfBatch(id: string): string {
  return `/batches/${encodeURIComponent(id)}`;
}

export async function getBatch(api: Api, id: string): Promise<Batch> {
  return await api.get(pathOfBatch(id), batchObject);
}

/** Whether nothing of the batch changes anymore. */
export function hasEnded({ status }: Batch): boolean {
  return status === "completed" || status === "failed" || status === "expired" || status === "cancelled";
}
