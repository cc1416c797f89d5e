import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { appComponent } from "../../names/table-name.ts";
import type { StoredFile } from "../../storage/file-rows.ts";
import type { FileStorage } from "../../storage/file-storage.ts";
import { uuidPattern } from "../../storage/file-store.ts";
import { assertNever } from "../../values/assert-never.ts";
import { jsonReply, refusal, type Reply } from "../reply.ts";
import type { ApiRoute } from "./api-handler.ts";
import { chooseRange } from "./byte-range.ts";
import { parseUpload } from "./upload-request.ts";

type StorageRouteDeps = {
  readonly storage: FileStorage;
  /** Milliseconds since the epoch, by the clock of the upload URLs. */
  readonly now: () => number;
};

const prefix = "storage/";

/** `POST /api/storage/upload?token=…` and `GET /api/storage/{uuid}`. */
export function storageRoutes({ storage, now }: StorageRouteDeps): ApiRoute {
  return async (path, request) => {
    if (!path.startsWith(prefix)) return null;
    const name = path.slice(prefix.length);
    const query = new URLSearchParams(request.url?.split("?", 2)[1] ?? "");
    if (name === "upload") {
      return request.method === "POST" ? upload(storage, now(), query, request) : notAllowed("POST");
    }
    if (request.method !== "GET" && request.method !== "HEAD") return notAllowed("GET, HEAD");
    return serve(storage, name, query.get("component") ?? appComponent, request);
  };
}

function notAllowed(methods: string): Reply {
  return { ...refusal(405, "MethodNotAllowed", `Use ${methods}.`), headers: { Allow: methods } };
}

async function upload(
  storage: FileStorage,
  now: number,
  query: URLSearchParams,
  request: IncomingMessage,
): Promise<Reply> {
  const token = query.get("token");
  if (token === null) return refusal(400, "MissingToken", "The upload URL has no token.");
  const checked = storage.checkToken(token, now);
  if (checked.kind === "invalid") {
    return refusal(401, "StorageTokenInvalid", "This is not an upload URL of this deployment.");
  }
  if (checked.kind === "expired") {
    return refusal(401, "StorageTokenExpired", "The upload URL has expired. Generate another one.");
  }
  const parsed = parseUpload(request);
  if (parsed.kind === "refused") return refusal(400, "BadHeader", parsed.message);
  if (parsed.announced > storage.maxFileBytes) return tooLarge(storage.maxFileBytes);
  try {
    const stored = await storage.save({
      component: checked.component,
      // By default, leaving the iterator early destroys the connection, and the answer needs it.
      bytes: request.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>,
      contentType: parsed.contentType,
      expectedSha256: parsed.sha256,
    });
    switch (stored.kind) {
      case "stored":
        return jsonReply({ storageId: stored.id });
      case "too large":
        return tooLarge(stored.limit);
      case "other digest": {
        const { expected, actual } = stored;
        return refusal(400, "Sha256Mismatch", `Sha256 mismatch. Expected: ${expected} Actual: ${actual}`);
      }
      default:
        return assertNever(stored);
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOSPC" || code === "EDQUOT") {
      return refusal(507, "InsufficientStorage", "The deployment's disk is full.");
    }
    // The client has left, so nobody reads this.
    if (request.destroyed && !request.complete) return refusal(400, "BadRequest", "The body ended early.");
    throw error;
  }
}

function tooLarge(limit: number): Reply {
  return refusal(413, "FileTooLarge", `A file may have ${String(limit)} bytes at most on this deployment.`);
}

async function serve(
  storage: FileStorage,
  storageId: string,
  component: string,
  request: IncomingMessage,
): Promise<Reply> {
  if (!uuidPattern.test(storageId)) {
    return refusal(
      400,
      "InvalidStoragePath",
      `Invalid storage path: "${storageId}". Please use \`storage.getUrl()\` to generate a valid URL to retrieve files. ` +
        "See https://docs.convex.dev/file-storage/serve-files for more details",
    );
  }
  const file = storage.fileOfUrl(storageId, component);
  // The bytes may already be gone while the file is being deleted.
  const size = file === null ? null : await storage.store.sizeOf(file.key);
  if (file === null || size === null) return refusal(404, "FileNotFound", `File ${storageId} not found`);
  return fileReply(storage, file, request);
}

function fileReply(
  { store }: FileStorage,
  file: StoredFile,
  { method, headers: asked }: IncomingMessage,
): Reply {
  const { sha256, size, key } = file;
  const headers = storedFileHeaders(file);
  const reply = (
    status: number,
    more: { readonly [name: string]: string },
    bytes: () => Readable,
  ): Reply => ({
    status,
    headers: { ...headers, ...more },
    body: { type: "stream", stream: method === "HEAD" ? nothing() : bytes() },
  });
  const ifNoneMatch = asked["if-none-match"];
  if (ifNoneMatch !== undefined && matchesContent(ifNoneMatch, sha256)) return reply(304, {}, nothing);
  const ifRange = asked["if-range"] as string | undefined;
  const isRangeAsked = ifRange === undefined || matchesContent(ifRange, sha256);
  const range = chooseRange(isRangeAsked ? asked.range : undefined, size);
  switch (range.kind) {
    case "whole": {
      const more = { "Content-Length": String(size), Digest: `sha-256=${sha256}` };
      return reply(200, more, () => (size === 0 ? nothing() : store.read(key)));
    }
    case "part": {
      const { start, end } = range;
      const more = {
        "Content-Length": String(end - start + 1),
        "Content-Range": `bytes ${String(start)}-${String(end)}/${String(size)}`,
      };
      return reply(206, more, () => store.read(key, { start, end }));
    }
    case "unsatisfiable":
      return reply(416, { "Content-Length": "0", "Content-Range": `bytes */${String(size)}` }, nothing);
    default:
      return assertNever(range);
  }
}

function nothing(): Readable {
  return Readable.from([]);
}

/** As in Convex: a URL's content never changes, but may be deleted. */
const cacheControl = "private, max-age=2592000";

/** Types that a browser may display. All others, above all HTML and SVG, are downloaded. */
const shown = /^(?:image\/(?!svg)|audio\/|video\/|text\/plain\b|application\/json\b)/i;

/**
 * A stored file's headers. Anybody may have uploaded it, and it is served from the deployment's own origin, so no
 * browser may execute its content.
 */
function storedFileHeaders({ sha256, contentType }: StoredFile): { readonly [name: string]: string } {
  const isShown = contentType !== null && shown.test(contentType);
  return {
    ...(contentType === null ? {} : { "Content-Type": contentType }),
    "Accept-Ranges": "bytes",
    "Cache-Control": cacheControl,
    ETag: entityTagOf(sha256),
    "Content-Disposition": isShown ? "inline" : "attachment",
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "Cross-Origin-Resource-Policy": "cross-origin",
    "Access-Control-Expose-Headers": "Accept-Ranges, Content-Length, Content-Range, Digest, ETag",
  };
}

function entityTagOf(sha256: string): string {
  return `"${sha256}"`;
}

/** Whether an `If-None-Match` or `If-Range` header matches the file's content. */
function matchesContent(header: string, sha256: string): boolean {
  const tags = header.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return tags.includes("*") || tags.includes(entityTagOf(sha256));
}
