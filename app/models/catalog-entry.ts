import * as z from "zod";
import { isVisible } from "../format/visible.ts";

export const sha256 = z.string().regex(/^[0-9a-f]{64}$/, "has to be a SHA-256 in lower-case hexadecimal");

/** A file on Hugging Face: user, repository, and a path that stays inside of the repository. */
const huggingFace = /^hf:[\w.-]{1,96}\/[\w.-]{1,96}(\/(?!\.{1,2}(\/|$))[\w. +-]{1,200}){1,8}$/;

/**
 * The source of a model's file: `https://…`, `hf:user/repository/file`, or `bundled` for one that ships with the
 * program. An address on the device's own loopback is refused.
 */
export const modelSource = z
  .string()
  .max(2_000)
  .refine(
    (source) => source === "bundled" || huggingFace.test(source) || isFetchableUrl(source),
    "has to be https://…, hf:user/repository/file, or bundled",
  );

/** A device holds a few pieces in memory while it shares them. */
const maxPieceBytes = 16 * 2 ** 20;
const minPieceBytes = 64 * 2 ** 10;
/** Their hashes fit into one document of the backend. Allows 64 GiB in pieces of 16 MiB. */
const maxPieces = 4_096;

/** The SHA-256 of each piece of `pieceBytes`, in order. The last piece is the rest. */
export const modelPieces = z.object({
  pieceBytes: z.number().int().min(minPieceBytes).max(maxPieceBytes),
  pieceHashes: z.array(sha256).min(1).max(maxPieces).readonly(),
});

/** The fields of an offered model. */
export const modelFields = {
  modelId: z.string().min(1).max(200),
  source: modelSource,
  sha256,
  sizeBytes: z
    .number()
    .int()
    .positive()
    .max(maxPieceBytes * maxPieces),
  /** An SPDX identifier, or the license's name. Stored entries have this spelling of the field. */
  licence: z.string().max(200),
  contextTokens: z.number().int().positive(),
  /** The chat template in Jinja. Null for the one in the model's file. */
  template: z.string().max(65_536).nullable(),
};

/** A model of the catalog as devices see it. They request the hashes of its pieces only for a download. */
export const offeredModel = z.object({ ...modelFields, piecesHash: sha256.nullable().optional() }).readonly();

const hiddenCharacters = "has to have no control characters and no invisible marks";

/** A model of the catalog as an admin enters it. Without `pieces` only the whole file can be verified. */
export const catalogEntry = z
  .object({
    ...modelFields,
    modelId: modelFields.modelId.refine(isVisible, hiddenCharacters),
    licence: modelFields.licence.refine(isVisible, hiddenCharacters),
    pieces: modelPieces.nullable(),
  })
  .refine(
    ({ pieces, sizeBytes }) => pieces === null || fitsPieces(pieces, sizeBytes),
    "has to have one hash for each piece",
  )
  .readonly();

export type ModelPieces = Readonly<z.infer<typeof modelPieces>>;
export type OfferedModel = z.infer<typeof offeredModel>;
export type CatalogEntry = z.infer<typeof catalogEntry>;

/** Whether a file of this size has as many pieces as there are hashes. */
function fitsPieces({ pieceBytes, pieceHashes }: ModelPieces, sizeBytes: number): boolean {
  return pieceHashes.length === Math.ceil(sizeBytes / pieceBytes);
}

/** The piece size for a file, in bytes: 4 MiB, or more if that would make too many pieces. */
export function pieceBytesFor(sizeBytes: number): number {
  let bytes = 4 * 2 ** 20;
  while (Math.ceil(sizeBytes / bytes) > maxPieces && bytes < maxPieceBytes) bytes *= 2;
  return bytes;
}

/**
 * Checks only the shape: app/ has no `URL`. The downloading device parses it, and judges the address that its name
 * leads to. The addresses refused here would lead to the device itself.
 */
function isFetchableUrl(source: string): boolean {
  return /^https:\/\/[^\s/?#@\\]+\/[^\s\\]*$/.test(source) && !ownAddress.test(source);
}

const ownAddress =
  /^https:\/\/(([^/:]+\.)?localhost\.?|0|127|127\.[\d.]+|0\.[\d.]+|169\.254\.[\d.]+|\[(::|fe[89ab])[^/]*)(:|\/)/i;
