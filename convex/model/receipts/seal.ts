import { type MerkleLevels, merkleLevels, merkleRoot } from "../../../app/receipts/merkle.ts";
import { noSeal, receiptSealText } from "../../../app/receipts/receipt.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { minAgeMs, wholeMoments } from "../auditSeals.ts";
import { hashSecret as sha256 } from "../authenticate.ts";
import { organizationKey } from "../models/organizationKey.ts";

/** Receipts of one seal at most, apart from those of one moment. Reading one receipt reads all of its seal. */
export const receiptsPerSeal = 128;

/**
 * Seals an organization's next receipts. Ends of jobs only insert younger ones, so they never conflict with it.
 * @returns whether more are left.
 */
export async function sealNextReceipts(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  now: number,
): Promise<boolean> {
  const last = await ctx.db
    .query("receiptSeals")
    .withIndex("by_number", (q) => q.eq("organizationId", organizationId))
    .order("desc")
    .first();
  const found = await ctx.db
    .query("receipts")
    .withIndex("by_organization", (q) =>
      q
        .eq("organizationId", organizationId)
        .gt("_creationTime", last?.to ?? 0)
        .lt("_creationTime", now - minAgeMs),
    )
    .take(receiptsPerSeal + 1);
  const rows = wholeMoments(found, receiptsPerSeal);
  const [first, end] = [rows[0], rows.at(-1)];
  if (first === undefined || end === undefined) return false;
  const seal = {
    organizationId,
    number: (last?.number ?? 0) + 1,
    count: rows.length,
    root: merkleRoot(await levelsOf(rows)),
    previous: last?.hash ?? noSeal,
  };
  const text = receiptSealText(seal);
  const key = await organizationKey(organizationId, "present");
  await ctx.db.insert("receiptSeals", {
    ...seal,
    hash: await sha256(text),
    ...(key === null ? {} : { signedBy: { key: key.publicKey, signature: await key.sign(text) } }),
    from: first._creationTime,
    to: end._creationTime,
    at: now,
  });
  return found.length > rows.length;
}

/** The tree over receipts in the order of creation. */
export async function levelsOf(rows: readonly Doc<"receipts">[]): Promise<MerkleLevels> {
  return await merkleLevels(
    rows.map(({ entry }) => entry),
    sha256,
  );
}
