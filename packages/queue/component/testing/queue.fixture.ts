import crons from "@convex-dev/crons/test";
import { anyApi } from "convex/server";
import { ConvexError } from "convex/values";
import { convexTest, type TestConvex } from "convex-test";
import { vi } from "vitest";
import type { JobSpec } from "../../shared/validators.ts";
import type { QueueComponent } from "../component.ts";
import type { Doc, Id } from "../model/builders.ts";
import { present } from "../model/refuse.ts";
import { schema } from "../model/schema.ts";

const modules = {
  ...import.meta.glob(["../**/*.*s", "!../**/*.test.ts", "!../**/*.fixture.ts"]),
  // convex-test finds the root by the folder that code generation would create.
  "../_generated/api.js": async () => ({}),
};

export type Backend = TestConvex<typeof schema>;

/**
 * Starts the component without an app, with its real functions and schema. `limits`: what a call may read; unlimited by default.
 */
export function startQueue(limits: { readonly documentsRead?: number } | null = null): Backend {
  const t = convexTest({ schema, modules, transactionLimits: limits ?? false });
  crons.register(t);
  return t;
}

/** The component's functions as its app calls them. */
export const queue = anyApi as unknown as QueueComponent;

export const scope = "acme";

/** Submits jobs, of kind "hash" by default, that must be accepted. @returns their ids. */
export async function submitJobs(
  t: Backend,
  jobs: readonly Partial<JobSpec>[],
  options: {
    readonly scope?: string;
    readonly batchId?: string;
    readonly handOver?: boolean;
    readonly slowerByMs?: number;
  } = {},
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

/** Runs everything that is scheduled within this time, in order. Needs fake timers. */
export async function passTime(t: Backend, ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
  await t.finishInProgressScheduledFunctions();
  // Functions scheduled for now run a millisecond later with fake timers.
  while (await isAnythingDue(t)) {
    await vi.advanceTimersByTimeAsync(1);
    await t.finishInProgressScheduledFunctions();
  }
}

async function isAnythingDue(t: Backend): Promise<boolean> {
  return await t.run(async (ctx) => {
    const scheduled = await ctx.db.system.query("_scheduled_functions").collect();
    return scheduled.some(
      ({ state, scheduledTime }) =>
        (state.kind === "pending" && scheduledTime <= Date.now()) || state.kind === "inProgress",
    );
  });
}

/** The code with which a call is refused. */
export async function refused(call: Promise<unknown>): Promise<string> {
  try {
    await call;
  } catch (error) {
    if (error instanceof ConvexError) return (error.data as { code: string }).code;
    throw error;
  }
  throw new Error("The call was not refused.");
}
