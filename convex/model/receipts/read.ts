import { merkleProof } from "../../../app/receipts/merkle.ts";
import { type Receipt, type ReceiptEntry, receiptVersion } from "../../../app/receipts/receipt.ts";
import type { Doc } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { hashSecret as sha256 } from "../authenticate.ts";
import { refuse } from "../refuse.ts";
import { receiptsPerSeal, textsOf } from "./seal.ts";

/** Rows of one moment may be more than a seal has otherwise. */
const mostRows = 4 * receiptsPerSeal;

/**
 * The receipt of a job, as JSON. `seal` is null until the next seal. Refuses (not_found) a job without one: it has no answer, or a
 * device of an earlier version gave it.
 */
export async function receiptOf(ctx: QueryCtx, { jobId }: Doc<"orders">): Promise<string> {
  const row = await ctx.db
    .query("receipts")
    .withIndex("by_job", (q) => q.eq("jobId", jobId))
    .unique();
  if (row === null) {
    return refuse(
      "not_found",
      "This job has no receipt. Only answered jobs have one, and only from devices whose Gleaner is new enough to sign it.",
    );
  }
  const entry = JSON.parse(row.entry) as ReceiptEntry;
  const receipt: Receipt = {
    object: "receipt",
    version: receiptVersion,
    claim: entry.claim,
    device: entry.device,
    settled: entry.settled,
    seal: await sealOf(ctx, row),
  };
  return JSON.stringify(receipt);
}

async function sealOf(ctx: QueryCtx, row: Doc<"receipts">): Promise<Receipt["seal"]> {
  const seal = await ctx.db
    .query("receiptSeals")
    .withIndex("by_end", (q) => q.eq("organizationId", row.organizationId).gte("to", row._creationTime))
    .first();
  if (seal === null) return null;
  const rows = await ctx.db
    .query("receipts")
    .withIndex("by_organization", (q) =>
      q
        .eq("organizationId", row.organizationId)
        .gte("_creationTime", seal.from)
        .lte("_creationTime", seal.to),
    )
    .take(mostRows);
  const index = rows.findIndex(({ _id }) => _id === row._id);
  const { organizationId, number, count, root, previous, hash, signedBy = null } = seal;
  const proof = await merkleProof(textsOf(rows), index, sha256);
  return { organizationId, number, count, root, previous, hash, signedBy, proof };
}
