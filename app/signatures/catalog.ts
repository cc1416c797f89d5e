import { canonicalJson } from "./canonical-json.ts";
import { statement } from "./statements.ts";

/*
 * The organization's key signs its catalog. A device pins the public key when it enrolls and accepts no other one, unless
 * the pinned key signed it.
 */

/** One key hands over to the next: `signature` is by `from`. */
export type Handover = { readonly from: string; readonly to: string; readonly signature: string };

/** The most handovers that are kept. A device that missed more has to be told the new key by a person. */
export const maxHandovers = 20;

/** The signed fields of a model. A later version of Gleaner may send others, which are not signed by this statement. */
const signedFields = [
  "modelId",
  "source",
  "sha256",
  "sizeBytes",
  "licence",
  "contextTokens",
  "template",
  "piecesHash",
] as const;

/** A model as the backend offers it. It may have more fields than are signed. */
export type SignableModel = Readonly<Partial<Record<(typeof signedFields)[number], unknown>>>;

export function catalogStatement(
  organizationId: string,
  version: number,
  models: readonly SignableModel[],
): string {
  const signed = models.map((model) =>
    canonicalJson(Object.fromEntries(signedFields.map((field) => [field, model[field]]))),
  );
  return statement("gleaner.catalog", 1, { organizationId, version, models: signed.sort() });
}

/** The text that the old key signs for the new one. */
export function handoverStatement(organizationId: string, from: string, to: string): string {
  return statement("gleaner.catalog-key", 1, { organizationId, from, to });
}

/** The text whose hash a catalog has for the pieces of a model's file. */
export function piecesText({
  pieceBytes,
  pieceHashes,
}: {
  readonly pieceBytes: number;
  readonly pieceHashes: readonly string[];
}): string {
  return canonicalJson({ pieceBytes, pieceHashes });
}

/** The part of a public key that people compare: its first 120 bits, in groups of four characters. */
export function keyFingerprint(publicKey: string): string {
  return (publicKey.slice(0, 20).match(/.{4}/g) ?? []).join(" ");
}
