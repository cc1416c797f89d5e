import { rename, rm, stat } from "node:fs/promises";
import { discardPart } from "./discard-part.ts";
import { savePartState, statePath } from "./part-state.ts";
import { bitsOf, PieceLayout } from "./piece-layout.ts";

/**
 * Turns a damaged complete file into a part file. All its pieces count as done, so the download first finds the
 * wrong ones.
 */
export async function revertToPart(
  path: string,
  partPath: string,
  file: { readonly sizeBytes: number; readonly pieceBytes: number; readonly source: string },
): Promise<void> {
  await discardPart(partPath);
  const { sizeBytes, pieceBytes, source } = file;
  if ((await stat(path).catch(() => null))?.size !== sizeBytes) {
    await rm(path, { force: true });
    return;
  }
  const { count } = new PieceLayout(sizeBytes, pieceBytes);
  const done = bitsOf(new Set(Array.from({ length: count }, (_, piece) => piece)), count);
  await savePartState(statePath(partPath), {
    sizeBytes,
    pieceBytes,
    source,
    done,
    begun: [],
    validator: null,
    failures: 0,
    failedAt: null,
  });
  await rename(path, partPath);
}
