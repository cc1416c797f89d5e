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

type Read<T> =
  | Exclude<Loaded<T>, { kind: "corrupt" }>
  | { readonly kind: "invalid" }
  /** Its version is higher than `newest`. */
  | { readonly kind: "newer"; readonly version: number };

const versioned = z.object({ version: z.number() });

/** Reads a file and leaves it as it is. Throws a StartRefusal if it exists but cannot be read. */
export async function readJson<T>(
  path: string,
  schema: z.ZodType<T>,
  newest = Number.POSITIVE_INFINITY,
): Promise<Read<T>> {
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
  if (version > newest) return { kind: "newer", version };
  const parsed = schema.safeParse(value);
  return parsed.success ? { kind: "loaded", value: parsed.data } : { kind: "invalid" };
}

/**
 * Reads a file, and moves an invalid one aside. Throws a StartRefusal if the file exists but cannot be read, or has a higher
 * version than `newest`, since continuing would overwrite it.
 */
export async function loadJson<T>(
  path: string,
  schema: z.ZodType<T>,
  newest = Number.POSITIVE_INFINITY,
): Promise<Loaded<T>> {
  const read = await readJson(path, schema, newest);
  if (read.kind === "newer") {
    throw new StartRefusal(startSentence("file-too-new", path, String(read.version), String(newest)));
  }
  if (read.kind !== "invalid") return read;
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
