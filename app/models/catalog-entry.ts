import { z } from "zod";

const sha256 = z.string().regex(/^[0-9a-f]{64}$/, "has to be a SHA-256 in lower-case hexadecimal");

/** Hugging Face's way to name a file: user, repository, and a path in it that leads nowhere else. */
const huggingFace = /^hf:[\w.-]{1,96}\/[\w.-]{1,96}(\/(?!\.{1,2}(\/|$))[\w. +-]{1,200}){1,8}$/;

/**
 * Where a model's file comes from: `https://…`, `hf:user/repository/file`, or `bundled` for one that came with the
 * program. Plain `http:` is taken from this machine's own loopback alone, for tests.
 */
export const modelSource = z
  .string()
  .max(2_000)
  .refine(
    (source) => source === "bundled" || huggingFace.test(source) || isFetchableUrl(source),
    "has to be https://…, hf:user/repository/file, or bundled",
  );

/** Pieces no larger than this: a device holds a few of them in memory while it shares them. */
const maxPieceBytes = 16 * 2 ** 20;
const minPieceBytes = 64 * 2 ** 10;
/** As many as one document of the backend holds with room to spare: 64 GiB in pieces of 16 MiB. */
const maxPieces = 4_096;

/** The SHA-256 of each piece of `pieceBytes`, in order; the last piece is what remains. */
export const modelPieces = z.object({
  pieceBytes: z.number().int().min(minPieceBytes).max(maxPieceBytes),
  pieceHashes: z.array(sha256).min(1).max(maxPieces).readonly(),
});

const offered = {
  modelId: z.string().min(1).max(200),
  source: modelSource,
  sha256,
  sizeBytes: z
    .number()
    .int()
    .positive()
    .max(maxPieceBytes * maxPieces),
  /** An SPDX identifier, or the licence's name. */
  licence: z.string().max(200),
  contextTokens: z.number().int().positive(),
  /** The chat template in Jinja; null for the one in the model's file. */
  template: z.string().max(65_536).nullable(),
};

/**
 * One model of an organization's catalog as its devices are told of it. The pieces' hashes stand apart (tens of
 * kilobytes): a device asks for them when it begins to download.
 */
export const offeredModel = z.object(offered).readonly();

/** One model of an organization's catalog as an administrator enters it. Without `pieces` the file is only as good as the whole. */
export const catalogEntry = z
  .object({ ...offered, pieces: modelPieces.nullable() })
  .refine(
    ({ pieces, sizeBytes }) => pieces === null || fitsPieces(pieces, sizeBytes),
    "has to have one hash for each piece",
  )
  .readonly();

export type ModelPieces = Readonly<z.infer<typeof modelPieces>>;
export type OfferedModel = z.infer<typeof offeredModel>;
export type CatalogEntry = z.infer<typeof catalogEntry>;

/** Whether a file of this size has as many pieces as there are hashes. */
export function fitsPieces({ pieceBytes, pieceHashes }: ModelPieces, sizeBytes: number): boolean {
  return pieceHashes.length === Math.ceil(sizeBytes / pieceBytes);
}

/** The pieces' size for a file: 4 MiB, more where that would be too many. */
export function pieceBytesFor(sizeBytes: number): number {
  let bytes = 4 * 2 ** 20;
  while (Math.ceil(sizeBytes / bytes) > maxPieces && bytes < maxPieceBytes) bytes *= 2;
  return bytes;
}

/** A URL is no part of the language that app/ is written in: its shape is checked here, and parsed where it is used. */
function isFetchableUrl(source: string): boolean {
  return (
    /^https:\/\/[^\s/?#@\\]+\/[^\s\\]*$/.test(source) ||
    /^http:\/\/(127\.0\.0\.1|localhost)(:\d{1,5})?\/[^\s\\]*$/.test(source)
  );
}
