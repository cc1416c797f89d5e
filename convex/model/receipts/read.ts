import { merkleProof } from "../../../app/receipts/merkle.ts";
import { type Receipt, type ReceiptEntry, receiptVersion } from "../../../app/receipts/receipt.ts";
import type { Doc } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { hashSecret as sha256 } from "../authenticate.ts";
import { refuse } from "../refuse.ts";
import { receiptsPerSeal, textsOf } from "./seal.ts";

/** Rows of one moment may be more than a seal has otherwise. */
const mostRows = 4 * receiptsPerSeal;

/** The seals of one call, by number, with the texts of their receipts: jobs of one time are in one seal. */
type Seals = Map<number, Promise<readonly Doc<"receipts">[]>>;

/** The receipts of these orders, each as JSON, in their order. Orders without one are left out. */
export async function receiptsOf(ctx: QueryCtx, orders: readonly Doc<"orders">[]): Promise<string[]> {
  const seals: Seals = new Map();
  const receipts = await Promise.all(
    orders.map(async ({ jobId }) => {
      const row = await rowOf(ctx, jobId);
      return row === null ? [] : [await textOf(ctx, row, seals)];
    }),
  );
  return receipts.flat();
}

/**
 * The receipt of a job, as JSON. `seal` is null until the next seal. Refuses (not_found) a job without one: it has no answer, or a
 * device of an earlier version gave it.
 */
export async function receiptOf(ctx: QueryCtx, { jobId }: Doc<"orders">): Promise<string> {
  const row = await rowOf(ctx, jobId);
  if (row === null) {
    return refuse(
      "not_found",
      "This job has no receipt. Only answered jobs have one, and only from devices whose Gleaner is new enough to sign it.",
    );
  }
  return await textOf(ctx, row, new Map());
}

async function rowOf(ctx: QueryCtx, jobId: string): Promise<Doc<"receipts"> | null> {
  return await ctx.db
    .query("receipts")
    .withIndex("by_job", (q) => q.eq("jobId", jobId))
    .unique();
}

async function textOf(ctx: QueryCtx, row: Doc<"receipts">, seals: Seals): Promise<string> {
  const entry = JSON.parse(row.entry) as ReceiptEntry;
  const receipt: Receipt = {
    object: "receipt",
    version: receiptVersion,
    claim: entry.claim,
    device: entry.device,
    settled: entry.settled,
    seal: await sealOf(ctx, row, seals),
  };
  return JSON.stringify(receipt);
}

async function sealOf(ctx: QueryCtx, row: Doc<"receipts">, seals: Seals): Promise<Receipt["seal"]> {
  const seal = await ctx.db
    .query("receiptSeals")
    .withIndex("by_end", (q) => q.eq("organizationId", row.organizationId).gte("to", row._creationTime))
    .first();
  if (seal === null) return null;
  const read = seals.get(seal.number) ?? rowsOf(ctx, seal);
  seals.set(seal.number, read);
  const rows = await read;
  const index = rows.findIndex(({ _id }) => _id === row._id);
  const { organizationId, number, count, root, previous, hash, signedBy = null } = seal;
  const proof = await merkleProof(textsOf(rows), index, sha256);
  return { organizationId, number, count, root, previous, hash, signedBy, proof };
}

async function rowsOf(
  ctx: QueryCtx,
  { organizationId, from, to }: Doc<"receiptSeals">,
): Promise<readonly Doc<"receipts">[]> {
  return await ctx.db
    .query("receipts")
    .withIndex("by_organization", (q) =>
      q.eq("organizationId", organizationId).gte("_creationTime", from).lte("_creationTime", to),
    )
    .take(mostRows);
}
