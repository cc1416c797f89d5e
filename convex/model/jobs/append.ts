import { limits } from "../../../app/jobs/limits.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { boundedInteger, refuse } from "../refuse.ts";
import { byteLength } from "../requests/check.ts";
import { passFence } from "./fence.ts";

/** Chunks of one attempt: at four a second, more than two hours of writing. */
const maxSeq = 32_768;

/** Adds streamed text of a watched job. The same `seq` again changes nothing. */
export async function append(
  ctx: MutationCtx,
  device: Doc<"devices">,
  chunk: { readonly attemptId: Id<"attempts">; readonly seq: number; readonly text: string },
): Promise<{ kind: "ok" } | { kind: "fenced" }> {
  boundedInteger(chunk.seq, "seq", 0, maxSeq);
  if (byteLength(chunk.text) > limits.chunkBytes) refuse("too_large", "The chunk is too large.");
  const held = await passFence(ctx, device, chunk.attemptId);
  if (held === null) return { kind: "fenced" };
  if (!held.job.watched) return { kind: "ok" };
  const earlier = await ctx.db
    .query("chunks")
    .withIndex("by_attempt", (q) => q.eq("attemptId", chunk.attemptId).eq("seq", chunk.seq))
    .unique();
  if (earlier === null) await ctx.db.insert("chunks", { ...chunk, jobId: held.job._id });
  return { kind: "ok" };
}
