import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";

/** Pieces of a text that identify it, even if only a part of it was written. */
export function piecesOf(text: string, most = 40): readonly string[] {
  const length = 16;
  const pieces: string[] = [];
  for (let at = 0; at + length <= text.length && pieces.length < most; at += length) {
    const piece = text.slice(at, at + length);
    // Spaces and repetitions occur anywhere. Escaped characters would never match.
    if (new Set(piece).size >= 8 && /^[^\p{Cc}"\\]+$/u.test(piece)) pieces.push(piece);
  }
  return pieces;
}

/**
 * Joins the fields of a JSON log, so that a text that was logged token by token is whole again.
 */
export function sayingsOf(lines: readonly string[]): string {
  const fields = new Map<string, string>();
  for (const line of lines) {
    if (!line.startsWith("{")) continue;
    for (const [field, value] of Object.entries(JSON.parse(line) as object)) {
      fields.set(field, (fields.get(field) ?? "") + String(value));
    }
  }
  return [...fields.values(), ...lines].join("\n");
}

/** Finds the files below `folder` that contain any of the texts, in UTF-8 or UTF-16 (which Chromium writes). */
export async function tracesIn(folder: string, texts: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const bytes = await readFile(path);
    for (const text of texts) {
      if (bytes.includes(text, 0, "utf8") || bytes.includes(text, 0, "utf16le")) {
        found.push(`${relative(folder, path)}: ${text}`);
      }
    }
  }
  return found;
}
