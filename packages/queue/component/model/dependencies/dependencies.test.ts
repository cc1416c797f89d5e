import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { end, settle, statusesOf } from "../../testing/app.fixture.ts";
import { type Backend, queue, scope, startQueue, submitJobs } from "../../testing/queue.fixture.ts";
import type { Id } from "../builders.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

type When = "succeeded" | "finished";

async function submitAfter(
  t: Backend,
  jobs: readonly Id<"jobs">[],
  when: When,
  more: { readonly delayMs?: number; readonly requester?: string } = {},
): Promise<Id<"jobs">> {
  const [jobId] = await submitJobs(t, [{ after: { jobs: [...jobs], when }, ...more }]);
  return jobId!;
}

async function open(t: Backend, count: number): Promise<Id<"jobs">[]> {
  return await submitJobs(
    t,
    Array.from({ length: count }, () => ({})),
  );
}

async function rows(t: Backend) {
  return await t.run(async (ctx) => await ctx.db.query("dependencies").collect());
}

describe("dependencies", () => {
  it("a job with dependencies waits until the last of them has succeeded", async () => {
    const t = startQueue();
    const [a, b] = await open(t, 2);
    const c = await submitAfter(t, [a!, b!, a!], "succeeded");
    expect(await statusesOf(t, [c])).toEqual(["waiting for jobs"]);
    await end(t, [a!], "succeed");
    await settle(t);
    expect(await statusesOf(t, [c])).toEqual(["waiting for jobs"]);
    await end(t, [b!], "succeed");
    await settle(t);
    expect(await statusesOf(t, [c])).toEqual(["ready"]);
    expect(await rows(t)).toEqual([]);
  });

  it.each(["succeed", "fail", "cancel"] as const)(
    "a job with dependencies runs after any outcome if it asks for that: %s",
    async (how) => {
      const t = startQueue();
      const [a] = await open(t, 1);
      const b = await submitAfter(t, [a!], "finished");
      await end(t, [a!], how);
      await settle(t);
      expect(await statusesOf(t, [b])).toEqual(["ready"]);
    },
  );

  it.each(["fail", "cancel"] as const)(
    "a job with dependencies is canceled, with its own dependents, when one of them ends otherwise: %s",
    async (how) => {
      const t = startQueue();
      const [a, other] = await open(t, 2);
      const b = await submitAfter(t, [a!, other!], "succeeded");
      const c = await submitAfter(t, [b], "succeeded");
      const d = await submitAfter(t, [c], "finished");
      await end(t, [a!], how);
      await settle(t);
      expect(await statusesOf(t, [b, c, d])).toEqual(["canceled", "canceled", "ready"]);
      const view = await t.query(queue.jobs.get, { scope, jobId: b });
      expect(view?.error?.code).toBe("dependency_failed");
      expect(view?.error?.message).toContain(a);

      await end(t, [other!], "succeed");
      await settle(t);
      expect(await rows(t)).toEqual([]);
    },
  );

  it("a job with dependencies runs after a job of an earlier version, which does not tell that another waits for it", async () => {
    const t = startQueue();
    const [a] = await open(t, 1);
    const b = await submitAfter(t, [a!], "succeeded");
    await t.run(async (ctx) => await ctx.db.patch("jobs", a!, { hasDependents: undefined }));
    await end(t, [a!], "succeed");
    await settle(t);
    expect(await statusesOf(t, [b])).toEqual(["ready"]);
  });

  it("a job with dependencies keeps waiting while a failed dependency is retried", async () => {
    const t = startQueue();
    const [a] = await open(t, 1);
    const b = await submitAfter(t, [a!], "succeeded");
    await end(t, [a!], "fail, retried");
    expect(await statusesOf(t, [b])).toEqual(["waiting for jobs"]);
  });

  it("a job is ready at once if its dependencies have succeeded, and canceled at once if one has not", async () => {
    const t = startQueue();
    const [good, bad] = await open(t, 2);
    await end(t, [good!], "succeed");
    await end(t, [bad!], "fail");
    const after = [
      await submitAfter(t, [good!], "succeeded"),
      await submitAfter(t, [good!, bad!], "finished"),
      await submitAfter(t, [good!, bad!], "succeeded"),
    ];
    expect(await statusesOf(t, after)).toEqual(["ready", "ready", "canceled"]);
  });

  it("a job with dependencies also waits for its time, whichever comes last", async () => {
    const t = startQueue();
    const [a, never] = await open(t, 2);
    const early = await submitAfter(t, [a!], "succeeded", { delayMs: 60_000 });
    const late = await submitAfter(t, [never!], "succeeded", { delayMs: 60_000 });
    await end(t, [a!], "succeed");
    vi.advanceTimersByTime(1_000);
    await t.finishInProgressScheduledFunctions();
    expect(await statusesOf(t, [early, late])).toEqual(["waiting for time", "waiting for time"]);
    await settle(t);
    expect(await statusesOf(t, [early, late])).toEqual(["ready", "waiting for jobs"]);
    await end(t, [never!], "succeed");
    await settle(t);
    expect(await statusesOf(t, [late])).toEqual(["ready"]);
  });

  it("a job of a limited requester waits for its turn after its dependencies", async () => {
    const t = startQueue();
    const limit = { of: "requester" as const, name: "ann", concurrency: 1 };
    await t.mutation(queue.limits.set, { scope, ...limit });
    const [first] = await submitJobs(t, [{ requester: "ann" }]);
    await settle(t);
    const [a] = await open(t, 1);
    const b = await submitAfter(t, [a!], "succeeded", { requester: "ann" });
    await end(t, [a!], "succeed");
    await settle(t);
    expect(await statusesOf(t, [first!, b])).toEqual(["ready", "waiting for turn"]);
    await end(t, [first!], "succeed");
    await settle(t);
    expect(await statusesOf(t, [b])).toEqual(["ready"]);
  });

  it("many dependents of one job are notified in pieces", async () => {
    const t = startQueue();
    const [a] = await open(t, 1);
    const after = { jobs: [a!], when: "succeeded" as const };
    const many = await submitJobs(
      t,
      Array.from({ length: 120 }, () => ({ after })),
    );
    await end(t, [a!], "succeed");
    await settle(t);
    expect(new Set(await statusesOf(t, many))).toEqual(new Set(["ready"]));
  });

  it("a job has at most 100 dependencies, all in its own scope", async () => {
    const t = startQueue();
    const jobs = await open(t, 101);
    await expect(submitAfter(t, jobs, "finished")).rejects.toThrow("invalid");
    await submitAfter(t, jobs.slice(1), "finished");
    const [theirs] = await submitJobs(t, [{}], { scope: "other" });
    await expect(submitAfter(t, [theirs!], "finished")).rejects.toThrow("not_found");
  });

  it("a dependent of a retried job is notified at the next end of that job", async () => {
    const t = startQueue();
    const [a] = await open(t, 1);
    const b = await submitAfter(t, [a!], "finished");
    await end(t, [a!], "fail");
    await t.mutation(queue.deadLetters.retry, { scope, jobId: a! });
    await settle(t);
    expect(await statusesOf(t, [b])).toEqual(["waiting for jobs"]);
    await end(t, [a!], "succeed");
    await settle(t);
    expect(await statusesOf(t, [b])).toEqual(["ready"]);
  });
});
