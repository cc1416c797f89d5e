import { open } from "node:fs/promises";
import { bitsOf, PieceLayout } from "../download/piece-layout.ts";
import { readFully } from "../download/read-fully.ts";
import type { ModelStore } from "../model-store.ts";

/** What a device answers when it is asked what it has of a file. */
export type HaveAnswer = {
  /** See `bitsOf`. */
  readonly done: string;
  readonly fetching: string;
  readonly held: number;
};

/** What other devices may have of this one: verified pieces of models, asked for by the file's SHA-256. Nothing else. */
export type Shelf = {
  /** False: not now. */
  readonly isOpen: () => boolean;
  readonly have: (sha256: string, pieceBytes: number) => HaveAnswer | null;
  readonly piece: (sha256: string, pieceBytes: number, piece: number) => Promise<Buffer | null>;
  /** Keeps to the rules' rate. */
  readonly pace: (bytes: number) => Promise<void>;
};

export function shelfOf(store: ModelStore): Shelf {
  return {
    isOpen: () => store.mayUseNetwork,
    have: (sha256, pieceBytes) => {
      const whole = store.wholeFile(sha256);
      if (whole !== null) {
        const { count } = new PieceLayout(whole.sizeBytes, pieceBytes);
        const all = bitsOf(new Set(Array.from({ length: count }, (_, piece) => piece)), count);
        return { done: all, fetching: bitsOf(new Set(), count), held: count };
      }
      const active = store.active;
      const part = active?.part ?? null;
      if (active === null || part?.spec.sha256 !== sha256 || part.spec.pieceBytes !== pieceBytes) return null;
      const { count } = part.layout;
      // Without hashes of pieces they are no more than a promise, and not given on.
      const done = part.spec.pieceHashes === null ? new Set<number>() : part.done;
      return { done: bitsOf(done, count), fetching: bitsOf(active.fetching, count), held: part.done.size };
    },
    piece: async (sha256, pieceBytes, piece) => {
      const whole = store.wholeFile(sha256);
      if (whole !== null) return await readPiece(whole, pieceBytes, piece);
      const part = store.active?.part ?? null;
      if (part?.spec.sha256 !== sha256 || part.spec.pieceBytes !== pieceBytes) return null;
      return part.spec.pieceHashes === null ? null : await part.read(piece);
    },
    pace: (bytes) => store.pace(bytes),
  };
}

async function readPiece(
  file: { readonly path: string; readonly sizeBytes: number },
  pieceBytes: number,
  piece: number,
): Promise<Buffer | null> {
  const layout = new PieceLayout(file.sizeBytes, pieceBytes);
  if (piece >= layout.count) return null;
  try {
    const handle = await open(file.path, "r");
    try {
      return await readFully(handle, layout.startOf(piece), layout.bytesOf(piece));
    } finally {
      await handle.close();
    }
  } catch {
    return null;
  }
}
