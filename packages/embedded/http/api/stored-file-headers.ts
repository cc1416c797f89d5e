import type { StoredFile } from "../../storage/file-rows.ts";

/** As Convex has it: what a URL means never changes, but it may be deleted. */
const CACHE_CONTROL = "private, max-age=2592000";

/** What a browser may show by itself; all else, above all HTML and SVG, is downloaded. */
const SHOWN = /^(?:image\/(?!svg)|audio\/|video\/|text\/plain\b|application\/json\b)/i;

/**
 * A stored file's headers. Anybody may have uploaded it, and it is served from the deployment's own origin: no
 * browser may run what is in it.
 */
export function storedFileHeaders({ sha256, contentType }: StoredFile): { readonly [name: string]: string } {
  const isShown = contentType !== null && SHOWN.test(contentType);
  return {
    ...(contentType === null ? {} : { "Content-Type": contentType }),
    "Accept-Ranges": "bytes",
    "Cache-Control": CACHE_CONTROL,
    ETag: entityTagOf(sha256),
    "Content-Disposition": isShown ? "inline" : "attachment",
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "Cross-Origin-Resource-Policy": "cross-origin",
    "Access-Control-Expose-Headers": "Accept-Ranges, Content-Length, Content-Range, Digest, ETag",
  };
}

export function entityTagOf(sha256: string): string {
  return `"${sha256}"`;
}

/** Whether an `If-None-Match` or `If-Range` header names the file's content. */
export function namesContent(header: string, sha256: string): boolean {
  const tags = header.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return tags.includes("*") || tags.includes(entityTagOf(sha256));
}
