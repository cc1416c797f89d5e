import { requirements } from "@gleaner/queue/validators";
import type { PaginationOptions, PaginationResult } from "convex/server";
import { type Infer, v } from "convex/values";
import { omit } from "convex-helpers";
import { mergedStream, stream } from "convex-helpers/server/stream";
import { type BatchStatus, batchStatuses } from "../../../app/batches/limits.ts";
import { shownId } from "../../../app/batches/openai-objects.ts";
import { visibleText } from "../../../app/format/visible.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import schema from "../../schema.ts";
import { keysOf } from "../keys/apiKeys.ts";
import { may, type MemberCtx, visibleOwners } from "../memberCalls.ts";
import { checkCursors, pageSize } from "../refuse.ts";
import { requirementsOf } from "../requests/needs.ts";
import { batchView, batchViewOf } from "./batches.ts";
import { batchWait, type BatchWaits, newestJob, waitsOfBatches } from "./waits.ts";

type Ctx = QueryCtx & MemberCtx;

/** The API's own fields, which the console shows in other ways or not at all. */
const hidden: ("inputFileId" | "outputFileId" | "errorFileId" | "metadata" | "requires" | "wrongLines")[] = [
  "inputFileId",
  "outputFileId",
  "errorFileId",
  "metadata",
  "requires",
  "wrongLines",
];

/** A batch as the console shows it: with names, and without the content of its requests and answers. */
export const batchRow = v.object({
  ...omit(batchView.fields, hidden),
  /** The name of the file with its requests; null once that is deleted. */
  fileName: v.union(v.string(), v.null()),
  /** Null for those who see no keys. */
  keyId: v.union(v.id("apiKeys"), v.null()),
  keyName: v.string(),
  /** Null for those who see no money. */
  priceMicro: v.union(v.int64(), v.null()),
  wait: v.union(batchWait, v.null()),
});

/** Ids as the API takes them. Null: there is no such file, or not anymore. */
const fileLink = v.union(
  v.object({ fileId: v.string(), bytes: v.number(), expiresAt: v.number() }),
  v.null(),
);

export const batchDetail = v.object({
  ...batchRow.fields,
  /** Requirements of its jobs on devices, other than those of their own requests. */
  requirements: requirements.omit("model", "contextTokens", "tags"),
  wrongLines: batchView.fields.wrongLines,
  output: fileLink,
  error: fileLink,
  /** Whether it has jobs. A refused request has none, and old jobs are deleted. */
  hasJobs: v.boolean(),
});

async function batchRowOf(
  ctx: Ctx,
  batch: Doc<"batches">,
  waits: BatchWaits,
): Promise<Infer<typeof batchRow>> {
  const [file, key] = await Promise.all([
    ctx.db.get("files", batch.inputFileId),
    ctx.db.get("apiKeys", batch.apiKeyId),
  ]);
  return {
    ...omit(batchViewOf(batch), hidden),
    fileName: file === null ? null : visibleText(file.name),
    keyId: may(ctx, "keys.read") ? batch.apiKeyId : null,
    keyName: visibleText(key?.name ?? ""),
    priceMicro: may(ctx, "money.read") ? batch.priceMicro : null,
    wait: waits.get(batch._id) ?? null,
  };
}

export async function batchDetailOf(ctx: Ctx, batch: Doc<"batches">): Promise<Infer<typeof batchDetail>> {
  const waits = await waitsOfBatches(ctx, ctx.organizationId, [batch]);
  const [row, job, output, error] = await Promise.all([
    batchRowOf(ctx, batch, waits),
    newestJob(ctx, batch),
    fileLinkOf(ctx, batch.outputFileId),
    fileLinkOf(ctx, batch.errorFileId),
  ]);
  const wrongLines = (batch.wrongLines ?? []).map((line) => ({
    ...line,
    customId: visibleText(line.customId),
  }));
  // Those of a job have the requirements of the key in them.
  const needs = job === null ? requirementsOf(batch.requires ?? {}) : job.requirements;
  return {
    ...row,
    requirements: omit(needs, ["model", "contextTokens", "tags"]),
    wrongLines,
    output,
    error,
    hasJobs: job !== null,
  };
}

async function fileLinkOf(ctx: Ctx, fileId: Id<"files"> | undefined): Promise<Infer<typeof fileLink>> {
  const file = fileId === undefined ? null : await ctx.db.get("files", fileId);
  if (file === null) return null;
  return { fileId: shownId("file", file._id), bytes: file.bytes, expiresAt: file.expiresAt };
}

const openStatuses: readonly BatchStatus[] = ["validating", "in_progress", "cancelling"];

/** Which batches are listed. The key is one that the member may see. */
type BatchFilter = {
  readonly status?: BatchStatus | "open" | undefined;
  readonly key?: Doc<"apiKeys"> | undefined;
};

const mostInPage = 50;
/** The most rows that one page skips because they have another status. The page may then be short. */
const mostRowsRead = 250;

/** A page of the batches that the member may see, newest first. */
export async function batchRowPage(
  ctx: Ctx,
  { status, key }: BatchFilter,
  { cursor, endCursor = null, numItems }: PaginationOptions,
): Promise<PaginationResult<Infer<typeof batchRow>>> {
  checkCursors({ cursor, endCursor, numItems });
  const wanted = status === undefined ? batchStatuses : status === "open" ? openStatuses : [status];
  const owners = visibleOwners(ctx);
  const keys = key !== undefined ? [key] : owners === null ? null : await keysOf(ctx, owners);
  if (keys?.length === 0) return { page: [], isDone: true, continueCursor: "" };
  const rows = () => stream(ctx.db, schema).query("batches");
  const { organizationId } = ctx;
  const streams =
    keys === null
      ? wanted.map((each) =>
          rows()
            .withIndex("by_organization", (q) => q.eq("organizationId", organizationId).eq("status", each))
            .order("desc"),
        )
      : keys.map(({ _id }) =>
          rows()
            .withIndex("by_key", (q) => q.eq("apiKeyId", _id))
            .order("desc"),
        );
  const found = await mergedStream(streams, ["_creationTime"])
    .filterWith(async (batch) => wanted.includes(batch.status))
    .paginate({
      cursor,
      endCursor,
      numItems: pageSize(numItems, mostInPage),
      maximumRowsRead: mostRowsRead,
    });
  const waits = await waitsOfBatches(ctx, organizationId, found.page);
  return { ...found, page: await Promise.all(found.page.map((batch) => batchRowOf(ctx, batch, waits))) };
}
