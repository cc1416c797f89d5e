import { readdirSync, readFileSync } from "node:fs";

/** The trimmed text of a small kernel file. Null if it is missing or unreadable. */
export function readText(path: string): string | null {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return null;
  }
}

/** The number in such a file. Null for anything else. */
export function readNumber(path: string): number | null {
  const text = readText(path);
  if (text === null || text === "") return null;
  const value = Number(text);
  return Number.isFinite(value) ? value : null;
}

/** The sorted names in a folder. Empty if the folder is missing. */
export function listFolder(path: string): readonly string[] {
  try {
    return readdirSync(path).sort();
  } catch {
    return [];
  }
}
