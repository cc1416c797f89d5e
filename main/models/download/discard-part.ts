import { rm } from "node:fs/promises";
import { statePath } from "./part-state.ts";

/** Removes a part file and its state file. */
export async function discardPart(path: string): Promise<void> {
  await rm(statePath(path), { force: true });
  await rm(path, { force: true });
}
