import type { Doc, MutationCtx } from "../../builders.ts";

/** Notes the end of a batch's job; counted later, so that the ends of two jobs never collide. */
export async function noteEnd(ctx: MutationCtx, job: Doc<"jobs">): Promise<void> {
  if (job.batchId === undefined) return;
  throw new Error("batches: not yet");
}
