import { describe, expect, it } from "vitest";
import { jobRow, queue, scope, startQueue, submitJob, submitJobs } from "./testing/queue.fixture.ts";

describe("jobs.submit", () => {
  it("puts a job into its lane, ready, with its payload", async () => {
    const t = startQueue();
    const jobId = await submitJob(t, { requester: "ada", requirements: { model: "m", tags: ["b", "a"] } });
    expect(await t.query(queue.jobs.get, { scope, jobId })).toMatchObject({
      status: "ready",
      requester: "ada",
      requirements: { model: "m", tags: ["a", "b"] },
      priority: "normal",
      attempts: 0,
    });
    expect(await t.query(queue.jobs.payload, { scope, jobId })).toEqual({ payload: { file: "a" } });
    const lane = await t.run(
      async (ctx) => await ctx.db.get("lanes", (await ctx.db.get("jobs", jobId))!.laneId),
    );
    expect(lane).toMatchObject({ kind: "hash", state: "open", requirements: { tags: ["a", "b"] } });
  });

  it("makes one lane of equal requirements, whatever their order", async () => {
    const t = startQueue();
    const [one, two, three] = await submitJobs(t, [
      { requirements: { tags: ["b", "a"], gpu: false } },
      { requirements: { tags: ["a", "b", "a"] } },
      {},
    ]);
    const lanes = await Promise.all([one!, two!, three!].map(async (id) => (await jobRow(t, id)).laneId));
    expect(lanes[0]).toBe(lanes[1]);
    expect(lanes[2]).not.toBe(lanes[0]);
  });

  it("lets a watcher see a job, and cancels it", async () => {
    const t = startQueue();
    const jobId = await submitJob(t);
    expect(await t.query(queue.jobs.watch, { scope, jobId })).toEqual({
      status: "ready",
      attempt: 0,
      attemptId: null,
      chunks: [],
      attempts: 0,
      error: null,
    });
    expect(await t.mutation(queue.jobs.cancel, { scope, jobId })).toEqual({ kind: "canceled" });
    expect(await t.mutation(queue.jobs.cancel, { scope, jobId })).toEqual({
      kind: "already-final",
      status: "canceled",
    });
    expect(await t.mutation(queue.jobs.cancel, { scope: "other", jobId })).toEqual({ kind: "not-found" });
  });
});
