import crons from "@convex-dev/crons/test";
import { convexTest, type TestConvex } from "convex-test";
import { anyApi } from "convex/server";
import { vi } from "vitest";
import type { Doc, Id } from "../builders.ts";
import type { QueueComponent } from "../component.ts";
import { move } from "../model/jobs/move.ts";
import { present } from "../model/refuse.ts";
import schema from "../schema.ts";
import type { JobSpec } from "../validators.ts";

const modules = {
  ...import.meta.glob(["../**/*.*s", "!../**/*.test.ts", "!../**/*.fixture.ts"]),
  // Where the root is, is found by the folder that code generation would make.
  "../_generated/api.js": async () => ({}),
};

export type Backend = TestConvex<typeof schema>;

/** The component alone, with its real functions and its real schema. */
export function startQueue(): Backend {
  const t = convexTest(schema, modules);
  crons.register(t);
  return t;
}

/** The component's functions as its app calls them. */
export const queue = anyApi as unknown as QueueComponent;

export const scope = "acme";

/** Submits jobs of kind "hash" (or as said), which have to be taken. @returns their ids. */
export async function submitJobs(
  t: Backend,
  jobs: readonly Partial<JobSpec>[],
  options: { readonly scope?: string; readonly batchId?: string } = {},
): Promise<Id<"jobs">[]> {
  const outcome = await t.mutation(queue.jobs.submit, {
    scope,
    jobs: jobs.map((job) => ({ kind: "hash", payload: { file: "a" }, ...job })),
    ...options,
  });
  if (outcome.kind !== "submitted") throw new Error(`not submitted: ${outcome.kind}`);
  return outcome.jobIds as Id<"jobs">[];
}

export async function submitJob(t: Backend, job: Partial<JobSpec> = {}): Promise<Id<"jobs">> {
  const [jobId] = await submitJobs(t, [job]);
  return present(jobId, "job id");
}

export async function jobRow(t: Backend, jobId: string): Promise<Doc<"jobs">> {
  const job = await t.run(async (ctx) => await ctx.db.get("jobs", jobId as Id<"jobs">));
  return present(job, "job");
}

/** Runs everything that is scheduled up to so many milliseconds from now, in its order. Wants fake timers. */
export async function passTime(t: Backend, ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
  await t.finishInProgressScheduledFunctions();
  // What those scheduled for at once.
  for (let round = 0; round < 50; round += 1) {
    await vi.advanceTimersByTimeAsync(0);
    await t.finishInProgressScheduledFunctions();
  }
}

/** A job that a worker runs, by the model's own moves: for tests that are not about claims. */
export async function runByHand(t: Backend, jobId: string): Promise<Id<"attempts">> {
  return await t.run(async (ctx) => {
    const job = present(await ctx.db.get("jobs", jobId as Id<"jobs">), "job");
    const now = Date.now();
    const keyHash = crypto.randomUUID();
    const workerId = await ctx.db.insert("workers", {
      scope: job.scope,
      keyHash,
      externalId: "device-1",
      name: "Laptop",
      status: "active",
      groups: [],
      dataClasses: [],
      online: true,
      position: 0,
      life: 0,
      registeredAt: now,
      lastChangeAt: now,
    });
    const attemptId = await ctx.db.insert("attempts", {
      scope: job.scope,
      jobId: job._id,
      laneId: job.laneId,
      workerId,
      keyHash,
      kind: job.kind,
      number: job.attempts + 1,
      status: "running",
      open: true,
      claimedAt: now,
    });
    await move(ctx, job, { kind: "claim", begun: true }, now, {
      job: { currentAttemptId: attemptId, attempts: job.attempts + 1 },
    });
    return attemptId;
  });
}
