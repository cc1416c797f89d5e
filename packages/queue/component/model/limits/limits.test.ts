import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { JobSpec } from "../../../shared/validators.ts";
import { type End, end, settle, statusesOf } from "../../testing/app.fixture.ts";
import { type Backend, passTime, queue, scope, startQueue, submitJobs } from "../../testing/queue.fixture.ts";
import type { Doc } from "../builders.ts";
import { isFinal } from "../jobs/states.ts";
import { maintenance } from "../references.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

type LimitOf = "requester" | "key";

async function limit(t: Backend, of: LimitOf, name: string, concurrency: number | null): Promise<void> {
  await t.mutation(queue.limits.set, { scope, of, name, concurrency });
}

async function submitFor(t: Backend, count: number, who: { requester?: string; key?: string }) {
  const jobs = await submitJobs(
    t,
    Array.from({ length: count }, () => who),
  );
  await settle(t);
  return jobs;
}

const ready = "ready";
const turn = "waiting for turn";

describe("limits", () => {
  it.each(["requester", "key"] as const)(
    "a limit lets this many jobs of a %s be ready or held, and the next one after an end",
    async (of) => {
      const t = startQueue();
      await limit(t, of, "ann", 2);
      const [a, b, c, d] = await submitFor(t, 4, { [of]: "ann" });
      const others = await submitFor(t, 3, { [of]: "bob" });
      expect(await statusesOf(t, [a!, b!, c!, d!])).toEqual([ready, ready, turn, turn]);
      expect(await statusesOf(t, others)).toEqual([ready, ready, ready]);

      await end(t, [a!], "succeed");
      await settle(t);
      expect(await statusesOf(t, [b!, c!, d!])).toEqual([ready, ready, turn]);
      await end(t, [b!], "cancel");
      await settle(t);
      expect(await statusesOf(t, [c!, d!])).toEqual([ready, ready]);
    },
  );

  it("a job that waits for its retry passes its turn on, and waits for another", async () => {
    const t = startQueue();
    await limit(t, "requester", "ann", 1);
    const [a, b] = await submitFor(t, 2, { requester: "ann" });
    await end(t, [a!], "fail, retried");
    vi.advanceTimersByTime(10);
    await t.finishInProgressScheduledFunctions();
    expect(await statusesOf(t, [a!, b!])).toEqual(["waiting for time", ready]);
    await settle(t);
    expect(await statusesOf(t, [a!, b!])).toEqual([turn, ready]);
  });

  it("a higher limit applies at once, and a lower one stops no job", async () => {
    const t = startQueue();
    await limit(t, "key", "k", 1);
    const jobs = await submitFor(t, 4, { key: "k" });
    await limit(t, "key", "k", 3);
    expect(await statusesOf(t, jobs)).toEqual([ready, ready, ready, turn]);
    await limit(t, "key", "k", 0);
    expect(await statusesOf(t, jobs)).toEqual([ready, ready, ready, turn]);
    await end(t, jobs.slice(0, 3), "succeed");
    await settle(t);
    expect(await statusesOf(t, jobs.slice(3))).toEqual([turn]);
  });

  it("a limit releases all jobs when it is removed, also more than one piece", async () => {
    const t = startQueue();
    await limit(t, "requester", "ann", 1);
    const jobs = await submitFor(t, 230, { requester: "ann" });
    await limit(t, "requester", "ann", null);
    await settle(t);
    expect(new Set(await statusesOf(t, jobs))).toEqual(new Set([ready]));
    expect(await t.query(queue.limits.get, { scope, of: "requester", name: "ann" })).toBeNull();
  });

  it("a limit admits jobs by priority, then by submission, and sometimes a low priority first", async () => {
    const random = vi.spyOn(Math, "random").mockReturnValue(0);
    const t = startQueue();
    await limit(t, "requester", "ann", 1);
    const submit = async (priority: "high" | "normal" | "low") => {
      const [jobId] = await submitJobs(t, [{ requester: "ann", priority }]);
      vi.advanceTimersByTime(1);
      return jobId!;
    };
    let held = await submit("normal");
    await settle(t);
    const low = await submit("low");
    const normal = await submit("normal");
    const high = await submit("high");
    const later = await submit("high");
    await settle(t);
    const next = async () => {
      await end(t, [held], "succeed");
      await settle(t);
      const jobs = await t.run(async (ctx) => await ctx.db.query("jobs").collect());
      const readyOnes = jobs.filter(({ status }) => status === "ready");
      expect(readyOnes).toHaveLength(1);
      held = readyOnes[0]!._id;
      return held;
    };
    expect(await next()).toBe(high);
    expect(await next()).toBe(later);
    // The last of eight turns.
    random.mockReturnValue(7 / 16);
    expect(await next()).toBe(low);
    expect(await next()).toBe(normal);
  });

  it("the requester's and the key's limits both apply, and a full one does not block the line", async () => {
    const t = startQueue();
    await limit(t, "requester", "ann", 3);
    await limit(t, "key", "small", 1);
    const small = await submitFor(t, 3, { requester: "ann", key: "small" });
    expect(await statusesOf(t, small)).toEqual([ready, turn, turn]);
    const others = await submitFor(t, 3, { requester: "ann", key: "large" });
    expect(await statusesOf(t, others)).toEqual([ready, ready, turn]);

    await end(t, [others[0]!], "succeed");
    await settle(t);
    expect(await statusesOf(t, [...small, ...others.slice(1)])).toEqual([ready, turn, turn, ready, ready]);
    await end(t, [small[0]!], "succeed");
    await settle(t);
    expect(await statusesOf(t, small.slice(1))).toEqual([ready, turn]);
  });

  it("the next job gets a turn only when a job with a turn ends", async () => {
    const t = startQueue();
    await limit(t, "requester", "ann", 1);
    const [held, ...rest] = await submitFor(t, 4, { requester: "ann" });
    const admissions = async () => {
      const all = await t.run(async (ctx) => await ctx.db.system.query("_scheduled_functions").collect());
      return all.filter(({ name }) => name.includes("admit")).length;
    };
    const before = await admissions();
    await end(t, rest.slice(1), "cancel");
    expect(await admissions()).toBe(before);
    await end(t, [held!], "succeed");
    expect(await admissions()).toBe(before + 1);
    await settle(t);
    expect(await statusesOf(t, rest)).toEqual([ready, "canceled", "canceled"]);
  });

  it("a limit is listed, refuses invalid values, and records each change", async () => {
    const t = startQueue();
    await t.mutation(queue.limits.set, { scope, of: "requester", name: "ann", weight: 4, actor: "root" });
    await t.mutation(queue.limits.set, { scope, of: "requester", name: "ann", concurrency: 5 });
    await limit(t, "key", "k", 2);
    expect(await t.query(queue.limits.list, { scope })).toEqual([
      { of: "key", name: "k", concurrency: 2, weight: 1 },
      { of: "requester", name: "ann", concurrency: 5, weight: 4 },
    ]);
    const first = { numItems: 10, cursor: null };
    const { page } = await t.query(queue.events.list, { scope, paginationOpts: first });
    expect(page.map(({ subject }) => subject)).toContain("requester ann: weight 4");

    const bad = [
      { concurrency: -1 },
      { concurrency: 1.5 },
      { concurrency: 1_001 },
      { weight: 0 },
      { weight: 17 },
    ];
    for (const values of bad) {
      const change = { scope, of: "requester" as const, name: "ann", ...values };
      await expect(t.mutation(queue.limits.set, change)).rejects.toThrow("invalid");
    }
    const weighed = { scope, of: "key" as const, name: "k", weight: 2 };
    await expect(t.mutation(queue.limits.set, weighed)).rejects.toThrow("no weight");
  });
});

