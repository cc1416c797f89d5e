import { totalmem } from "node:os";
import { GCProfiler } from "node:v8";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ExecutionTime } from "./execution-time.ts";
import { fuel, refuel } from "./fuel.ts";

const million = 1_000_000;
/** Never goes back, as the real one. */
let now = performance.now();

beforeEach(() => {
  now += 1_000;
  vi.spyOn(performance, "now").mockImplementation(() => now);
  vi.spyOn(process, "threadCpuUsage").mockImplementation(() => ({ user: now * 1_000, system: 0 }));
});
afterEach(() => void vi.restoreAllMocks());

/** Code runs for some ms, and has so many ticks. */
function run(time: ExecutionTime, ms: number, ticks: number): void {
  now += ms;
  fuel[0] = (fuel[0] as number) - ticks;
  refuel(() => {
    time.check();
    return true;
  });
}

function started(limit: "total" | "unbroken"): ExecutionTime {
  const time = new ExecutionTime(limit);
  time.start();
  return time;
}

test("the ticks of a query or a mutation take none of its time", () => {
  const time = started("total");
  for (let round = 0; round < 12; round += 1) run(time, 100, 30 * million);
  expect(time.usedMs).toBeCloseTo(840);
  run(time, 100, 30 * million);
  expect(() => {
    for (let round = 0; round < 2; round += 1) run(time, 100, 30 * million);
  }).toThrow("Function execution timed out (maximum duration: 1s)");
});

test("code that consists of ticks is ended, too", () => {
  const time = started("total");
  for (let round = 0; round < 19; round += 1) run(time, 100, 1_000 * million);
  expect(time.usedMs).toBeCloseTo(950);
  expect(() => run(time, 200, 1_000 * million)).toThrow("timed out");
});

test("a second of garbage collection takes none of a query's or a mutation's time, and more does", () => {
  const collections = [{ cost: 0 }];
  vi.spyOn(GCProfiler.prototype, "stop").mockImplementation(() => {
    const statistics = collections.splice(0);
    return { statistics } as ReturnType<GCProfiler["stop"]>;
  });
  const time = started("total");
  run(time, 900, 0);
  collections.push({ cost: 250_000 }, { cost: 50_000 });
  run(time, 200, 0);
  expect(time.usedMs).toBeCloseTo(800);
  collections.push({ cost: 900_000 });
  run(time, 850, 0);
  // A second is forgiven, and no more.
  expect(time.usedMs).toBeCloseTo(950);
  collections.push({ cost: 100_000 });
  expect(() => run(time, 100, 0)).toThrow("timed out");

  // All of an action's collections count: it keeps everything else from running.
  const action = started("unbroken");
  run(action, 29_000, 0);
  collections.push({ cost: 25_000_000 });
  expect(() => run(action, 2_000, 0)).toThrow("timed out");
});

test("ticks that came before are not those of an execution", () => {
  fuel[0] = -500 * million;
  const time = started("total");
  run(time, 100, 0);
  expect(time.usedMs).toBeCloseTo(100);
});

test("an action that blocks the process is ended whatever its ticks take", () => {
  const time = started("unbroken");
  run(time, 100, 50 * million);
  expect(time.usedMs).toBeCloseTo(100);
});

test("a query that adds more memory outside the heap than a function may use is ended", () => {
  const mib = 1024 * 1024;
  const resident = vi.spyOn(process.memoryUsage, "rss").mockReturnValue(500 * mib);
  const time = started("total");
  run(time, 50, 0);
  time.checkAll();
  resident.mockReturnValue(2_000 * mib);
  run(time, 50, 0);
  time.checkAll();
  resident.mockReturnValue(2_100 * mib);
  run(time, 50, 0);
  expect(() => time.checkAll()).toThrow("ran out of memory");
});

test("an action that fills the machine's memory in many turns is ended", async () => {
  const resident = vi.spyOn(process.memoryUsage, "rss");
  const time = started("unbroken");
  const turn = async (share: number): Promise<void> => {
    resident.mockReturnValue(share * totalmem());
    run(time, 50, 0);
    await new Promise((resolve) => setImmediate(resolve));
  };
  for (const share of [0.01, 0.02, 0.03, 0.04]) await turn(share);
  await expect(turn(0.9)).rejects.toThrow("ran out of memory");
});

test("an action is not ended because the machine's memory was full before", async () => {
  vi.spyOn(process.memoryUsage, "rss").mockReturnValue(0.9 * totalmem());
  const time = started("unbroken");
  for (let turn = 0; turn < 5; turn += 1) {
    run(time, 50, 0);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(time.error).toBe(null);
});
