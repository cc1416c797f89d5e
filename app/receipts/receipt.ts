import * as z from "zod";
import { energySources } from "../energy/job-energy.ts";
import { canonicalJson } from "../signatures/canonical-json.ts";
import { hashPattern, publicKeyPattern, signaturePattern, statement } from "../signatures/statements.ts";

/** The version of the format. A change of the fields, or of the signed texts, needs a new one. */
export const receiptVersion = 1;

const id = z.string().min(1).max(100);
const hash = z.string().regex(hashPattern);
const publicKey = z.string().regex(publicKeyPattern);
const signature = z.string().regex(signaturePattern);
const count = z.int().min(0);

/** The report of a device. A later version may report more, which its signature covers, too. */
const report = z.looseObject({
  usage: z.looseObject({ promptTokens: count, completionTokens: count }),
  model: hash,
  energy: z.strictObject({ microWh: count, source: z.enum(energySources) }).optional(),
});

/** The claim that the device signed, as `receiptStatement` in app/signatures/ writes it. */
const claim = z.strictObject({
  attemptId: id,
  deviceId: id,
  jobId: id,
  requestHash: hash,
  answerHash: hash,
  resultHash: hash,
  report,
});

/** The facts that the organization adds: it decides the price, and knows its devices and rules. */
const settled = z.strictObject({
  organizationId: id,
  jobId: id,
  /** The model's name. */
  model: z.string().max(200),
  /** Null if it was not known. */
  deviceClass: z.string().max(200).nullable(),
  /** The newest versions of the rules for the device when the job ended: of its groups, and of everybody (""). */
  policy: z.array(z.strictObject({ group: z.string().max(200), version: count })).max(100),
  /** Millionths of a credit, as text: it may be more than a number of JSON can hold. */
  priceMicro: z.string().regex(/^\d{1,30}$/),
  /** ms epoch. */
  at: z.number(),
});

/** A receipt before it is sealed: the text of these fields is a leaf of the seal's tree. */
const entry = {
  claim,
  device: z.strictObject({ key: publicKey, signature }),
  settled,
};

/** Closes some receipts of an organization. Each seal has the hash of the one before: they are a chain. */
const seal = z.strictObject({
  organizationId: id,
  /** From 1, without gaps. */
  number: z.int().min(1),
  count: z.int().min(1),
  /** The root of the Merkle tree over the receipts. */
  root: hash,
  /** The hash of the seal before; `noSeal` for the first. */
  previous: hash,
  /** The hash of all that. */
  hash,
});

export const receiptSchema = z.strictObject({
  object: z.literal("receipt"),
  version: z.literal(receiptVersion),
  ...entry,
  /** Null until the next seal, which comes within two minutes. */
  seal: z
    .strictObject({
      ...seal.shape,
      /** The organization's signature of the seal. Null if its deployment had no signing key. */
      signedBy: z.strictObject({ key: publicKey, signature }).nullable(),
      /** From the receipt to the root. */
      proof: z.array(z.strictObject({ side: z.enum(["left", "right"]), hash })).max(32),
    })
    .nullable(),
});

export type Receipt = z.infer<typeof receiptSchema>;
export type ReceiptEntry = Pick<Receipt, "claim" | "device" | "settled">;
export type ReceiptSeal = z.infer<typeof seal>;

export const noSeal = "0".repeat(64);

/** The text of a receipt in the tree of its seal. */
export function entryText({ claim, device, settled }: ReceiptEntry): string {
  return canonicalJson({ version: receiptVersion, claim, device, settled });
}

/** The text that the organization signs, and whose hash the next seal has. */
export function receiptSealText(of: Omit<ReceiptSeal, "hash">): string {
  const { organizationId, number, count: receipts, root, previous } = of;
  return statement("gleaner.receipt-seal", 1, { organizationId, number, count: receipts, root, previous });
}
