import type { IncomingMessage } from "node:http";

type ParsedUpload =
  | {
      readonly kind: "ok";
      readonly contentType: string | null;
      /** Base64; null when not given. */
      readonly sha256: string | null;
      /** The announced length in bytes; 0 when not announced. */
      readonly announced: number;
    }
  | { readonly kind: "refused"; readonly message: string };

const maxTypeLength = 255;
const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const mediaType = new RegExp(`^${token}/${token}(?:\\s*;\\s*${token}=(?:${token}|"[^"\\\\]*"))*\\s*;?$`);
/** 32 bytes in base64. */
const sha256Pattern = /^[A-Za-z0-9+/]{43}=$/;

/** Parses the headers of an upload. */
export function parseUpload({ headers }: Pick<IncomingMessage, "headers">): ParsedUpload {
  const contentType = headers["content-type"] ?? null;
  if (contentType !== null && (contentType.length > maxTypeLength || !mediaType.test(contentType))) {
    return { kind: "refused", message: "Bad header for content-type: not a media type." };
  }
  const digest = headers["digest"];
  const sha256 = digest === undefined ? null : /^sha-256=(.*)$/i.exec(String(digest))?.[1];
  if (sha256 === undefined || (sha256 !== null && !sha256Pattern.test(sha256))) {
    return { kind: "refused", message: "Bad header for digest: expected sha-256= and the digest in base64." };
  }
  return { kind: "ok", contentType, sha256, announced: Number(headers["content-length"] ?? 0) };
}
