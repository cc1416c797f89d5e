import type { Readable } from "node:stream";
import type { WaitReason } from "../../../../app/models/wait-reasons.ts";
import type { PartFile } from "../part-file.ts";
import { readChunks } from "../read-chunks.ts";
import type { InternetSource } from "./internet-source.ts";

type InternetPieceDeps = {
  readonly part: PartFile;
  readonly internet: InternetSource;
  /** The reason why the internet may not be used now, or null. */
  readonly internetHold: () => WaitReason | null;
  /** Reports received bytes. Resolves when more may be received. */
  readonly onBytes: (bytes: number, from: "internet") => Promise<void>;
};

type InternetPieceEnd =
  | { readonly kind: "kept" }
  /** The piece is complete, but its hash is wrong. */
  | { readonly kind: "corrupt" }
  /** Stopped on request, or the internet may no longer be used. Received bytes are kept. */
  | { readonly kind: "stopped" }
  /** The server's file has changed since the first parts. */
  | { readonly kind: "changed" }
  | {
      readonly kind: "failed";
      readonly why: "source-refused" | "unreachable";
      readonly detail: string;
      readonly retryAfterMs: number | null;
    };

/** The reason why a piece is incomplete. */
type NoBody = Exclude<InternetPieceEnd, { kind: "kept" | "corrupt" }>;

/** Fetches the rest of one piece from the internet. Rejects on a disk error and keeps the received bytes. */
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
  // A piece with a hash of its own needs no validator. Mirrors may use different ones.
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

/** Resolves to null if the whole piece arrived. */
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
      // The server sends more than requested and might never end.
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
