import { type MerkleLevels, merkleProof } from "../../../app/receipts/merkle.ts";
import { type Receipt, type ReceiptEntry, receiptVersion } from "../../../app/receipts/receipt.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { refuse } from "../refuse.ts";
import { levelsOf, receiptsPerSeal } from "./seal.ts";

/** Rows of one moment may be more than a seal has otherwise. */
const mostRows = 4 * receiptsPerSeal;

/** Each may need all receipts of its seal. */
export const mostReceipts = 50;

/** The seals whose receipts one call reads. Jobs of one time are in one seal, and a busy organization has many seals. */
const mostSeals = 10;

type Tree = { readonly ids: readonly Id<"receipts">[]; readonly levels: MerkleLevels };

/** The trees of the seals of one call, by number. */
type Trees = Map<number, Tree>;

/**
 * The receipts of these orders, each as JSON, in their order. Orders without one are left out.
 * @returns `read`: of how many orders. The others are in too many further seals for one call.
 */
export async function receiptsOf(
  ctx: QueryCtx,
  orders: readonly Doc<"orders">[],
): Promise<{ receipts: string[]; read: number }> {
  const found = await Promise.all(
    orders.map(async ({ jobId }) => {
      const row = await rowOf(ctx, jobId);
      return row === null ? null : { row, seal: await sealOf(ctx, row) };
    }),
  );
  const trees: Trees = new Map();
  const receipts: string[] = [];
  for (const [at, each] of found.entries()) {
    if (each === null) continue;
    const { row, seal } = each;
    if (seal !== null && trees.size === mostSeals && !trees.has(seal.number)) return { receipts, read: at };
    receipts.push(await textOf(ctx, row, seal, trees));
  }
  return { receipts, read: orders.length };
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
  return await textOf(ctx, row, await sealOf(ctx, row), new Map());
}

async function rowOf(ctx: QueryCtx, jobId: string): Promise<Doc<"receipts"> | null> {
  return await ctx.db
    .query("receipts")
    .withIndex("by_job", (q) => q.eq("jobId", jobId))
    .unique();
}

async function sealOf(ctx: QueryCtx, row: Doc<"receipts">): Promise<Doc<"receiptSeals"> | null> {
  return await ctx.db
    .query("receiptSeals")
    .withIndex("by_end", (q) => q.eq("organizationId", row.organizationId).gte("to", row._creationTime))
    .first();
}

async function textOf(
  ctx: QueryCtx,
  row: Doc<"receipts">,
  seal: Doc<"receiptSeals"> | null,
  trees: Trees,
): Promise<string> {
  const entry = JSON.parse(row.entry) as ReceiptEntry;
  const receipt: Receipt = {
    object: "receipt",
    version: receiptVersion,
    claim: entry.claim,
    device: entry.device,
    settled: entry.settled,
    seal: seal === null ? null : await provenSeal(ctx, row, seal, trees),
  };
  return JSON.stringify(receipt);
}

async function provenSeal(
  ctx: QueryCtx,
  { _id }: Doc<"receipts">,
  seal: Doc<"receiptSeals">,
  trees: Trees,
): Promise<Receipt["seal"]> {
  const { organizationId, number, count, root, previous, hash, signedBy = null } = seal;
  const { ids, levels } = trees.get(number) ?? (await treeOf(ctx, seal));
  trees.set(number, { ids, levels });
  const proof = merkleProof(levels, ids.indexOf(_id));
  return { organizationId, number, count, root, previous, hash, signedBy, proof };
}

async function treeOf(ctx: QueryCtx, { organizationId, from, to }: Doc<"receiptSeals">): Promise<Tree> {
  const rows = await ctx.db
    .query("receipts")
    .withIndex("by_organization", (q) =>
      q.eq("organizationId", organizationId).gte("_creationTime", from).lte("_creationTime", to),
    )
    .take(mostRows);
  return { ids: rows.map((row) => row._id), levels: await levelsOf(rows) };
}
