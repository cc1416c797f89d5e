import { expect, it } from "vitest";
import { jobRow, startQueue, submitJobs } from "../../testing/queue.fixture.ts";
import { addWorker, heldBy, take } from "../../testing/workers.fixture.ts";
import { markLost } from "./expireLease.ts";

it("counts a started attempt as a failure, and an unstarted one never", async () => {
  const t = startQueue();
  const [begun = "", ahead = ""] = await submitJobs(t, [
    { priority: "high", policy: { maxFailures: 2 } },
    { policy: { maxFailures: 1 } },
  ]);
  // The only worker, so the whole ring is its home.
  const worker = await addWorker(t, { concurrency: 1, prefetch: 1 });
  for (const status of ["ready", "failed"]) {
    await take(t, worker, { jobs: 2 });
    expect(await heldBy(t, worker)).toMatchObject([{ jobId: begun }, { jobId: ahead, begun: false }]);
    await t.run(async (ctx) => {
      for (const attempt of await ctx.db.query("attempts").collect())
        if (attempt.open) await markLost(ctx, attempt, Date.now());
    });
    expect((await jobRow(t, begun)).status).toBe(status);
    expect(await jobRow(t, ahead)).toMatchObject({ status: "ready", failures: 0 });
  }
  expect(await jobRow(t, begun)).toMatchObject({ failures: 2, error: { code: "worker_lost" } });
});
