import type { Doc, MutationCtx } from "../../builders.ts";
import { armFold } from "./armFold.ts";
import { concludeIfComplete } from "./conclude.ts";

/** No more jobs come: the batch is done once all are final; at once when they are, or when it has none. */
export async function seal(ctx: MutationCtx, batch: Doc<"batches">, now: number): Promise<void> {
  if (batch.status !== "open") return;
  await ctx.db.patch("batches", batch._id, { status: "sealed" });
  const outcome = await concludeIfComplete(ctx, { ...batch, status: "sealed" }, now);
  if (outcome === "threw") await armFold(ctx, batch._id, { delayMs: 1_000 });
}
