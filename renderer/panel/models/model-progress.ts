import type { ModelView } from "../../../app/contract/snapshot.ts";
import { formatBytes } from "../../../app/format/quantity.ts";
import { waitWords } from "../../../app/models/wait-reasons.ts";

/** The downloaded share of a model, 0 to 1. Null unless a download has begun. */
export function progressOf({ state, downloadedBytes = 0, sizeBytes }: ModelView): number | null {
  if (state === "downloading" || (state === "waiting" && downloadedBytes > 0)) {
    return Math.min(1, downloadedBytes / sizeBytes);
  }
  return null;
}

/** Explains why a model is not ready. Null if there is nothing to explain. */
export function progressWords(model: ModelView): string | null {
  const { state, downloadedBytes = 0, bytesPerSecond, why } = model;
  if (state === "downloading") {
    const rate = bytesPerSecond === undefined ? "" : `, ${formatBytes(bytesPerSecond)} per second`;
    return `${formatBytes(downloadedBytes)} of ${formatBytes(model.sizeBytes)}${rate}`;
  }
  if (why === undefined) return null;
  const waits = why.detail === null ? waitWords[why.reason] : `${waitWords[why.reason]} (${why.detail})`;
  return downloadedBytes > 0 ? `${formatBytes(downloadedBytes)} downloaded. ${waits}` : waits;
}
