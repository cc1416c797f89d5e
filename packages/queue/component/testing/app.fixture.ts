import crons from "@convex-dev/crons/test";
import { mutationGeneric, queryGeneric } from "convex/server";
import { convexTest } from "convex-test";
import { vi } from "vitest";
import type { Id } from "../model/builders.ts";
import { move } from "../model/jobs/move.ts";
import { maintenance } from "../model/references.ts";
import { schema } from "../model/schema.ts";
import { type Backend, queue, scope } from "./queue.fixture.ts";

/** Handles of an app's functions: `note` records its argument, `refuseOnce` throws the first time. */
export const note = "function://;testApp:note";
export const refuseOnce = "function://;testApp:refuseOnce";
/** Queries for `onClaim`: one that returns its argument and the number of calls, and two that fail. */
export const echo = "function://;testApp:echo";
export const broken = "function://;testApp:broken";
export const tooLarge = "function://;testApp:tooLarge";

/**
 * Starts the component with an app whose functions it calls by their handles.
 * @param called receives the arguments of the app's functions.
 */
export function startWithApp(called: unknown[]): Backend {
  const app = appFunctions(called);
  const modules = {
    ...import.meta.glob(["../**/*.ts", "!../**/*.test.ts", "!../**/*.fixture.ts"]),
    // convex-test finds the root by the folder that code generation would create.
    "../_generated/api.ts": () => Promise.resolve({}),
    "../testApp.ts": () => Promise.resolve(app),
  };
  const t = convexTest(schema, modules);
  crons.register(t);
  return t;
}

function appFunctions(called: unknown[]) {
  let refusals = 0;
  let echoes = 0;
  return {
    note: mutationGeneric((_: unknown, event: Record<string, unknown>) => {
      called.push(event);
      return null;
    }),
    echo: queryGeneric((_: unknown, event: Record<string, unknown>) => {
      echoes += 1;
      return { ...event, echoes };
    }),
    broken: queryGeneric((): null => {
      throw new Error("the app is out of order");
    }),
    tooLarge: queryGeneric(() => "x".repeat(5_000)),
    refuseOnce: mutationGeneric((_: unknown, event: Record<string, unknown>) => {
      refusals += 1;
      if (refusals === 1) throw new Error("the app is out of order");
      called.push(event);
      return null;
    }),
  };
}

/**
 * Runs all scheduled functions, including those that they schedule. Needs fake timers. With recurring jobs it never
 * ends.
 */
export async function settle(t: Backend): Promise<void> {
  await t.finishAllScheduledFunctions(vi.runAllTimers, 1_000);
}

export type End = "claim" | "succeed" | "fail" | "fail, retried" | "cancel";

/** Ends jobs, or an attempt, with `move`. Ready jobs are claimed first, without a worker. */
export async function end(t: Backend, jobIds: readonly Id<"jobs">[], how: End): Promise<void> {
  await t.run(async (ctx) => {
    const now = Date.now();
    for (const jobId of jobIds) {
      let job = await ctx.db.get("jobs", jobId);
      if (job === null) throw new Error(`no job ${jobId}`);
      if (how === "cancel") {
        await move(ctx, job, { kind: "cancel" }, now);
        continue;
      }
      if (job.status === "ready") job = await move(ctx, job, { kind: "claim", begun: true }, now);
      if (how === "claim") continue;
      if (how === "succeed") await move(ctx, job, { kind: "complete" }, now);
      else if (how === "fail") await move(ctx, job, { kind: "fail", final: true, delayed: false }, now);
      else {
        const wait = { waitsFor: "time" as const, dueAt: now + 60_000 };
        await move(ctx, job, { kind: "fail", final: false, delayed: true }, now, { job: wait });
        await ctx.scheduler.runAt(wait.dueAt, maintenance.wakeDue, { at: wait.dueAt });
      }
    }
  });
}

export async function statusesOf(t: Backend, jobIds: readonly string[]): Promise<string[]> {
  return await Promise.all(
    jobIds.map(async (jobId) => {
      const job = await t.query(queue.jobs.get, { scope, jobId });
      if (job === null) return "forgotten";
      return job.waitsFor === null ? job.status : `${job.status} for ${job.waitsFor}`;
    }),
  );
}
