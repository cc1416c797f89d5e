import type { Doc, Id, MutationCtx } from "../../builders.ts";
import { maintenance } from "../references.ts";
import { present } from "../refuse.ts";
import { tryAgainAfter } from "../tryAgain.ts";
import { disarmFold, foldEveryMs } from "./armFold.ts";
import { concludeIfComplete } from "./conclude.ts";
import { withEnds } from "./counts.ts";

/** Ends that one count takes; fewer while jobs are added, which write the batch, too: a long count would lose to each. */
const piece = 500;
const pieceWhileOpen = 100;
/**
 * Younger ones are left for the next count: their neighbours may still be under way, and would collide with it. As long
 * as a function may run: on a busy backend a count that lost its races again and again would be put off for minutes.
 */
const settledForMs = 1_000;

type Fold = {
  readonly batchId: Id<"batches">;
  /** How often `onDone` has thrown. */
  readonly failures?: number | undefined;
};

/** Counts a piece of a batch's ends, each exactly once since it goes with its row; ends the batch after the last. */
export async function foldBatch(ctx: MutationCtx, fold: Fold, now: number): Promise<void> {
  const { batchId, failures = 0 } = fold;
  const batch = await ctx.db.get("batches", batchId);
  if (batch === null) return;
  const most = batch.status === "open" ? pieceWhileOpen : piece;
  const counted = await countPiece(ctx, batch, { before: now - settledForMs, most });

  const folded = present(await ctx.db.get("batches", batchId), "folded batch");
  switch (await concludeIfComplete(ctx, folded, now)) {
    case "done":
      await disarmFold(ctx, batchId);
      return;
    case "threw":
      await ctx.scheduler.runAfter(tryAgainAfter(failures), maintenance.foldBatch, {
        batchId,
        failures: failures + 1,
      });
      return;
    case "not-yet":
      await goOn(ctx, batchId, counted === most);
  }
}

async function countPiece(
  ctx: MutationCtx,
  batch: Doc<"batches">,
  { before, most }: { readonly before: number; readonly most: number },
): Promise<number> {
  const ends = await ctx.db
    .query("batchEnds")
    .withIndex("by_batch", (q) => q.eq("batchId", batch._id).lt("_creationTime", before))
    .take(most);
  if (ends.length === 0) return 0;
  await Promise.all(ends.map((end) => ctx.db.delete("batchEnds", end._id)));
  await ctx.db.patch("batches", batch._id, withEnds(batch, ends));
  return ends.length;
}

async function goOn(ctx: MutationCtx, batchId: Id<"batches">, more: boolean): Promise<void> {
  if (more) {
    await ctx.scheduler.runAfter(0, maintenance.foldBatch, { batchId });
    return;
  }
  const next = await ctx.db
    .query("batchEnds")
    .withIndex("by_batch", (q) => q.eq("batchId", batchId))
    .first();
  if (next === null) await disarmFold(ctx, batchId);
  else await ctx.scheduler.runAfter(foldEveryMs, maintenance.foldBatch, { batchId });
}
