import { mkdir, readFile, rename } from "node:fs/promises";
import { dirname } from "node:path";
import * as z from "zod";
import { startSentence } from "../../app/contract/sentences/start-sentences.ts";
import { parseJson } from "../../app/json.ts";
import { replaceFile } from "./replace-file.ts";
import { StartRefusal } from "./start-refusal.ts";

type Loaded<T> =
  | { readonly kind: "loaded"; readonly value: T }
  | { readonly kind: "absent" }
  /** The file was invalid and was renamed to `movedTo`, so that nothing is lost. */
  | { readonly kind: "corrupt"; readonly movedTo: string };

const versioned = z.object({ version: z.number() });

/**
 * Throws a StartRefusal if the file exists but cannot be read, or has a higher version than `newest`, since continuing
 * would overwrite it.
 */
export async function loadJson<T>(
  path: string,
  schema: z.ZodType<T>,
  newest = Number.POSITIVE_INFINITY,
): Promise<Loaded<T>> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return { kind: "absent" };
    const why = (error as Error).message;
    throw new StartRefusal(startSentence("file-unreadable", path, why), { cause: error });
  }
  const value = parseJson(text);
  const version = versioned.safeParse(value).data?.version ?? 0;
  if (version > newest) {
    throw new StartRefusal(startSentence("file-too-new", path, String(version), String(newest)));
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return { kind: "loaded", value: parsed.data };
  const movedTo = asideName(path, "corrupt");
  await rename(path, movedTo);
  return { kind: "corrupt", movedTo };
}

/** The name of a file that is moved aside, so that nothing is lost. */
export function asideName(path: string, why: string): string {
  return `${path}.${why}-${new Date().toISOString().replaceAll(":", "-")}`;
}

/** Replaces the file whole or not at all, and makes its folder. Calls for the same path must not overlap. */
export async function saveJson(path: string, value: unknown): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await replaceFile(path, `${JSON.stringify(value, null, 2)}\n`);
}
