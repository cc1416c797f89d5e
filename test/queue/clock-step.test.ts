import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { createWallClock, type WallClock } from "../../packages/embedded/clock/wall-clock.fixture.ts";
import { cuttableLine } from "../../packages/queue/worker/cuttable-line.fixture.ts";
import {
  type QueueDeployment,
  type Say,
  type StartOptions,
  startQueue,
  type TestWorker,
} from "../../packages/queue/worker/queue-deployment.fixture.ts";

const hourMs = 3_600_000;
const patience = { timeout: 60_000, interval: 10 };

describe("a backend's clock that steps", () => {
  let clock: WallClock;
  let queue: QueueDeployment;
  let workers: TestWorker[];
  /** The functions that end the handlers, in the order in which they began. */
  let endings: (() => void)[];

  beforeAll(async () => {
    clock = createWallClock();
    queue = await startQueue(clock.env);
  });
  beforeEach(async () => {
    workers = [];
    endings = [];
    queue.newScope();
    await queue.call("jobs:configure", { leaseMs: 5_000 });
  });
  afterEach(async () => {
    await Promise.all(workers.map(({ worker }) => worker.stop({ finishMs: 0, leaveMs: 5_000 })));
  });
  afterAll(async () => {
    await queue.stop();
    clock.remove();
  });

  async function startWorker(options?: StartOptions): Promise<TestWorker> {
    const say: Say = (name, { signal }) =>
      new Promise((resolve, reject) => {
        const place = endings.length + 1;
        endings.push(() => resolve(`said ${name}, handler ${place}`));
        signal.addEventListener("abort", () => reject(new Error("let go")));
      });
    const worker = await queue.startWorker(say, options);
    workers.push(worker);
    return worker;
  }

  const untilBegun = (count: number) => vi.waitFor(() => expect(endings).toHaveLength(count), patience);
  const isOver = ({ status }: { readonly status: string }): boolean => status === "succeeded";

  it("when it goes back an hour, another worker gets a dead one's job as soon as ever", async () => {
    const dead = await startWorker();
    const [jobId = ""] = await queue.submit(["long"]);
    await untilBegun(1);
    clock.step(-hourMs);
    await dead.die();
    await startWorker();
    await untilBegun(2);
    endings[1]?.();
    expect(await queue.until(jobId, isOver)).toMatchObject({ attempts: 2, result: "said long, handler 2" });
    // New jobs and new leases have no trouble either.
    const [next = ""] = await queue.submit(["next"]);
    await untilBegun(3);
    endings[2]?.();
    expect(await queue.until(next, isOver)).toMatchObject({ attempts: 1 });
  });

  // The test before leaves the clock an hour ahead of the machine's.
  it("when it goes forward an hour, a working worker's lease expires, and its job is still done once", async () => {
    await queue.call("jobs:configure", { leaseMs: 20_000 });
    const line = await cuttableLine(new URL(queue.url));
    await startWorker({ through: line.url });
    const [jobId = ""] = await queue.submit(["long"]);
    await untilBegun(1);
    // Otherwise its next call could come before the sweep, and renew the lease.
    line.cut();
    clock.step(2 * hourMs);
    await queue.until(jobId, ({ status }) => status === "ready");
    await startWorker();
    await untilBegun(2);
    clock.step(0);
    line.restore();
    endings[0]?.();
    // The other worker's attempt counts, and the first worker goes on with other jobs.
    const others = await queue.submit(["a", "b"]);
    await untilBegun(3);
    endings[2]?.();
    endings[1]?.();
    expect(await queue.until(jobId, isOver)).toMatchObject({ attempts: 2, result: "said long, handler 2" });
    await untilBegun(4);
    endings[3]?.();
    for (const other of others) expect(await queue.until(other, isOver)).toMatchObject({ attempts: 1 });
    await line.close();
  });
});
