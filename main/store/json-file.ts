import { mkdir, readFile, rename } from "node:fs/promises";
import { dirname } from "node:path";
import type { z } from "zod";
import { parseJson } from "../../app/json.ts";
import { replaceFile } from "./replace-file.ts";
import { StartRefusal } from "./start-refusal.ts";

type Loaded<T> =
  | { readonly kind: "loaded"; readonly value: T }
  | { readonly kind: "absent" }
  /** The file was invalid and was renamed to `movedTo`, so that nothing is lost. */
  | { readonly kind: "corrupt"; readonly movedTo: string };

/** Throws a StartRefusal if the file exists but cannot be read, since continuing would overwrite it. */
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

/** Replaces the file whole or not at all, and makes its folder. Calls for the same path must not overlap. */
export async function saveJson(path: string, value: unknown): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await replaceFile(path, `${JSON.stringify(value, null, 2)}\n`);
}
