import type { JSONValue } from "convex/values";

/** What files of a type are commonly called: only for people who look into an export. */
const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ["application/json", ".json"],
  ["application/pdf", ".pdf"],
  ["application/x-ndjson", ".jsonl"],
  ["application/jsonl", ".jsonl"],
  ["application/zip", ".zip"],
  ["application/octet-stream", ".bin"],
  ["audio/mpeg", ".mp3"],
  ["audio/wav", ".wav"],
  ["image/gif", ".gif"],
  ["image/jpeg", ".jpg"],
  ["image/png", ".png"],
  ["image/svg+xml", ".svg"],
  ["image/webp", ".webp"],
  ["text/css", ".css"],
  ["text/csv", ".csv"],
  ["text/html", ".html"],
  ["text/javascript", ".js"],
  ["text/markdown", ".md"],
  ["text/plain", ".txt"],
  ["video/mp4", ".mp4"],
]);

/** The extension for a content type, with its dot; empty where there is none. */
export function extensionOf(contentType: JSONValue | undefined): string {
  if (typeof contentType !== "string") return "";
  return EXTENSIONS.get(contentType.split(";", 1)[0]?.trim().toLowerCase() ?? "") ?? "";
}
