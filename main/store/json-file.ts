import { randomBytes } from "node:crypto";
import { chmod, mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { z } from "zod";
import { StartRefusal } from "./start-refusal.ts";

export type Loaded<T> =
  | { readonly kind: "loaded"; readonly value: T }
  | { readonly kind: "absent" }
  /** It could not be understood, and was renamed to `movedTo` so that nothing is lost. */
  | { readonly kind: "corrupt"; readonly movedTo: string };

/** Throws a StartRefusal when the file is there and may not be read: going on without it would overwrite it. */
export async function loadJson<T>(path: string, schema: z.ZodType<T>): Promise<Loaded<T>> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return { kind: "absent" };
    const why = (error as Error).message;
    throw new StartRefusal(
      `${path} cannot be read (${why}). Make it readable, or move it away to start without it.`,
      { cause: error },
    );
  }
  const parsed = schema.safeParse(parseJson(text));
  if (parsed.success) return { kind: "loaded", value: parsed.data };
  const movedTo = `${path}.corrupt-${new Date().toISOString().replaceAll(":", "-")}`;
  await rename(path, movedTo);
  return { kind: "corrupt", movedTo };
}

/**
 * Replaces the file whole or not at all: written beside it, synced, renamed over it. Readable by its owner
 * alone. Calls for the same path must not overlap.
 */
export async function saveJson(path: string, value: unknown): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const beside = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    const file = await open(beside, "wx", 0o600);
    try {
      await file.writeFile(`${JSON.stringify(value, null, 2)}\n`);
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

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
