import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { cuttableLine } from "./cuttable-line.fixture.ts";
import { type QueueDeployment, type Say, startQueue, type TestWorker } from "./queue-deployment.fixture.ts";

const patience = { timeout: 60_000, interval: 10 };

describe("workers on a real queue", () => {
  let queue: QueueDeployment;
  let workers: TestWorker[];
  /** Names of the jobs in the order in which handlers began. */
  let begun: string[];
  /** The functions that end jobs which last until the test says so. */
  let endings: Map<string, () => void>;

  beforeAll(async () => {
    queue = await startQueue();
  });
  beforeEach(async () => {
    workers = [];
    begun = [];
    endings = new Map();
    queue.newScope();
    await queue.call("jobs:configure", { leaseMs: 5_000 });
  });
  afterAll(() => queue.stop(), 30_000);
  afterEach(async () => {
    await Promise.all(workers.map(({ worker }) => worker.stop({ finishMs: 0, leaveMs: 5_000 })));
  });

  /** Answers "short…" at once, and others when the test ends them. Lets go when it is aborted. */
  const say: Say = (name, { signal }) => {
    begun.push(name);
    if (name.startsWith("short")) return Promise.resolve(`said ${name}`);
    return new Promise((resolve, reject) => {
      endings.set(name, () => resolve(`said ${name}`));
      signal.addEventListener("abort", () => reject(new Error("let go")));
    });
  };

  async function startWorker(...[options]: [Parameters<QueueDeployment["startWorker"]>[1]?]) {
    const worker = await queue.startWorker(say, options);
    workers.push(worker);
    return worker;
  }

  async function untilBegun(...names: readonly string[]): Promise<void> {
    await vi.waitFor(() => expect(begun).toEqual(expect.arrayContaining([...names])), patience);
  }

  const isOver = ({ status }: { readonly status: string }): boolean => status === "succeeded";

  it("workers run every job to its end, both those that were there and those that come later", async () => {
    const names = Array.from({ length: 60 }, (_, n) => `short ${n}`);
    const early = await queue.submit(names.slice(0, 20));
    await Promise.all([startWorker(), startWorker({ concurrency: 2 }), startWorker({ prefetch: 3 })]);
    const late = await queue.submit(names.slice(20, 40));
    const single = await Promise.all(names.slice(40).map((name) => queue.submit([name])));
    const looks = await Promise.all(
      [...early, ...late, ...single.flat()].map((jobId) => queue.until(jobId, isOver)),
    );
    expect(looks.map(({ result }) => result)).toEqual(names.map((name) => `said ${name}`));
    // Another worker may steal a prefetched job, or take one that a busy machine did not start in time. Each of these
    // adds an attempt, and the handler begins at most once per attempt.
    expect(new Set(begun)).toEqual(new Set(names));
    expect(begun.length).toBeLessThanOrEqual(looks.reduce((sum, { attempts }) => sum + attempts, 0));
  });

  it("workers abort a job that is canceled while it runs, and take the next", async () => {
    await startWorker();
    const [jobId = ""] = await queue.submit(["long"]);
    await untilBegun("long");
    await queue.call("jobs:cancel", { jobId });
    const [next = ""] = await queue.submit(["short"]);
    expect(await queue.until(next, isOver)).toMatchObject({ attempts: 1 });
    expect(await queue.until(jobId, ({ status }) => status === "canceled")).toMatchObject({ result: null });
  });

  it("workers give their jobs back when they are paused, and take jobs again after accept()", async () => {
    const first = await startWorker();
    const [jobId = ""] = await queue.submit(["long"]);
    await untilBegun("long");
    await first.worker.pause("in-use");
    await queue.until(jobId, ({ status }) => status === "ready");
    begun = [];
    await startWorker();
    await untilBegun("long");
    endings.get("long")?.();
    expect(await queue.until(jobId, isOver)).toMatchObject({ attempts: 2 });
    await workers[1]?.worker.pause("in-use");
    const [other = ""] = await queue.submit(["short"]);
    first.worker.accept();
    expect(await queue.until(other, isOver)).toMatchObject({ attempts: 1 });
  });

  it("workers steal a prefetched job that has not begun from another worker, which then leaves it", async () => {
    const busy = await startWorker({ prefetch: 3 });
    const jobs = await queue.submit(["long", "short 1", "short 2", "short 3"]);
    // The order is left to chance, so wait until it starts the one that lasts, and until the queue knows that.
    await queue.until(jobs[0] ?? "", ({ status }) => status === "running");
    await startWorker();
    for (const jobId of jobs.slice(1)) await queue.until(jobId, isOver);
    endings.get("long")?.();
    await queue.until(jobs[0] ?? "", isOver);
    // The busy worker may begin a job in the moment in which it is stolen. Then it is begun twice and done once.
    expect([...new Set(begun)].sort()).toEqual(["long", "short 1", "short 2", "short 3"]);
    expect(begun.filter((name) => name === "long")).toHaveLength(1);
    expect(busy.events).not.toContain("key-used-elsewhere");
  });

  it("workers stream the whole text from the start to a watcher who comes late", async () => {
    const writer: Say = async (name, ctx) => {
      begun.push(name);
      ctx.append("once upon ");
      await new Promise<void>((resolve) => endings.set(name, resolve));
      ctx.append("a time");
      return "told";
    };
    workers.push(await queue.startWorker(writer));
    const [jobId = ""] = await queue.submit(["tale"]);
    await untilBegun("tale");
    await queue.call("jobs:follow", { jobId });
    await queue.until(jobId, ({ text }) => text === "once upon ");
    endings.get("tale")?.();
    expect(await queue.until(jobId, isOver)).toMatchObject({ text: "once upon a time", result: "told" });
  });

  it("workers submit subtasks of a job once, also if its first attempt fails after that", async () => {
    const splitting: Say = async (name, ctx) => {
      begun.push(name);
      if (name !== "whole") return name;
      const parts = ["part 1", "part 2"].map((part) => ({ kind: "say", payload: { name: part } }));
      const ids = await ctx.submit(parts);
      const [last = ""] = await ctx.submit([
        { kind: "say", payload: { name: "sum" }, after: { jobs: [...ids], when: "succeeded" } },
      ]);
      if (ctx.number === 1) throw new Error("failed after its submissions");
      return last;
    };
    const worker = await queue.startWorker(splitting);
    workers.push(worker);
    const [jobId = ""] = (await queue.call("jobs:submit", { names: ["whole"], maxSubtasks: 3 })) as string[];
    const { result, attempts } = await queue.until(jobId, isOver);
    expect(attempts).toBe(2);
    expect(await queue.until(String(result), isOver)).toMatchObject({ result: "sum" });
    expect([...begun].sort()).toEqual(["part 1", "part 2", "sum", "whole", "whole"]);
    expect(begun.indexOf("sum")).toBeGreaterThan(Math.max(begun.indexOf("part 1"), begun.indexOf("part 2")));
  });

  it("workers submit no subtasks of a job that does not allow them", async () => {
    const splitting: Say = async (_name, ctx) =>
      String(await ctx.submit([{ kind: "say", payload: { name: "part" } }]));
    workers.push(await queue.startWorker(splitting));
    const [jobId = ""] = await queue.submit(["whole"]);
    expect(await queue.until(jobId, ({ status }) => status === "failed")).toMatchObject({ attempts: 1 });
  });

  it("workers report the progress of a job to its requester", async () => {
    const counter: Say = async (name, ctx) => {
      for (const done of [1, 2]) {
        ctx.progress({ done, of: 2 });
        await new Promise<void>((resolve) => endings.set(`${name} ${String(done)}`, resolve));
      }
      return "counted";
    };
    workers.push(await queue.startWorker(counter));
    const [jobId = ""] = await queue.submit(["count"]);
    for (const done of [1, 2]) {
      const look = await queue.until(
        jobId,
        ({ progress }) => (progress as { done?: unknown } | null)?.done === done,
      );
      expect(look).toMatchObject({ status: "running", progress: { done, of: 2 } });
      endings.get(`count ${String(done)}`)?.();
    }
    expect(await queue.until(jobId, isOver)).toMatchObject({ progress: null, result: "counted" });
  });

  it("workers keep their jobs when the connection is interrupted", async () => {
    const line = await cuttableLine(new URL(queue.url));
    await startWorker({ through: line.url });
    const [jobId = ""] = await queue.submit(["long"]);
    await untilBegun("long");
    line.cut();
    endings.get("long")?.();
    line.restore();
    expect(await queue.until(jobId, isOver)).toMatchObject({ attempts: 1, result: "said long" });
    await workers[0]?.worker.stop({ finishMs: 0 });
    await line.close();
  });

  it("workers take jobs that would wake a worker that died while it waited", async () => {
    const dead = await startWorker();
    const alive = await startWorker();
    // Both wait by then. Otherwise the first worker to come would take the next jobs.
    await Promise.all(
      (await queue.submit(["short a", "short b"])).map((jobId) => queue.until(jobId, isOver)),
    );
    await dead.die();
    const jobs = await queue.submit(Array.from({ length: 12 }, (_, n) => `short ${n}`));
    for (const jobId of jobs) await queue.until(jobId, isOver);
    expect(alive.events).toEqual(["greeted"]);
  });

  it("workers take the job of a worker that died while running it, when its lease expires", async () => {
    const dead = await startWorker();
    const [jobId = ""] = await queue.submit(["long"]);
    await untilBegun("long");
    await dead.die();
    begun = [];
    await startWorker();
    await untilBegun("long");
    endings.get("long")?.();
    expect(await queue.until(jobId, isOver)).toMatchObject({ attempts: 2 });
  });

  it("workers keep a job that makes no calls for longer than a lease", async () => {
    await startWorker();
    const [jobId = ""] = await queue.submit(["long"]);
    await untilBegun("long");
    await new Promise((resolve) => setTimeout(resolve, 12_000));
    endings.get("long")?.();
    expect(await queue.until(jobId, isOver)).toMatchObject({ attempts: 1 });
  });

  it("workers finish running jobs when they are stopped, and leave the others to other workers", async () => {
    const first = await startWorker({ prefetch: 1 });
    const [jobId = "", prefetched = ""] = await queue.submit(["long 1", "long 2"]);
    await vi.waitFor(() => expect(begun).toHaveLength(1), patience);
    const stopped = first.worker.stop();
    await startWorker();
    await untilBegun("long 1", "long 2");
    for (const name of begun) endings.get(name)?.();
    await stopped;
    for (const each of [jobId, prefetched]) await queue.until(each, isOver);
    expect(begun).toHaveLength(2);
  });

  it("workers notice that another program uses their key, and rest for a while", async () => {
    const one = await startWorker({ concurrency: 2 });
    const other = await startWorker({ key: one.key, concurrency: 2 });
    const names = Array.from({ length: 12 }, (_, n) => `long ${n}`);
    await queue.submit(names);
    await vi.waitFor(
      () => expect([...one.events, ...other.events]).toContain("key-used-elsewhere"),
      patience,
    );
  });
});
