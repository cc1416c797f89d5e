import { randomBytes } from "node:crypto";
import { chmod, open, rename, rm } from "node:fs/promises";

/**
 * Replaces a file atomically: writes a new file beside it, syncs it and renames it. Only its owner can read it.
 * Its folder must exist. Calls for the same path must not overlap.
 */
export async function replaceFile(path: string, text: string): Promise<void> {
  const beside = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    const file = await open(beside, "wx", 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await chmod(beside, 0o600);
    await rename(beside, path);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
}
