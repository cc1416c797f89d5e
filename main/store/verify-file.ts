import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";

/** Equal stamps mean the same bytes, as far as the file system can tell. */
export type FileStamp = string;

type Verified =
  | { readonly kind: "ok"; readonly stamp: FileStamp }
  | { readonly kind: "missing" }
  | { readonly kind: "corrupt" }
  | { readonly kind: "aborted" };

type Expected = { readonly path: string; readonly sha256: string; readonly sizeBytes: number };

/** The SHA-256 in lower-case hexadecimal. */
export function sha256Of(data: string | Buffer): string {
  return createHash("sha256").update(data).digest("hex");
}

/** Verifies the whole file. Also `corrupt` if it changed during the read. */
export async function verifyFile(expected: Expected, signal?: AbortSignal): Promise<Verified> {
  const before = await stampOf(expected.path);
  if (before === null) return { kind: "missing" };
  if (before.sizeBytes !== expected.sizeBytes) return { kind: "corrupt" };
  const hash = createHash("sha256");
  try {
    for await (const chunk of createReadStream(expected.path, { highWaterMark: 1 << 20 })) {
      if (signal?.aborted === true) return { kind: "aborted" };
      hash.update(chunk as Buffer);
    }
  } catch {
    return { kind: "missing" };
  }
  if (hash.digest("hex") !== expected.sha256) return { kind: "corrupt" };
  const after = await stampOf(expected.path);
  return after?.stamp === before.stamp ? { kind: "ok", stamp: before.stamp } : { kind: "corrupt" };
}

/** Resolves to null if it is not a regular file or cannot be inspected. */
export async function stampOf(
  path: string,
): Promise<{ readonly stamp: FileStamp; readonly sizeBytes: number } | null> {
  try {
    const found = await stat(path, { bigint: true });
    if (!found.isFile()) return null;
    return {
      stamp: [found.dev, found.ino, found.size, found.mtimeNs, found.ctimeNs].join(":"),
      sizeBytes: Number(found.size),
    };
  } catch {
    return null;
  }
}
