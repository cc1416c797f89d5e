import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";

/** The system's folder for temporary files may be in memory, but durable data must reach a disk. */
const parent = join(import.meta.dirname, "../../out");

/** Runs with a folder on the repository's disk and removes it afterward. */
export async function withScratch<T>(work: (folder: string) => Promise<T>): Promise<T> {
  await mkdir(parent, { recursive: true });
  const folder = await mkdtemp(join(parent, "bench-"));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
