import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { sendReply, textReply } from "../reply.ts";
import { type StaticFolder, staticTarget } from "./static-path.ts";

type Found = { readonly file: string; readonly size: number; readonly etag: string };

/** Bundlers put a content hash into such names, so the content never changes. */
const hashed = /[.-][A-Za-z0-9_-]{8,}\.(?:js|mjs|css|woff2?|png|jpe?g|webp|svg|wasm|map)$/;

/**
 * Serves a built single-page app. Paths without a file get index.html, for the app's own router. Missing assets
 * (names with an extension) are 404.
 * @returns whether the request was for this folder
 */
export async function serveStatic(
  folder: StaticFolder,
  headers: { readonly [name: string]: string },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  const url = request.url ?? "/";
  const target = staticTarget(folder, url.split("?", 1)[0] ?? "/");
  if (target === null) return false;
  if (request.method !== "GET" && request.method !== "HEAD") {
    void sendReply(response, { ...textReply("Method not allowed", 405), headers: { Allow: "GET, HEAD" } });
    return true;
  }
  if (target.kind === "redirect") {
    response.writeHead(308, { Location: target.to, ...headers }).end();
    return true;
  }
  const found = target.kind === "file" ? await find(folder.dir, target.segments) : null;
  if (found === null) void sendReply(response, { ...textReply("Not found", 404), headers });
  else await send(found, headers, request, response);
  return true;
}

async function find(dir: string, segments: readonly string[]): Promise<Found | null> {
  const last = segments.at(-1);
  const named = last === undefined ? null : await fileAt(join(dir, ...segments));
  if (named !== null) return named;
  return last?.includes(".") === true ? null : fileAt(join(dir, "index.html"));
}

async function fileAt(file: string): Promise<Found | null> {
  const found = await stat(file).catch(() => null);
  if (found === null || !found.isFile()) return null;
  const { size, mtimeMs, ino } = found;
  const etag = `"${[ino, size, Math.floor(mtimeMs)].map((part) => part.toString(36)).join("-")}"`;
  return { file, size, etag };
}

async function send(
  { file, size, etag }: Found,
  headers: { readonly [name: string]: string },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const all = {
    ...headers,
    ETag: etag,
    "Cache-Control": hashed.test(file) ? "public, max-age=31536000, immutable" : "no-cache",
  };
  if (request.headers["if-none-match"] === etag) {
    response.writeHead(304, all).end();
    return;
  }
  response.writeHead(200, { ...all, "Content-Type": contentTypeOf(file), "Content-Length": String(size) });
  if (request.method === "HEAD") {
    response.end();
    return;
  }
  // If the client leaves or the file is replaced meanwhile, the response is already cut.
  await pipeline(createReadStream(file, { end: Math.max(0, size - 1) }), response).catch(() => undefined);
}

const types: { readonly [extension: string]: string } = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".map": "application/json",
  ".webmanifest": "application/manifest+json",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".webp": "image/webp",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".woff": "font/woff",
  ".txt": "text/plain; charset=utf-8",
  ".wasm": "application/wasm",
};

/** The type by file name, since browsers must not sniff. Unknown types can only be downloaded. */
function contentTypeOf(fileName: string): string {
  const dot = fileName.lastIndexOf(".");
  return (dot === -1 ? undefined : types[fileName.slice(dot).toLowerCase()]) ?? "application/octet-stream";
}
