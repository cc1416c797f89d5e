import { receiptStatement } from "../signatures/statements.ts";
import { type Hash, rootOfProof } from "./merkle.ts";
import {
  entryText,
  noSeal,
  type Receipt,
  receiptSchema,
  receiptSealText,
  receiptVersion,
} from "./receipt.ts";

/** The cryptography of the program that checks. `isSigned`: Ed25519 over UTF-8, keys and signatures in base64url. */
export type ReceiptCrypto = {
  readonly hash: Hash;
  readonly isSigned: (publicKey: string, signature: string, text: string) => Promise<boolean>;
};

type Read =
  { readonly kind: "receipt"; readonly receipt: Receipt } | { readonly kind: "wrong"; readonly why: string };

/** Reads a receipt from JSON. */
export function readReceipt(value: unknown): Read {
  const parsed = receiptSchema.safeParse(value);
  if (parsed.success) return { kind: "receipt", receipt: parsed.data };
  const { object, version } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (object !== "receipt") return { kind: "wrong", why: "This file is not a receipt." };
  if (typeof version === "number" && version > receiptVersion)
    return { kind: "wrong", why: "This receipt has a newer format. Update Gleaner to check it." };
  const [issue] = parsed.error.issues;
  const path = issue?.path.join(".") ?? "";
  const why =
    issue?.code === "unrecognized_keys"
      ? `This receipt has a field that receipts do not have${path === "" ? "" : ` in ${path}`}.`
      : `This receipt is incomplete: field ${path} is missing or wrong.`;
  return { kind: "wrong", why };
}

export const notSealedYet =
  "This receipt is not sealed yet, so nothing vouches for the device's key. Get it again in two minutes.";

/**
 * Why a receipt proves nothing; null if all fits: the device signed its claim, the claim is in the seal, and the organization's
 * key signed the seal.
 * @param key the organization's public key, or its beginning, if the reader knows it. Null: the one that the receipt names.
 */
export async function receiptProblem(
  receipt: Receipt,
  { hash, isSigned }: ReceiptCrypto,
  key: string | null,
): Promise<string | null> {
  const { claim, device, settled, seal } = receipt;
  if (!(await isSigned(device.key, device.signature, receiptStatement(claim))))
    return "The device's signature does not fit: a field of its claim, or the signature, was changed.";
  if (claim.jobId !== settled.jobId) return "The device's claim is about another job.";
  if (seal === null) return notSealedYet;
  if (seal.organizationId !== settled.organizationId) return "The seal is another organization's.";
  if ((await rootOfProof(entryText(receipt), seal.proof, hash)) !== seal.root)
    return "The receipt is not in its seal: a field was changed after it was sealed.";
  const text = receiptSealText(seal);
  if ((await hash(text)) !== seal.hash || (seal.number === 1) !== (seal.previous === noSeal))
    return "The seal was changed.";
  if (seal.signedBy === null)
    return "The seal is not signed: the server had no signing key. Nothing vouches for the device's key.";
  if (key !== null && !seal.signedBy.key.startsWith(key))
    return "The seal is signed with another key than the one that you named.";
  if (!(await isSigned(seal.signedBy.key, seal.signedBy.signature, text)))
    return "The organization's signature of the seal does not fit.";
  return null;
}

/**
 * Why receipts do not fit together; null if they do: each job has one, and the seals of each organization have one key and are in one
 * chain. Seals between theirs may be missing.
 */
export function chainProblem(receipts: readonly Receipt[]): string | null {
  const known = new Map<string, string>();
  const keys = new Map<string, string>();
  const jobs = new Set<string>();
  for (const { settled } of receipts) {
    if (jobs.has(settled.jobId)) return `Job ${settled.jobId} is in the file twice.`;
    jobs.add(settled.jobId);
  }
  const seals = receipts.flatMap(({ seal }) => (seal === null ? [] : [seal]));
  for (const { organizationId, number, hash, signedBy } of seals) {
    const name = `${organizationId} ${String(number)}`;
    if ((known.get(name) ?? hash) !== hash) return `There are two seals with number ${String(number)}.`;
    known.set(name, hash);
    // The hash of a seal is public, so anybody can add a seal to a chain with a key of their own.
    const key = signedBy?.key ?? "";
    if ((keys.get(organizationId) ?? key) !== key)
      return "The seals of one organization have different keys. If it changed its key, check the receipts of each key in a file of their own.";
    keys.set(organizationId, key);
  }
  for (const { organizationId, number, previous } of seals) {
    const before = known.get(`${organizationId} ${String(number - 1)}`);
    if (before !== undefined && before !== previous)
      return `Seal ${String(number)} does not follow the seal before it.`;
  }
  return null;
}
