import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { QueueComponent } from "@gleaner/queue";
import type { ClaimedJob, NextWork, WaitSubscription } from "@gleaner/queue/validators";
import { ConvexClient } from "convex/browser";
import { type FunctionReturnType, makeFunctionReference } from "convex/server";
import { expect, test } from "vitest";
import { startBackend } from "../../packages/embedded/server.ts";

// The queue as an app installs it, with workers that compete for the same jobs.
const fixtureFolder = fileURLToPath(new URL("./fixtures/convex", import.meta.url));
const workerCount = 50;
const jobs = 500;
const patienceMs = 240_000;
const lateMs = 400;

const mutation = (name: string) => makeFunctionReference<"mutation">(name);
const candidates = makeFunctionReference<"query">("work:candidates");
type Shown = FunctionReturnType<QueueComponent["work"]["candidates"]>;
type Completed = FunctionReturnType<QueueComponent["work"]["complete"]>;
type Claimed = FunctionReturnType<QueueComponent["work"]["claim"]>;

/** Follows the protocol of a worker with one job at a time. Its jobs take no time. */
class TestWorker {
  readonly #client: ConvexClient;
  readonly #key: string;
  readonly #onStart: (number: number) => void;
  readonly #onEnd: () => void;
  #stop: () => void = () => undefined;
  #stopped = false;

  constructor(url: string, key: string, onStart: (number: number) => void, onEnd: () => void) {
    this.#client = new ConvexClient(url, { logger: false, unsavedChangesWarning: false });
    this.#key = key;
    this.#onStart = onStart;
    this.#onEnd = onEnd;
  }

  async run(): Promise<void> {
    await this.#call("work:hello", { capabilities: { kinds: ["count"] }, startup: true });
    let next = await this.#take();
    while (!this.#stopped) {
      const job = next.jobs[0] ?? (await this.#wait(next.subscriptions));
      next = job === null ? await this.#take() : await this.#do(job);
    }
  }

  async close(): Promise<void> {
    this.#stopped = true;
    this.#stop();
    await this.#client.close();
  }

  async #do({ attemptId, payload }: ClaimedJob): Promise<NextWork> {
    this.#onStart(payload as number);
    const args = { attemptId, result: null, demand: { jobs: 1 } };
    const outcome = (await this.#call("work:complete", args)) as Completed;
    if (outcome.kind === "completed") this.#onEnd();
    return outcome;
  }

  async #take(): Promise<NextWork> {
    return (await this.#call("work:take", { demand: { jobs: 1 } })) as NextWork;
  }

  /** Waits until it has claimed a job. Resolves to null if it no longer waits. */
  async #wait(subscriptions: readonly WaitSubscription[]): Promise<ClaimedJob | null> {
    return await new Promise((resolve) => {
      let claiming = false;
      let bumped = false;
      let shown: Shown["jobs"] = [];
      let ended = false;
      const end = (job: ClaimedJob | null): void => {
        if (ended) return;
        ended = true;
        unsubscribe();
        resolve(job);
      };
      const claim = async (late: boolean): Promise<void> => {
        if (claiming || ended) return;
        claiming = true;
        const refused = new Set<string>();
        for (;;) {
          const job = shown.find((each) => each.late === late && !refused.has(each.jobId));
          if (job === undefined || this.#stopped) break;
          refused.add(job.jobId);
          const args = { jobId: job.jobId, laneId: job.laneId, late, demand: { jobs: 0 } };
          const outcome = (await this.#call("work:claim", args)) as Claimed;
          if (outcome.kind === "claimed") {
            end(outcome.job);
            return;
          }
        }
        claiming = false;
        if (bumped || this.#stopped) end(null);
      };
      const unsubscribe = this.#client.onUpdate(
        candidates,
        { key: this.#key, subscriptions: [...subscriptions] },
        (value: Shown) => {
          shown = value.jobs;
          bumped = value.subscriptions.length === 0;
          if (bumped && !claiming) end(null);
          else void claim(false).then(() => setTimeout(() => void claim(true), lateMs));
        },
      );
      this.#stop = () => end(null);
    });
  }

  /** Repeats a call that lost too many races, as the worker library does. */
  async #call(name: string, args: Record<string, unknown>): Promise<unknown> {
    for (;;) {
      try {
        return await this.#client.mutation(mutation(name), { key: this.#key, ...args });
      } catch (error) {
        if (this.#stopped) return { jobs: [], subscriptions: [], kind: "taken" };
        if (!String(error).includes("OptimisticConcurrencyControlFailure")) throw error;
      }
    }
  }
}

test(
  `${workerCount} workers lose none of ${jobs} jobs, and run none twice`,
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "queue-"));
    const backend = await startBackend({
      convexDir: fixtureFolder,
      dataFile: join(folder, "data.sqlite"),
      port: 0,
      sitePort: 0,
      adminKey: "test-admin-key",
    });
    const office = new ConvexClient(backend.url, { logger: false, unsavedChangesWarning: false });
    const starts = new Map<number, number>();
    let ends = 0;
    const workers = Array.from(
      { length: workerCount },
      (_, n) =>
        new TestWorker(
          backend.url,
          `key of worker ${n}`,
          (number) => starts.set(number, (starts.get(number) ?? 0) + 1),
          () => (ends += 1),
        ),
    );
    try {
      for (const n of workers.keys())
        await office.mutation(mutation("office:register"), { key: `key of worker ${n}` });
      const running = workers.map((worker) => worker.run());
      const failed = Promise.all(running).then(() => {
        throw new Error("The workers ended before the jobs did.");
      });
      const submitted = async () => {
        for (let first = 0; first < jobs; first += 20) {
          const numbers = Array.from({ length: 20 }, (_, n) => first + n);
          expect(await office.mutation(mutation("office:submit"), { numbers })).toBe("submitted");
        }
        while (ends < jobs) await sleep(20);
      };
      await Promise.race([submitted(), failed]);
      expect(starts.size).toBe(jobs);
      expect([...starts.values()].filter((times) => times !== 1)).toEqual([]);
      expect(ends).toBe(jobs);
      expect(await countSucceeded(office)).toBe(jobs);
    } finally {
      await Promise.all(workers.map((worker) => worker.close()));
      await office.close();
      await backend.close();
      await rm(folder, { recursive: true });
    }
  },
  patienceMs,
);

async function countSucceeded(client: ConvexClient): Promise<number> {
  const reference = makeFunctionReference<"query">("office:succeeded");
  let total = 0;
  let cursor: string | null = null;
  do {
    const page = (await client.query(reference, { cursor })) as { count: number; next: string | null };
    total += page.count;
    cursor = page.next;
  } while (cursor !== null);
  return total;
}
