import { readdirSync, readFileSync } from "node:fs";

/** The text of a small file of the kernel's, trimmed; null where it is missing or may not be read. */
export function readText(path: string): string | null {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return null;
  }
}

/** A number out of such a file; null for anything else. */
export function readNumber(path: string): number | null {
  const text = readText(path);
  if (text === null || text === "") return null;
  const value = Number(text);
  return Number.isFinite(value) ? value : null;
}

/** The names in a folder, in order; none where it is missing. */
export function listFolder(path: string): readonly string[] {
  try {
    return readdirSync(path).sort();
  } catch {
    return [];
  }
}
