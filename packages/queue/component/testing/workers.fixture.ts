import { ConvexError } from "convex/values";
import { expect } from "vitest";
import type { Capabilities, ClaimedJob, Demand, NextWork } from "../../shared/validators.ts";
import { present, type QueueRefusalCode } from "../model/refuse.ts";
import { type Backend, queue, scope } from "./queue.fixture.ts";

export type TestWorker = { readonly keyHash: string; readonly workerId: string };

let registered = 0;

/** A registered worker that has called hello. By default it runs one job of kind "hash" at a time. */
export async function addWorker(
  t: Backend,
  capabilities: Partial<Capabilities> = {},
  options: {
    readonly scope?: string;
    readonly groups?: string[];
    readonly labels?: string[];
    readonly dataClasses?: string[];
    /** Its position in the rings; by its key if left out. */
    readonly position?: number;
  } = {},
): Promise<TestWorker> {
  registered += 1;
  const keyHash = `key-${String(registered)}`;
  const { position, ...given } = { scope, ...options };
  const { workerId } = await t.mutation(queue.workers.register, {
    keyHash,
    name: `worker ${String(registered)}`,
    ...given,
  });
  if (position !== undefined) {
    await t.run(async (ctx) => {
      const id = present(ctx.db.normalizeId("workers", workerId), "worker id");
      await ctx.db.patch("workers", id, { position });
    });
  }
  await t.mutation(queue.work.hello, {
    keyHash,
    capabilities: { kinds: ["hash"], ...capabilities },
    startup: true,
  });
  return { keyHash, workerId };
}

/** Asks for work, which must be allowed. */
export async function take(
  t: Backend,
  { keyHash }: TestWorker,
  demand: Demand = { jobs: 1 },
): Promise<NextWork> {
  const outcome = await t.mutation(queue.work.take, { keyHash, demand });
  if (outcome.kind !== "ok") throw new Error(`unable: ${outcome.reason}`);
  return outcome;
}

/** Takes one job, which must exist. */
export async function takeOne(t: Backend, worker: TestWorker): Promise<ClaimedJob> {
  const { jobs } = await take(t, worker);
  return present(jobs[0], "a job to take");
}

/** The jobs that a waiting worker is shown. */
export async function shownTo(t: Backend, { keyHash }: TestWorker) {
  const { subscriptions } = await t.query(queue.work.candidates, { keyHash, subscriptions: [] });
  return (await t.query(queue.work.candidates, { keyHash, subscriptions })).jobs;
}

export async function claim(t: Backend, { keyHash }: TestWorker, jobId: string, late = false) {
  return await t.mutation(queue.work.claim, { keyHash, jobId, late, demand: { jobs: 0 } });
}

export async function complete(
  t: Backend,
  { keyHash }: TestWorker,
  attemptId: string,
  demand: Demand = { jobs: 0 },
) {
  return await t.mutation(queue.work.complete, { keyHash, attemptId, result: "done", demand });
}

export const crash = { code: "crashed", message: "It crashed.", retryable: true };

export async function fail(
  t: Backend,
  { keyHash }: TestWorker,
  attemptId: string,
  error: { code: string; message: string; retryable: boolean; unfit?: boolean; byJob?: boolean } = crash,
  demand: Demand = { jobs: 0 },
) {
  return await t.mutation(queue.work.fail, { keyHash, attemptId, error, demand });
}

export async function heldBy(t: Backend, { keyHash }: TestWorker) {
  return await t.query(queue.work.held, { keyHash });
}

/** The positions at which the worker waits. */
export async function waitingPositions(t: Backend, { keyHash }: TestWorker) {
  return (await t.query(queue.work.candidates, { keyHash, subscriptions: [] })).subscriptions;
}

/** Expects a refusal, as an app would read it from the ConvexError. */
export async function expectRefusal(call: Promise<unknown>, code: QueueRefusalCode): Promise<void> {
  const thrown: unknown = await call.then(
    () => null,
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(ConvexError);
  const data: unknown = (thrown as ConvexError<string>).data;
  expect(typeof data === "string" ? JSON.parse(data) : data).toMatchObject({ code });
}
