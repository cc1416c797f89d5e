import { open } from "node:fs/promises";
import { bitsOf, PieceLayout } from "../download/piece-layout.ts";
import { readFully } from "../download/read-fully.ts";
import type { ModelStore } from "../model-store.ts";

/** A device's answer about its pieces of a file. */
type HaveAnswer = {
  /** See `bitsOf`. */
  readonly done: string;
  readonly fetching: string;
  readonly held: number;
};

/** The pieces that other devices may get: verified pieces of models, by the file's SHA-256. Nothing else. */
export type SharedFiles = {
  /** Whether it shares now. */
  readonly isOpen: () => boolean;
  readonly have: (sha256: string, pieceBytes: number) => HaveAnswer | null;
  readonly piece: (sha256: string, pieceBytes: number, piece: number) => Promise<Buffer | null>;
  /** Resolves when the rules' rate allows the bytes. */
  readonly pace: (bytes: number) => Promise<void>;
};

export function sharedFilesOf({ disk, network, downloads }: ModelStore): SharedFiles {
  return {
    isOpen: () => network.isOpen,
    have: (sha256, pieceBytes) => {
      const whole = disk.wholeFile(sha256);
      if (whole !== null) {
        const { count } = new PieceLayout(whole.sizeBytes, pieceBytes);
        const all = bitsOf(new Set(Array.from({ length: count }, (_, piece) => piece)), count);
        return { done: all, fetching: bitsOf(new Set(), count), held: count };
      }
      const { active } = downloads;
      const part = active?.part ?? null;
      if (active === null || part?.spec.sha256 !== sha256 || part.spec.pieceBytes !== pieceBytes) return null;
      const { count } = part.layout;
      // Pieces without hashes are unverified and not shared.
      const done = part.spec.pieceHashes === null ? new Set<number>() : part.done;
      return { done: bitsOf(done, count), fetching: bitsOf(active.fetching, count), held: part.done.size };
    },
    piece: async (sha256, pieceBytes, piece) => {
      const whole = disk.wholeFile(sha256);
      if (whole !== null) return await readPiece(whole, pieceBytes, piece);
      const part = downloads.active?.part ?? null;
      if (part?.spec.sha256 !== sha256 || part.spec.pieceBytes !== pieceBytes) return null;
      return part.spec.pieceHashes === null ? null : await part.read(piece);
    },
    pace: (bytes) => network.pace(bytes),
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
