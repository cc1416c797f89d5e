import type { Doc, Id, MutationCtx } from "../../builders.ts";
import { settleOne } from "../dependencies/settle.ts";
import { cancel } from "../end/cancel.ts";
import { expireOne } from "../end/expire.ts";
import { revive } from "../end/retry.ts";
import { lose } from "../leases/markLost.ts";
import type { Step } from "./stepAlone.ts";

/** Takes a step if it is still to be taken: `stepAlone` asks for it. */
export async function takeStep(ctx: MutationCtx, step: Step, now: number): Promise<void> {
  switch (step.kind) {
    case "cancel":
      await withJob(ctx, step.jobId, async (job) => await cancel(ctx, job, now));
      return;
    case "expire":
      await withJob(ctx, step.jobId, async (job) => {
        await expireOne(ctx, job, now);
      });
      return;
    case "revive":
      await withJob(ctx, step.jobId, async (job) => await revive(ctx, job, now));
      return;
    case "lose": {
      const attempt = await ctx.db.get("attempts", step.attemptId);
      if (attempt?.open === true) await lose(ctx, attempt, now);
      return;
    }
    case "settle": {
      const row = await ctx.db.get("dependencies", step.dependencyId);
      if (row !== null) await settleOne(ctx, row, now);
    }
  }
}

async function withJob(
  ctx: MutationCtx,
  jobId: Id<"jobs">,
  take: (job: Doc<"jobs">) => Promise<unknown>,
): Promise<void> {
  const job = await ctx.db.get("jobs", jobId);
  if (job !== null) await take(job);
}
