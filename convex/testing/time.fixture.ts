import { componentsGeneric, type FunctionReference, makeFunctionReference } from "convex/server";
import { vi } from "vitest";
import { internal } from "../_generated/api.js";
import crons from "../crons.ts";
import type { Backend } from "./backend.fixture.ts";

type Task = FunctionReference<"mutation", "internal", Record<string, unknown>>;
type Job = FunctionReference<"action", "internal", Record<string, unknown>>;

/** The functions that the queue's own crons call. */
const inQueue = componentsGeneric()["queue"] as unknown as {
  readonly maintenance: Readonly<Record<"purge" | "forget" | "forgetLanes", Task>>;
  readonly counts: { readonly count: Job };
};

/** Runs all crons of the app and of the queue once, and all that they schedule at once. Needs fake timers. */
export async function runCrons(t: Backend, isWanted = (_name: string): boolean => true): Promise<void> {
  for (const { name, args } of Object.values(crons.crons)) {
    if (!isWanted(name)) continue;
    const task = makeFunctionReference<"mutation">(name) as unknown as Task;
    await t.run(async (ctx) => {
      await ctx.scheduler.runAfter(0, task, (args as [Record<string, unknown>])[0]);
    });
  }
  await settle(t);
  await t.action(inQueue.counts.count, {});
  await t.run(async (ctx) => {
    await ctx.runMutation(inQueue.maintenance.purge, {});
  });
  await t.run(async (ctx) => {
    await ctx.runMutation(inQueue.maintenance.forget, {});
  });
  await t.run(async (ctx) => {
    await ctx.runMutation(inQueue.maintenance.forgetLanes, { cursor: null });
  });
  await settle(t);
}

/** Runs the functions that are due now, and those that they schedule at once. */
export async function settle(t: Backend): Promise<void> {
  let before = -1;
  // A run schedules the next piece of its work, so it goes on until no timer is due.
  while (vi.getTimerCount() !== before) {
    before = vi.getTimerCount();
    vi.advanceTimersByTime(1);
    await t.finishInProgressScheduledFunctions();
  }
}

/** Lets a time pass, and then runs all crons. */
export async function letPass(t: Backend, ms: number): Promise<void> {
  vi.advanceTimersByTime(ms);
  await t.finishInProgressScheduledFunctions();
  await runCrons(t);
}

/** Deletes the app's scheduled functions that have ended, as Convex does after a week. They would make each query of convex-test slower. */
export async function forgetFinished(t: Backend): Promise<void> {
  await t.run(async (ctx) => {
    for (const { _id, state } of await ctx.db.system.query("_scheduled_functions").collect()) {
      if (state.kind === "success" || state.kind === "canceled")
        await ctx.db.delete("_scheduled_functions" as never, _id as never);
    }
  });
}

/** Sets the clock (UTC). The sessions go on, though nobody used them meanwhile. */
export async function waitUntil(t: Backend, date: string): Promise<void> {
  vi.setSystemTime(Date.parse(`${date}Z`));
  await t.run(async (ctx) => {
    for (const { _id } of await ctx.db.query("sessions").collect())
      await ctx.db.patch("sessions", _id, { expiresAt: Date.now() + 3_600_000, provenAt: Date.now() });
  });
}

/** Sets the clock and runs the cron of allowances. */
export async function renewAt(t: Backend, date: string): Promise<void> {
  await waitUntil(t, date);
  await t.mutation(internal.maintenance.renewAllowances, {});
  await settleTurns(t);
}

/** Runs the turns and the pages of a run of allowances, which are some time apart. */
export async function settleTurns(t: Backend): Promise<void> {
  for (let turn = 0; turn < 15; turn += 1) {
    await settle(t);
    vi.advanceTimersByTime(250);
  }
  await settle(t);
}