type Limits = ReadonlyMap<string, number>;

function namesOf({ requester, key }: Doc<"jobs">): readonly string[] {
  return [`requester ${requester ?? ""}`, `key ${key ?? ""}`];
}

function heldOf(jobs: readonly Doc<"jobs">[]): ReadonlyMap<string, number> {
  const held = new Map<string, number>();
  for (const job of jobs.filter(({ status }) => ["ready", "prefetched", "running"].includes(status))) {
    for (const name of namesOf(job)) held.set(name, (held.get(name) ?? 0) + 1);
  }
  return held;
}

/** Names over their limit. Jobs with a turn keep it when the limit is lowered. */
function overfull(limits: Limits, before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>) {
  return [...limits].filter(([name, most]) => (after.get(name) ?? 0) > Math.max(most, before.get(name) ?? 0));
}

/** Jobs that wait for a turn though neither of their names is full. */
function forgotten(jobs: readonly Doc<"jobs">[], limits: Limits) {
  const held = heldOf(jobs);
  const isFull = (name: string) => (held.get(name) ?? 0) >= (limits.get(name) ?? Infinity);
  return jobs.filter((job) => job.waitsFor === "turn" && !namesOf(job).some(isFull));
}

const who = fc.record({
  requester: fc.constantFrom("ann", "bob"),
  key: fc.constantFrom("k1", "k2"),
  priority: fc.constantFrom("high" as const, "normal" as const, "low" as const),
});
const kinds: readonly End[] = ["claim", "succeed", "succeed", "fail", "fail, retried", "cancel"];
type Step =
  | { readonly submit: Partial<JobSpec>[] }
  | { readonly end: End; readonly pick: number }
  | { readonly passMs: number }
  | { readonly retry: number }
  | { readonly of: LimitOf; readonly pick: number; readonly most: number | null };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ submit: fc.array(who, { minLength: 1, maxLength: 5 }) }) },
  { weight: 8, arbitrary: fc.record({ end: fc.constantFrom(...kinds), pick: fc.nat(1_000) }) },
  { weight: 2, arbitrary: fc.record({ retry: fc.nat(1_000) }) },
  { weight: 6, arbitrary: fc.record({ passMs: fc.constantFrom(5_000, 70_000) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      of: fc.constantFrom("requester" as const, "key" as const),
      pick: fc.nat(1),
      most: fc.option(fc.nat(3)),
    }),
  },
);

