import type { Readable } from "node:stream";
import type { WaitReason } from "../../../app/models/wait-reasons.ts";
import type { InternetSource } from "./internet-source.ts";
import type { PartFile } from "./part-file.ts";
import { readChunks } from "./read-chunks.ts";

export type InternetPieceDeps = {
  readonly part: PartFile;
  readonly internet: InternetSource;
  /** Why the internet may not be used now; null: it may. */
  readonly internetHold: () => WaitReason | null;
  /** Bytes that came in; resolves when more may. */
  readonly onBytes: (bytes: number, from: "internet") => Promise<void>;
};

export type InternetPieceEnd =
  | { readonly kind: "kept" }
  /** All of it came, and its hash is wrong. */
  | { readonly kind: "corrupt" }
  /** It was told to stop, or the internet may not be used any more. What came is kept. */
  | { readonly kind: "stopped" }
  /** It is not the file any more of which parts came before. */
  | { readonly kind: "changed" }
  | {
      readonly kind: "failed";
      readonly why: "source-refused" | "unreachable";
      readonly detail: string;
      readonly retryAfterMs: number | null;
    };

/** Why not all of a piece came. */
type NoBody = Exclude<InternetPieceEnd, { kind: "kept" | "corrupt" }>;

/** Brings what is missing of one piece in from the internet. Rejects where the disk refuses, and leaves what came. */
export async function pieceFromInternet(
  piece: number,
  deps: InternetPieceDeps,
  signal: AbortSignal,
): Promise<InternetPieceEnd> {
  const { part } = deps;
  if ((await part.begin(piece)) < part.layout.bytesOf(piece)) {
    const answer = await askFor(piece, deps, signal);
    if (answer.kind !== "body") return answer;
    const cut = await readInto(piece, answer.body, deps, signal);
    if (cut !== null) return cut;
  }
  return { kind: await part.finish(piece) };
}

async function askFor(
  piece: number,
  { part, internet }: InternetPieceDeps,
  signal: AbortSignal,
): Promise<NoBody | { readonly kind: "body"; readonly body: Readable }> {
  const start = part.layout.startOf(piece) + (await part.begin(piece));
  const end = part.layout.startOf(piece) + part.layout.bytesOf(piece);
  // A piece with a hash of its own is right or not, whatever its server calls the file: several may differ there.
  const validator = part.spec.pieceHashes === null ? part.validator : null;
  const answer = await internet.ask({ start, end, validator, signal });
  if (signal.aborted) {
    if (answer.kind === "body") answer.body.destroy();
    return { kind: "stopped" };
  }
  switch (answer.kind) {
    case "changed":
      return answer;
    case "refused":
      return { kind: "failed", why: "source-refused", detail: answer.why, retryAfterMs: null };
    case "unreachable":
      return unreachable(answer.why, answer.retryAfterMs);
    case "body":
      if (validator !== null && validator !== answer.validator) {
        answer.body.destroy();
        return { kind: "changed" };
      }
      if (part.spec.pieceHashes === null) await part.sourceIs(answer.validator);
      return answer;
  }
}

/** Null: all of the piece came. */
async function readInto(
  piece: number,
  body: Readable,
  { part, internet, onBytes, internetHold }: InternetPieceDeps,
  signal: AbortSignal,
): Promise<NoBody | null> {
  const length = part.layout.bytesOf(piece);
  let at = await part.begin(piece);
  try {
    for await (const chunk of readChunks(body, internet.times.idleMs, signal)) {
      // It gives more than it was asked for, and might never end.
      if (at === length) break;
      const wanted = chunk.subarray(0, length - at);
      await part.write(piece, at, wanted);
      at += wanted.length;
      await onBytes(wanted.length, "internet");
      if (internetHold() !== null && at < length) return { kind: "stopped" };
    }
  } catch (error) {
    if (isDiskError(error)) throw error;
    if (at === length) return null;
    return signal.aborted ? { kind: "stopped" } : unreachable((error as Error).message, null);
  }
  return at < length ? unreachable("The connection was cut.", null) : null;
}

function unreachable(detail: string, retryAfterMs: number | null): NoBody {
  return { kind: "failed", why: "unreachable", detail, retryAfterMs };
}

function isDiskError(error: unknown): boolean {
  const { syscall } = error as NodeJS.ErrnoException;
  return syscall === "write" || syscall === "ftruncate" || syscall === "fdatasync";
}
