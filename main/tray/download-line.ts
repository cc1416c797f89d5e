import type { ModelView } from "../../app/contract/snapshot.ts";
import { formatShare } from "../../app/format/quantity.ts";
import { waitWords } from "../../app/models/wait-reasons.ts";

/** One line about the current download, or null. It shows whole percents, so that the menu rarely changes. */
export function downloadLine(models: readonly ModelView[]): string | null {
  const coming = models.find(({ state }) => state === "downloading");
  if (coming !== undefined) return `Downloading ${coming.modelId}: ${percent(coming)}`;
  const waiting = models.find(({ state }) => state === "waiting");
  if (waiting?.why === undefined) return null;
  const why = waitWords[waiting.why.reason];
  if ((waiting.downloadedBytes ?? 0) === 0) return `${waiting.modelId}: ${why}`;
  return `${waiting.modelId}: ${percent(waiting)} downloaded. ${why}`;
}

function percent({ downloadedBytes = 0, sizeBytes }: ModelView): string {
  return formatShare(Math.floor((downloadedBytes / sizeBytes) * 100) / 100);
}
