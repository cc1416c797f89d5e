import type { Infer } from "convex/values";
import { batchLimits } from "../../../app/batches/limits.ts";
import type { Doc } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import type { wrongLine } from "../validators/batches.ts";

/*
 * The lines of a batch whose answers checks found wrong. The answer stays in the batch's file, so the batch names the line, and the job that
 * answers its request again.
 */

type WrongLine = Infer<typeof wrongLine>;
type Named = Pick<WrongLine, "customId" | "jobId" | "index">;
type Outcome = Omit<WrongLine, keyof Named>;

/** Notes in its batch that a job's answer was found wrong. Does nothing if the job belongs to none. */
export async function addWrongLine(
  ctx: MutationCtx,
  { batchLine, jobId }: Pick<Doc<"orders">, "batchLine" | "jobId">,
): Promise<void> {
  const batch = batchLine === undefined ? null : await ctx.db.get("batches", batchLine.batchId);
  if (batchLine === undefined || batch === null) return;
  const { wrongLines = [], wrongCount = 0 } = batch;
  const { customId, index } = batchLine;
  const added = { customId, jobId, ...(index === undefined ? {} : { index }) };
  await ctx.db.patch("batches", batch._id, {
    wrongLines: wrongLines.length < batchLimits.namedWrongLines ? [...wrongLines, added] : wrongLines,
    wrongCount: wrongCount + 1,
  });
}

/** Notes which job answers the request again, or why none does, or why none does yet. */
export async function noteWrongLine(
  ctx: MutationCtx,
  { batchLine, jobId }: Pick<Doc<"orders">, "batchLine" | "jobId">,
  outcome: Outcome,
): Promise<void> {
  const batch = batchLine === undefined ? null : await ctx.db.get("batches", batchLine.batchId);
  if (batch?.wrongLines?.some((line) => line.jobId === jobId) !== true) return;
  const wrongLines = batch.wrongLines.map((line) =>
    line.jobId === jobId ? { ...withoutOutcome(line), ...outcome } : line,
  );
  await ctx.db.patch("batches", batch._id, { wrongLines });
}

function withoutOutcome({ customId, jobId, index }: WrongLine): Named {
  return { customId, jobId, ...(index === undefined ? {} : { index }) };
}
