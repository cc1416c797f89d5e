import { limits } from "../../../app/jobs/limits.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { boundedInteger, refuse, wellFormed } from "../refuse.ts";
import { byteLength } from "../requests/check.ts";
import { passFence } from "./fence.ts";

/** Chunks of one attempt: at four a second, more than two hours of writing. */
const maxSeq = 32_768;

/**
 * Adds streamed text of a watched job, at most a result's worth per attempt. A `seq` that is not after the
 * last one changes nothing.
 */
export async function append(
  ctx: MutationCtx,
  device: Doc<"devices">,
  chunk: { readonly attemptId: Id<"attempts">; readonly seq: number; readonly text: string },
): Promise<{ kind: "ok" } | { kind: "fenced" }> {
  boundedInteger(chunk.seq, "seq", 0, maxSeq);
  const bytes = byteLength(chunk.text);
  if (bytes > limits.chunkBytes) refuse("too_large", "The chunk is too large.");
  wellFormed(chunk.text, "The chunk");
  const held = await passFence(ctx, device, chunk.attemptId);
  if (held === null) return { kind: "fenced" };
  if (!held.job.watched) return { kind: "ok" };
  const last = await ctx.db
    .query("chunks")
    .withIndex("by_attempt", (q) => q.eq("attemptId", chunk.attemptId))
    .order("desc")
    .first();
  // A watcher that has the last chunk would never see one before it.
  if (last !== null && chunk.seq <= last.seq) return { kind: "ok" };
  const endBytes = (last?.endBytes ?? 0) + bytes;
  if (endBytes > limits.resultBytes) refuse("too_large", "The attempt's text is too large.");
  await ctx.db.insert("chunks", { ...chunk, jobId: held.job._id, endBytes });
  return { kind: "ok" };
}