/** Takes a step, as far as it is possible. */
async function take(t: Backend, next: Step, limits: Map<string, number>): Promise<void> {
  if ("passMs" in next) await passTime(t, next.passMs);
  else if ("submit" in next) await submitJobs(t, next.submit);
  else if ("retry" in next) {
    const dead = (await allJobs(t)).filter(({ status }) => status === "failed");
    const job = dead[next.retry % Math.max(1, dead.length)];
    if (job !== undefined) await t.mutation(queue.deadLetters.retry, { scope, jobId: job._id });
  } else if ("of" in next) {
    const name = (next.of === "requester" ? ["ann", "bob"] : ["k1", "k2"])[next.pick] ?? "";
    await limit(t, next.of, name, next.most);
    if (next.most === null) limits.delete(`${next.of} ${name}`);
    else limits.set(`${next.of} ${name}`, next.most);
  } else {
    const open = (await allJobs(t)).filter(({ status }) =>
      next.end === "cancel" ? !isFinal(status) : status === "running" || status === "ready",
    );
    const job = open[next.pick % Math.max(1, open.length)];
    if (job !== undefined) await end(t, [job._id], next.end);
  }
}

async function allJobs(t: Backend): Promise<Doc<"jobs">[]> {
  return await t.run(async (ctx) => await ctx.db.query("jobs").collect());
}

describe("admission", () => {
  it("admission counts a bounded number of rows for other names in a call, and continues in the next", async () => {
    const t = startQueue();
    await limit(t, "requester", "ann", 100);
    const keys = ["a", "b", "c", "d"];
    for (const key of keys) await limit(t, "key", key, 600);
    const [jobId] = await submitJobs(t, [{}]);
    await t.run(async (ctx) => {
      const job = await ctx.db.get("jobs", jobId!);
      if (job === null) throw new Error("no job");
      const { _id, _creationTime, ...row } = job;
      for (const key of keys) for (let i = 0; i < 500; i += 1) await ctx.db.insert("jobs", { ...row, key });
    });
    const jobs = await submitJobs(
      t,
      keys.map((key) => ({ key, requester: "ann" })),
    );
    await t.mutation(maintenance.admit, { scope, of: "requester", name: "ann" });
    expect(await statusesOf(t, jobs)).toEqual([ready, ready, turn, turn]);
    await settle(t);
    expect(await statusesOf(t, jobs)).toEqual([ready, ready, ready, ready]);
  });
});

describe("limits in any order of events", () => {
  it("limits are never exceeded in any order of events, and no job waits while a turn is free", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60, size: "max" }), async (steps) => {
        const t = startQueue();
        const limits = new Map([
          ["requester ann", 2],
          ["key k1", 1],
        ]);
        await limit(t, "requester", "ann", 2);
        await limit(t, "key", "k1", 1);
        let before = heldOf([]);
        for (const next of [...steps, { passMs: 5_000 }]) {
          await take(t, next, limits);
          const jobs = await allJobs(t);
          expect(overfull(limits, before, heldOf(jobs))).toEqual([]);
          if ("passMs" in next) expect(forgotten(jobs, limits)).toEqual([]);
          before = heldOf(jobs);
        }
      }),
      { numRuns: 40 },
    );
  });
});
