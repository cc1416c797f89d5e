import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { chmod, copyFile, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";

/** The new version's file. It is beside the program's own, because only there a rename replaces a file at once. */
export function nextFile(image: string): string {
  return join(dirname(image), `.${basename(image)}.next`);
}

/** Puts a downloaded file there. Throws an Error if it does not have this hash: it is about to be run. */
export async function placeNext(downloaded: string, image: string, sha512: string): Promise<void> {
  const next = nextFile(image);
  await rm(next, { force: true });
  await copyFile(downloaded, next);
  const hash = createHash("sha512");
  await pipeline(createReadStream(next), hash);
  if (hash.digest("base64") !== sha512) {
    await rm(next, { force: true });
    throw new Error(`${downloaded} was changed since its download.`);
  }
  await chmod(next, 0o755);
}

/** Makes the new version the program. The running one keeps its open file. */
export async function adoptNext(image: string): Promise<void> {
  await rename(nextFile(image), image);
}

export async function dropNext(image: string): Promise<void> {
  await rm(nextFile(image), { force: true });
}
