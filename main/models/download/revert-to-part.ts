import { rename, rm, stat } from "node:fs/promises";
import { discardPart } from "./discard-part.ts";
import { savePartState, statePath } from "./part-state.ts";
import { bitsOf, PieceLayout } from "./piece-layout.ts";

/**
 * Makes a part of a file that was whole and is not what it should be any more: all its pieces count as done, so that
 * the first thing that a download does is to find those that are not right.
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
    ...{ sizeBytes, pieceBytes, source, done },
    ...{ begun: [], validator: null, failures: 0, failedAt: null },
  });
  await rename(path, partPath);
}
