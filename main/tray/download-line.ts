import type { ModelView } from "../../app/contract/snapshot.ts";
import { waitWords } from "../../app/models/wait-reasons.ts";

/** One line on the model that is on its way; null where none is. In whole percent, so that the menu seldom changes. */
export function downloadLine(models: readonly ModelView[]): string | null {
  const coming = models.find(({ state }) => state === "downloading");
  if (coming !== undefined) return `Downloading ${coming.modelId}: ${percent(coming)}`;
  const waiting = models.find(({ state }) => state === "waiting");
  if (waiting?.why === undefined) return null;
  const here = (waiting.downloadedBytes ?? 0) > 0 ? `${percent(waiting)} here. ` : "";
  return `${waiting.modelId}: ${here}${waitWords[waiting.why.reason]}`;
}

function percent({ downloadedBytes = 0, sizeBytes }: ModelView): string {
  return `${Math.floor((downloadedBytes / sizeBytes) * 100)} %`;
}
